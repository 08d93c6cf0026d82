import type { Option } from '../command.ts';

const DEFAULT_STACK = 'cfe-lake';

export const STACK_OPTION = {
  stack: {
    kind: 'value',
    placeholder: 'NAME',
    help: `name of the deployed stack (default ${DEFAULT_STACK})`,
  },
} as const satisfies Record<string, Option>;

export function stackName({ stack }: { stack?: string }): string {
  return stack ?? DEFAULT_STACK;
}
