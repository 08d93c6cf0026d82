import { nameLookup } from '../../companies/company.ts';
import { checkSource } from '../../lake/source-claim.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { PROGRAM } from '../../program.ts';
import type { Unit } from '../../units.ts';
import { verifyLake, wrongDays } from '../../verify/verify-lake.ts';
import { isEqual } from '../../verify/verify-unit.ts';
import { defineCommand, flag, wholeNumber } from '../command.ts';
import { unitText } from '../export-report.ts';
import {
  askedAccess,
  CONNECTION_OPTIONS,
  type Connection,
  noteSandbox,
  withConnection,
} from '../options/connection.ts';
import { CLAIM_OPTIONS, LAKE_OPTION } from '../options/lake.ts';
import { askedDays, askedDirections, DAY_OPTIONS, DIRECTION_OPTION } from '../options/units.ts';
import { startProgress } from '../progress.ts';
import { verifyJson, verifyTable } from '../verify-report.ts';
import { optionWords } from './export.ts';

const DEFAULT_EXAMPLES = 5;

export const verifyCommand = defineCommand({
  options: {
    ...DAY_OPTIONS,
    ...DIRECTION_OPTION,
    legacy: flag('compare with the unpaged legacy list, as an independent count'),
    ...CONNECTION_OPTIONS,
    ...LAKE_OPTION,
    'source-moved': {
      ...CLAIM_OPTIONS['source-moved'],
      help: 'compare even if the lake is marked with another address of this API',
    },
    examples: wholeNumber(0, 10_000, `differences to show per company and day (default ${DEFAULT_EXAMPLES})`),
    json: flag('print one JSON document; progress goes to stderr'),
  },
  examples: [
    'verify --date 2026-11-19',
    'verify --from 2026-11-01 --to 2026-11-19 --rut 219999830019 --legacy',
    'verify --api https://api.example.com --companies companies.json --lake s3://bucket/lake --json',
  ],
  run: async (options, _words, terminal) => {
    const days = askedDays(options, Date.now(), terminal);
    const directions = askedDirections(options.direction);
    const { examples: maxExamples = DEFAULT_EXAMPLES } = options;
    const access = await askedAccess(options);
    const store = await openStoreToRead(options.lake ?? access.defaultLake);
    await checkSource(store, access.source, options['source-moved'] === true ? 'moved' : undefined);
    noteSandbox(access, terminal);
    const work = async ({ session, companies, maxInFlight }: Connection) => {
      const isLegacy = options.legacy === true;
      const progress = startProgress(terminal.stderr, companies.length * directions.length * days.length);
      const results = await verifyLake({
        companies,
        directions,
        days,
        session,
        store,
        isLegacy,
        maxExamples,
        maxInFlight,
        onUnitEnd: (unit) => progress.step(unitText(unit)),
        signal: terminal.signal,
      });
      const { signal } = terminal;
      const ruts = new Set(companies.map(({ rut }) => rut));
      const wrong = await wrongDays(store, { ruts, directions, days, signal });
      progress.end();
      const scope = {
        list: isLegacy ? ('legacy' as const) : ('v2' as const),
        lake: store.address,
        nameOf: nameLookup(companies),
        exportAgain: (units: readonly Unit[]) => `${PROGRAM} ${exportCommandOf(options, units)}`,
      };
      if (options.json === true) terminal.stdout.write(`${verifyJson(results, wrong, scope)}\n`);
      else terminal.stdout.writeColoured(`${verifyTable(results, wrong, scope, terminal.stdout)}\n`);
      return results.every(isEqual) && wrong.length === 0 ? 0 : 1;
    };
    return await withConnection(options, access, work, terminal.stderr);
  },
});

/** Where the API and the lake are: what export takes as verify does. */
const CONNECTION_NAMES: ReadonlySet<string> = new Set([...Object.keys(CONNECTION_OPTIONS), 'lake']);

/** The command, without the program's name, that exports at least these units. */
function exportCommandOf(options: Readonly<Record<string, unknown>>, units: readonly Unit[]): string {
  const days = units.map(({ day }) => day).sort();
  const directions = new Set(units.map(({ direction }) => direction));
  const range = {
    from: days[0],
    to: days.at(-1),
    rut: [...new Set(units.map(({ rut }) => rut))],
    direction: directions.size === 1 ? [...directions] : undefined,
  };
  const kept = Object.entries(options).filter(([name]) => CONNECTION_NAMES.has(name) && name !== 'rut');
  return ['export', ...optionWords({ ...range, ...Object.fromEntries(kept) })].join(' ');
}
