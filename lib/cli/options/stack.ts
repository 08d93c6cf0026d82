import { type Option, UsageError } from '../command.ts';

const DEFAULT_STACK = 'cfe-lake';

export const STACK_OPTION = {
  stack: {
    kind: 'value',
    placeholder: 'NAME',
    help: `name of the deployed stack (default ${DEFAULT_STACK})`,
  },
} as const satisfies Record<string, Option>;

/** The stack that is meant. What can be no stack's name is not repeated: it may be a token. Throws UsageError. */
export function stackName({ stack = DEFAULT_STACK }: { stack?: string }): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,31}$/.test(stack)) return stack;
  throw new UsageError(
    "--stack takes a stack's name: at most 32 letters, digits and dashes, a letter first.",
  );
}
