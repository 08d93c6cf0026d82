import { findMissingUnits } from '../../export/missing-units.ts';
import { loadWriter } from '../../lake/parquet/writers.ts';
import { checkSource } from '../../lake/source.ts';
import { openStoreToRead } from '../../lake/store/open-store.ts';
import { CHANGING_DAYS } from '../../time/days.ts';
import { defineCommand } from '../command.ts';
import { continuationOf } from '../go-on.ts';
import { missingJson, missingTable } from '../missing-report.ts';
import { askedAccess } from '../options/access.ts';
import { CONNECTION_OPTIONS, openConnection } from '../options/connection.ts';
import { askedDays } from '../options/days.ts';
import { askedDetails, DETAIL_OPTIONS } from '../options/details.ts';
import { askedDirections, DIRECTION_OPTION } from '../options/directions.ts';
import { askedClaim, CLAIM_OPTIONS, LAKE_OPTION, openLakeOf } from '../options/lake.ts';
import { runExport } from '../run-export.ts';

const NO_RUTS: ReadonlySet<string> = new Set();

export const missingCommand = defineCommand({
  name: 'missing',
  options: {
    from: {
      kind: 'value',
      placeholder: 'D',
      help: `first issue date (default: ${CHANGING_DAYS} days ago in Uruguay)`,
    },
    to: { kind: 'value', placeholder: 'D', help: 'last issue date, included (default: yesterday)' },
    ...DIRECTION_OPTION,
    ...DETAIL_OPTIONS,
    ...CONNECTION_OPTIONS,
    ...LAKE_OPTION,
    ...CLAIM_OPTIONS,
    export: { kind: 'flag', help: 'export what is missing, and report as export does' },
    json: { kind: 'flag', help: 'print one JSON document' },
  },
  examples: [
    'missing',
    'missing --from 2026-11-01 --to 2026-11-19 --rut 219999830019',
    'missing --from 2026-11-01 --to 2026-11-19 --details emitidos',
    'missing --api https://api.example.com --companies companies.json --export',
  ],
  run: async (options, _words, terminal) => {
    const days = askedDays(options, Date.now(), terminal, CHANGING_DAYS);
    const directions = askedDirections(options.direction);
    const details = askedDetails(options, directions);
    const isJson = options.json === true;
    const claim = askedClaim(options);
    const access = await askedAccess(options);
    const { companies, source } = access;
    const lake = options.lake ?? access.defaultLake;
    const store = await (options.export === true ? openLakeOf(source, lake, claim) : openStoreToRead(lake));
    if (options.export !== true) await checkSource(store, source, claim);
    const ruts = companies.map(({ rut }) => rut);
    const { missing, unitCount, otherRuts, damaged } = await findMissingUnits(
      store,
      ruts,
      directions,
      days,
      details?.directions,
    );
    for (const reason of damaged) terminal.stderr.writeProblem(reason);
    if (options.export !== true || (missing.length === 0 && !isJson)) {
      const names = new Map(companies.map(({ rut, name }) => [rut, name ?? '']));
      const nameOf = (rut: string) => names.get(rut) ?? '';
      const scope = { days, lake: store.address, nameOf };
      // Whoever asks for one company knows that there are others.
      const others = options.rut === undefined ? otherRuts : NO_RUTS;
      const found = { missing, unitCount, otherRuts: others, damaged };
      if (isJson) terminal.stdout.write(`${missingJson(found, scope)}\n`);
      else terminal.stdout.writeColoured(`${missingTable(found, scope, terminal.stdout)}\n`);
      return missing.length + damaged.length === 0 ? 0 : 1;
    }
    const byRut = Map.groupBy(missing, ({ rut }) => rut);
    const unitsOf = (rut: string) =>
      (byRut.get(rut) ?? []).map(({ direccion, fecha }) => ({ rut, direccion, fecha }));
    const writer = await loadWriter('hyparquet');
    const connection = await openConnection(options, access);
    try {
      const goOn = continuationOf(options, days);
      const job = { connection, store, writer, details, unitsOf, unitCount: missing.length, isJson, goOn };
      return await runExport(job, terminal);
    } finally {
      await connection.close();
    }
  },
});
