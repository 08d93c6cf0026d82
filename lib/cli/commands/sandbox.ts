import { once } from 'node:events';
import { join } from 'node:path';
import type { SandboxBehaviour } from '../../../sandbox/behaviour.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { WrongInputError } from '../../system/errors.ts';
import { writePrivateFile } from '../../system/private-files.ts';
import { makeFolder } from '../../system/private-folders.ts';
import { PROGRAM } from '../../system/program.ts';
import { monthBefore, uruguayDay } from '../../time/days.ts';
import { DIRECTIONS } from '../../units/unit.ts';
import { defineCommand, folderToWrite, oneValue, type Parsed, wholeNumber } from '../command.ts';
import { SANDBOX_LAKE } from '../options/lake.ts';
import { SAY } from '../phrases/sandbox.ts';

const BASIC_OPTIONS = {
  port: wholeNumber(0, 65_535, 'port on this machine (default: any free one)'),
  seed: oneValue('S', 'the same seed gives the same receipts (default 1)'),
  'company-count': wholeNumber(1, 8192, 'number of companies (default 4); also writes a companies file'),
  'receipts-per-day': wholeNumber(0, 10_000_000, 'per company and direction (default: realistic)'),
  lists: folderToWrite(SAY.lists()),
};

const MOST = 999_999_999;
/** Each sets one key of SandboxBehaviour. */
const QUIRKS = {
  'page-cap': wholeNumber(1, MOST, 'largest page given (100)'),
  'page-size-ignored': wholeNumber(0, MOST, 'rows per page whatever is asked for; 0: as asked'),
  'upper-bound': choice(['inclusive', 'exclusive'], "whether FechaHasta's day is in the list"),
  'past-end': choice(['empty', 'repeat', '404'], 'a page past the end: empty, the last one again, 404'),
  order: choice(['id', 'id-desc', 'signature-desc', 'shuffled'], 'order of the lists'),
  'page-parameter-ignored': choice(['no', 'echo', 'one'], 'always page 1; it says the number asked, or 1'),
  'issue-times': choice(
    ['on', 'off'],
    'receipts of a till have the time of the sale, not its date alone (off)',
  ),
  'late-arrivals': choice(['on', 'off'], 'received receipts arrive up to 6 days late (on)'),
  'status-flips': choice(['on', 'off'], 'statuses change as days pass (on)'),
  'rate-limit': wholeNumber(0, MOST, 'requests a second; more are 429; 0: no limit'),
  'latency-ms': wholeNumber(0, MOST, 'milliseconds before every answer'),
  'max-range-days': wholeNumber(0, MOST, 'the widest list in days; 0: no limit'),
  'over-range': choice(
    ['500', '400', 'empty', 'last', 'first'],
    'a wider list fails, or has its last or first days',
  ),
  'result-window': wholeNumber(0, MOST, 'rows of a list that are shown; 0: all'),
  'token-seconds': wholeNumber(1, MOST, 'life of a token of its login (43200); also writes a companies file'),
  'refresh-tokens': choice(
    ['anew', 'same', 'none'],
    'a login gives a new refresh token, the same, or none (anew)',
  ),
  'login-status': wholeNumber(0, 599, 'the status that every login gets; 0: none'),
};

function choice<const Value extends string>(choices: readonly Value[], help: string) {
  return oneValue(choices.join('|'), help, { choices });
}

function behaviourOf(given: Parsed<typeof QUIRKS>): Partial<SandboxBehaviour> {
  const isOn = (text: 'on' | 'off' | undefined) => (text === undefined ? undefined : text === 'on');
  const asked: Partial<SandboxBehaviour> = {
    pageCap: given['page-cap'],
    pageSizeIgnored: given['page-size-ignored'],
    upperBound: given['upper-bound'],
    pastEnd: given['past-end'],
    order: given.order,
    pageParameterIgnored: given['page-parameter-ignored'],
    issueTimes: isOn(given['issue-times']),
    lateArrivals: isOn(given['late-arrivals']),
    statusFlips: isOn(given['status-flips']),
    rateLimit: given['rate-limit'],
    latencyMs: given['latency-ms'],
    maxRangeDays: given['max-range-days'],
    overRange: given['over-range'],
    resultWindow: given['result-window'],
    tokenSeconds: given['token-seconds'],
    refreshTokens: given['refresh-tokens'],
    loginStatus: given['login-status'],
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

export const sandboxCommand = defineCommand({
  options: { ...QUIRKS, ...BASIC_OPTIONS },
  examples: [
    'sandbox --port 8787 --receipts-per-day 2500 --page-cap 50 --latency-ms 50',
    'sandbox --port 8787 --token-seconds 3600 --company-count 12 --lists listas',
    `export --api http://127.0.0.1:8787 --lake ${SANDBOX_LAKE}-8787`,
  ],
  run: async (options, _words, terminal) => {
    const { port = 0, seed, 'company-count': companyCount, 'receipts-per-day': receiptsPerDay } = options;
    const behaviour = behaviourOf(options);
    const { startSandbox } = await import('../../../sandbox/sandbox.ts');
    const started = startSandbox({ behaviour, port, seed, companyCount, receiptsPerDay });
    const sandbox = await started.catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
      throw new WrongInputError(SAY[code === 'EACCES' ? 'forbidden' : 'taken'](port, code));
    });
    // Each sandbox has its own lake: on another port or with another seed it is another source.
    const lake = `${SANDBOX_LAKE}-${new URL(sandbox.url).port}`;
    // Without a file an export knows the first ones only.
    const hasLogin = options['token-seconds'] !== undefined;
    const file = companyCount === undefined && !hasLogin ? undefined : `${lake}.companies.json`;
    if (file !== undefined) await writePrivateFile(file, companiesText(sandbox, hasLogin));
    if (options.lists !== undefined) await writeLists(options.lists, sandbox);
    const words = `--api ${sandbox.url} --lake ${lake}${file === undefined ? '' : ` --companies ${file}`}`;
    terminal.stdout.say(SAY.ready(sandbox.url, sandbox.companies.length));
    terminal.stdout.write(terminal.stdout.textOf(`  ${PROGRAM} export ${words}\n`));
    if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
    await sandbox.close();
    return 0;
  },
});

/** The tax authority's lists of the last whole month; of the first company's it has one receipt more than its service. */
async function writeLists(folder: string, sandbox: Sandbox): Promise<void> {
  const { hideReceived, officialList } = await import('../../../sandbox/official-list.ts');
  const days = monthBefore(uruguayDay(Date.now()));
  makeFolder(folder);
  for (const { rut } of sandbox.companies)
    for (const direction of DIRECTIONS) {
      const list = officialList(sandbox, rut, direction, days);
      if (list !== undefined) await writePrivateFile(join(folder, `${rut}-${direction}.csv`), list);
    }
  const [first] = sandbox.companies;
  if (first !== undefined) hideReceived(sandbox, first.rut, days);
}

function companiesText({ url: api, companies, login }: Sandbox, hasLogin: boolean): string {
  const entries = companies.map(({ rut, token, name }) => ({ rut, ...(!hasLogin && { token }), name }));
  return `${JSON.stringify({ ...(hasLogin && { api, login }), companies: entries }, null, 2)}\n`;
}
