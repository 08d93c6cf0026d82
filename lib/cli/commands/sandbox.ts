import { once } from 'node:events';
import { behaviourFromSwitches, SANDBOX_SWITCHES, SandboxSwitchError } from '../../../sandbox/behaviour.ts';
import type { SandboxCompany } from '../../../sandbox/generator/parties.ts';
import { WrongInputError } from '../../errors.ts';
import { writePrivateFile } from '../../private-files.ts';
import { PROGRAM } from '../../program.ts';
import { plural } from '../../text/terminal.ts';
import { defineCommand, type Option, oneValue, wholeNumber } from '../command.ts';
import { SANDBOX_LAKE } from '../options/lake.ts';

const BASIC_OPTIONS = {
  port: wholeNumber(0, 65_535, 'port on this machine (default: any free one)'),
  seed: oneValue('S', 'the same seed gives the same receipts (default 1)'),
  'company-count': wholeNumber(1, 8192, 'number of companies (default 4); also writes a companies file'),
  'receipts-per-day': wholeNumber(0, 10_000_000, 'per company and direction (default: realistic)'),
};

const SWITCHES: Record<string, Option> = Object.fromEntries(
  SANDBOX_SWITCHES.map(({ flag: name, value, help }) => [
    name,
    oneValue(value, help, { choices: choicesOf(value) }),
  ]),
);

/** The choices in `echo|ignore|no`; undefined if the value has another form. */
function choicesOf(value: string): Option['choices'] {
  return /^[a-z\d-]+(\|[a-z\d-]+)+$/.test(value) ? value.split('|') : undefined;
}

const PORT_REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken',
  EACCES: 'needs more rights',
};

export const sandboxCommand = defineCommand({
  options: { ...SWITCHES, ...BASIC_OPTIONS },
  examples: [
    'sandbox --port 8787',
    'sandbox --port 8787 --receipts-per-day 2500 --empty-page 3 --latency-ms 50',
    `export --api http://127.0.0.1:8787 --lake ${SANDBOX_LAKE}-8787`,
  ],
  run: async (options, _words, terminal) => {
    const { port = 0, seed, 'company-count': companyCount, 'receipts-per-day': receiptsPerDay } = options;
    const behaviour = behaviourOf(options);
    const { startSandbox } = await import('../../../sandbox/sandbox.ts');
    const sandbox = await startSandbox({
      behaviour,
      port,
      seed,
      companyCount,
      receiptsPerDay,
    }).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const reason = PORT_REFUSALS[code];
      throw reason === undefined
        ? error
        : new WrongInputError(
            `Port ${port} ${reason} (${code}); give another with --port N, or leave it out.`,
          );
    });
    // Each sandbox has its own lake: on another port or with another seed it is another source.
    const lake = `${SANDBOX_LAKE}-${new URL(sandbox.url).port}`;
    // Without a file an export knows the first ones only.
    const file = companyCount === undefined ? undefined : `${lake}.companies.json`;
    if (file !== undefined) await writePrivateFile(file, companiesText(sandbox.companies));
    const words = `--api ${sandbox.url} --lake ${lake}${file === undefined ? '' : ` --companies ${file}`}`;
    terminal.stdout.write(
      `${sandbox.url}\n${plural(sandbox.companies.length, 'company', 'companies')}; Ctrl-C ends it. In another terminal:\n` +
        `  ${PROGRAM} export ${words}\n`,
    );
    if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
    await sandbox.close();
    return 0;
  },
});

function companiesText(companies: readonly SandboxCompany[]): string {
  const entries = companies.map(({ rut, token, name }) => ({ rut, token, name }));
  return `${JSON.stringify({ companies: entries }, null, 2)}\n`;
}

function behaviourOf(values: Readonly<Record<string, unknown>>): ReturnType<typeof behaviourFromSwitches> {
  try {
    return behaviourFromSwitches(values);
  } catch (error) {
    throw error instanceof SandboxSwitchError ? new WrongInputError(error.message) : error;
  }
}
