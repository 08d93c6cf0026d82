import type { Command, ListedCommand } from './command.ts';

/** A command, loaded on demand: a query needs no server, a sandbox no DuckDB, and the overview no command at all. */
interface CommandEntry {
  summary: string;
  load: () => Promise<Command>;
}

/** In the order of the help. */
export const COMMANDS = {
  export: {
    summary: 'Export receipts from the API to the lake.',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  missing: {
    summary: 'List company-days that were never exported or failed last time; --export exports them.',
    load: async () => (await import('./commands/missing.ts')).missingCommand,
  },
  coverage: {
    summary: 'Show which days the lake has: a calendar for each company and direction.',
    load: async () => (await import('./commands/coverage.ts')).coverageCommand,
  },
  verify: {
    summary: 'Read the API again and compare it with the lake, receipt by receipt; writes nothing.',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  probe: {
    summary: 'Find out how the API behaves where its contract is silent, in a few requests for one company.',
    load: async () => (await import('./commands/probe.ts')).probeCommand,
  },
  query: {
    summary: 'Query the lake in SQL (DuckDB), with the table names that it has in Athena.',
    load: async () => (await import('./commands/query.ts')).queryCommand,
  },
  publish: {
    summary: 'Bring the tables up to date with their units, after an export that was interrupted.',
    load: async () => (await import('./commands/lake-upkeep.ts')).publishCommand,
  },
  forget: {
    summary: "Remove a company's receipts from the lake.",
    load: async () => (await import('./commands/lake-upkeep.ts')).forgetCommand,
  },
  report: {
    summary:
      'Report on a month of one company before its books are closed, in Spanish: a page, a workbook or text.',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  list: {
    summary: 'List receipts straight from the API, by any of its filters; stores nothing.',
    load: async () => (await import('./commands/receipts.ts')).listCommand,
  },
  show: {
    summary: 'Show one receipt in full, straight from the API; stores nothing.',
    load: async () => (await import('./commands/receipts.ts')).showCommand,
  },
  check: {
    summary:
      "Check, in a minute, whether tonight's run of the deployed stack would succeed; exports nothing.",
    load: async () => (await import('./commands/deployed.ts')).checkCommand,
  },
  backfill: {
    summary: 'Export a range of issue dates with the deployed stack, and follow the run to its end.',
    load: async () => (await import('./commands/deployed.ts')).backfillCommand,
  },
  runs: {
    summary: 'List the recent runs of the deployed stack.',
    load: async () => (await import('./commands/deployed.ts')).runsCommand,
  },
  sandbox: {
    summary:
      "Run a local server for the whole query API, which can imitate the real service's quirks and faults.",
    load: async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  },
  companies: {
    summary: 'Check which tokens work, and when each expires.',
    load: async () => (await import('./commands/companies.ts')).companiesCommand,
  },
  demo: {
    summary: "Export yesterday's receipts of the sandbox and ask one question.",
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
  completion: {
    summary: 'Print a script that completes commands and options in your shell.',
    load: async () => (await import('./commands/completion.ts')).completionCommand(allCommands),
  },
} as const satisfies Record<string, CommandEntry>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

export function commandName(name: string): CommandName | undefined {
  return COMMAND_NAMES.find((known) => known === name);
}

export async function allCommands(): Promise<readonly ListedCommand[]> {
  return await Promise.all(
    COMMAND_NAMES.map(async (name) => ({
      ...(await COMMANDS[name].load()),
      summary: COMMANDS[name].summary,
    })),
  );
}
