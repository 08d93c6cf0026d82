import type { Command } from './command.ts';

/** Each command's module is loaded when it is called: a query needs no server, a sandbox no DuckDB. */
const COMMANDS = {
  export: async () => (await import('./commands/export.ts')).exportCommand,
  missing: async () => (await import('./commands/missing.ts')).missingCommand,
  coverage: async () => (await import('./commands/coverage.ts')).coverageCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  probe: async () => (await import('./commands/probe.ts')).probeCommand,
  query: async () => (await import('./commands/query.ts')).queryCommand,
  publish: async () => (await import('./commands/publish.ts')).publishCommand,
  forget: async () => (await import('./commands/forget.ts')).forgetCommand,
  upgrade: async () => (await import('./commands/upgrade.ts')).upgradeCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  list: async () => (await import('./commands/list.ts')).listCommand,
  show: async () => (await import('./commands/show.ts')).showCommand,
  check: async () => (await import('./commands/check.ts')).checkCommand,
  backfill: async () => (await import('./commands/backfill.ts')).backfillCommand,
  runs: async () => (await import('./commands/runs.ts')).runsCommand,
  sandbox: async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  companies: async () => (await import('./commands/companies.ts')).companiesCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
} as const satisfies Record<string, () => Promise<Command>>;

export type CommandName = keyof typeof COMMANDS;

/** In the order of the help. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** The command of this name; undefined when there is none. */
export async function findCommand(name: string): Promise<Command | undefined> {
  const known = COMMAND_NAMES.find((command) => command === name);
  return known && (await COMMANDS[known]());
}

export async function allCommands(): Promise<readonly Command[]> {
  return await Promise.all(COMMAND_NAMES.map((name) => COMMANDS[name]()));
}
