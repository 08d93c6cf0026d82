import { planUnits } from '../../export/units.ts';
import { loadWriter, WRITER_NAMES } from '../../lake/parquet/writers.ts';
import { defineCommand } from '../command.ts';
import { askedAccess, CONNECTION_OPTIONS, openConnection } from '../options/connection.ts';
import { askedDays, DAY_OPTIONS } from '../options/days.ts';
import { askedDetails, askedDirections, DETAIL_OPTIONS, DIRECTION_OPTION } from '../options/directions.ts';
import { askedClaim, CLAIM_OPTIONS, LAKE_OPTION, openLakeOf } from '../options/lake.ts';
import { continuationOf, runExport } from '../run-export.ts';

export const exportCommand = defineCommand({
  name: 'export',
  options: {
    ...DAY_OPTIONS,
    ...DIRECTION_OPTION,
    ...DETAIL_OPTIONS,
    ...CONNECTION_OPTIONS,
    ...LAKE_OPTION,
    ...CLAIM_OPTIONS,
    writer: {
      kind: 'value',
      placeholder: 'NAME',
      help: `${WRITER_NAMES.join(' or ')} (default hyparquet)`,
      choices: () => WRITER_NAMES,
    },
    json: { kind: 'flag', help: 'print one JSON document; progress goes to stderr' },
  },
  examples: [
    'export',
    'export --date 2026-11-19 --direction recibidos',
    'export --from 2026-11-01 --to 2026-11-19 --rut 219999830019',
    'export --date 2026-11-19 --details emitidos',
    'export --api https://api.example.com --companies companies.json --json',
  ],
  run: async (options, _words, terminal) => {
    const days = askedDays(options, Date.now(), terminal);
    const directions = askedDirections(options.direction);
    const details = askedDetails(options, directions);
    const writer = await loadWriter(WRITER_NAMES.find((name) => name === options.writer) ?? 'hyparquet');
    const claim = askedClaim(options);
    const access = await askedAccess(options);
    const store = await openLakeOf(access.source, options.lake ?? access.defaultLake, claim);
    const connection = await openConnection(options, access);
    try {
      const unitsOf = (rut: string) => planUnits(rut, directions, days);
      const unitCount = connection.companies.length * directions.length * days.length;
      const isJson = options.json === true;
      const goOn = continuationOf(options, days);
      const job = { connection, store, writer, details, unitsOf, unitCount, isJson, goOn };
      return await runExport(job, terminal);
    } finally {
      await connection.close();
    }
  },
});
