import type { SandboxBehaviour } from './behaviour.ts';
import { SANDBOX_SWITCHES } from './switches.ts';

/** One option as `parseArgs` of node:util takes it. */
interface ArgumentOption {
  type: 'string' | 'boolean';
}

/** The sandbox's switches as the `options` of node:util's parseArgs. */
export function sandboxSwitchOptions(): Record<string, ArgumentOption> {
  return Object.fromEntries(
    SANDBOX_SWITCHES.map(({ flag, value }) => [flag, { type: value === undefined ? 'boolean' : 'string' }]),
  );
}

/**
 * The behaviour that parsed switches ask for; other values are not looked at. Throws a SandboxSwitchError,
 * one line that says what to write.
 */
export function behaviourFromSwitches(values: Readonly<Record<string, unknown>>): Partial<SandboxBehaviour> {
  const parts = SANDBOX_SWITCHES.flatMap((one) => {
    const value = values[one.flag];
    if (value === undefined || value === false) return [];
    return [one.read(typeof value === 'string' ? value : '')];
  });
  return Object.assign({}, ...parts);
}

/** The help of all switches, a line each. */
export function sandboxSwitchHelp(): string {
  const heads = SANDBOX_SWITCHES.map(
    ({ flag, value }) => `--${flag}${value === undefined ? '' : ` ${value}`}`,
  );
  const width = Math.max(...heads.map((head) => head.length));
  return SANDBOX_SWITCHES.map(({ help }, i) => `  ${(heads[i] ?? '').padEnd(width)}  ${help}`).join('\n');
}
