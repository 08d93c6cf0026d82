import { type Command, PROGRAM, type Terminal, UsageError } from './command.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

/** Each command's module is loaded when it is called: a query needs no server, a sandbox no DuckDB. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  export: async () => (await import('./commands/export.ts')).exportCommand,
  missing: async () => (await import('./commands/missing.ts')).missingCommand,
  coverage: async () => (await import('./commands/coverage.ts')).coverageCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  probe: async () => (await import('./commands/probe.ts')).probeCommand,
  query: async () => (await import('./commands/query.ts')).queryCommand,
  backfill: async () => (await import('./commands/backfill.ts')).backfillCommand,
  runs: async () => (await import('./commands/runs.ts')).runsCommand,
  sandbox: async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  companies: async () => (await import('./commands/companies.ts')).companiesCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
};

/** Runs the words of a command line and gives the exit code. Nothing is thrown. */
export async function main(words: readonly string[], terminal: Terminal, version: string): Promise<number> {
  const isDebugging = words.includes('--debug');
  const [name = '--help', ...rest] = words.filter((word) => word !== '--debug');
  try {
    if (name === '--version' || name === '-v') return say(terminal, version);
    if (name === '--help' || name === '-h' || name === 'help') return say(terminal, await overview());
    const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (load === undefined) throw new UsageError(`There is no command "${name}". See: ${PROGRAM} --help`);
    const command = await load();
    if (rest.includes('--help') || rest.includes('-h')) return say(terminal, command.help);
    return await command.run(rest, terminal);
  } catch (error) {
    if (terminal.signal.aborted) {
      terminal.stderr.write('Interrupted: what was not finished is as it was before.\n');
      return EXIT_INTERRUPTED;
    }
    const message = error instanceof Error ? error.message : String(error);
    terminal.stderr.write(`cfe-lake: ${isDebugging && error instanceof Error ? error.stack : message}\n`);
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}

function say(terminal: Terminal, text: string): number {
  terminal.stdout.write(`${text}\n`);
  return 0;
}

async function overview(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return [
    `Usage: ${PROGRAM} COMMAND [options]`,
    '',
    'Every CFE that your companies issue or receive, as Parquet, ready for SQL.',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`),
    '',
    `Each command explains itself:  ${PROGRAM} export --help`,
    '--debug shows where an error came from; --version shows the version.',
  ].join('\n');
}
