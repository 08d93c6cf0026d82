/**
 * `warning`: it works, or that is unknown, and somebody should look. `failure`: a nightly run would fail, at least in
 * part.
 */
export type CheckState = 'ok' | 'warning' | 'failure';

/** The result of one check. */
export interface CheckLine {
  check: string;
  state: CheckState;
  /** What was found. */
  found: string;
  /** What to do; absent if nothing. */
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

/**
 * A warning if AWS denied the caller this request, which says nothing about the stack; otherwise a failure.
 */
export function notSeen(check: string, error: unknown, policy: string): CheckLine {
  const code = error instanceof Error ? error.name : String(error);
  const isDenied = /^(AccessDenied|AuthorizationError)/.test(code);
  const reason = error instanceof Error && error.message !== '' ? `${code}: ${error.message}` : code;
  return isDenied
    ? warning(check, `not looked at: ${code}`, `Attach ${policy} of the stack to your role to see it.`)
    : failure(check, reason, 'Try again; if it stays so, look at the service in the console.');
}
