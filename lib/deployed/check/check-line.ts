/** `warning`: it works, or can't be told, and somebody should look. `failure`: a night would fail, wholly or in part. */
export type CheckState = 'ok' | 'warning' | 'failure';

/** One thing that was looked at. */
export interface CheckLine {
  check: string;
  state: CheckState;
  /** What was found. */
  found: string;
  /** What to do; absent where nothing is to be done. */
  todo?: string;
}

export function ok(check: string, found: string): CheckLine {
  return { check, state: 'ok', found };
}

export function warning(check: string, found: string, todo: string): CheckLine {
  return { check, state: 'warning', found, todo };
}

export function failure(check: string, found: string, todo: string): CheckLine {
  return { check, state: 'failure', found, todo };
}

/** What AWS refused to show to the person who asks, which says nothing of the stack; any other error is a failure. */
export function notSeen(check: string, error: unknown, policy: string): CheckLine {
  const code = error instanceof Error ? error.name : String(error);
  const isDenied = /^(AccessDenied|AuthorizationError)/.test(code);
  const reason = error instanceof Error && error.message !== '' ? `${code}: ${error.message}` : code;
  return isDenied
    ? warning(check, `not looked at: ${code}`, `Attach ${policy} of the stack to your role to see it.`)
    : failure(check, reason, 'Try again; if it stays so, look at the service in the console.');
}
