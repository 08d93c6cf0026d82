import { exportRun, newRun } from '../../export/run.ts';
import type { UnitResult } from '../../export/unit-result.ts';
import { isWriterName, loadWriter, WRITER_NAMES, type WriterName } from '../../lake/parquet/writers.ts';
import { openStore } from '../../lake/store/open-store.ts';
import { defineCommand, PROGRAM, type Terminal, UsageError } from '../command.ts';
import { jsonReport, tableReport } from '../export-report.ts';
import { CONNECTION_OPTIONS, openConnection } from '../options/connection.ts';
import { askedDays, DAY_OPTIONS } from '../options/days.ts';
import { askedDirections } from '../options/directions.ts';
import { DEFAULT_LAKE } from '../options/lake.ts';
import { Progress } from '../progress.ts';

const COMPANIES_AT_ONCE = 8;

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Read receipts from the API and keep them in the lake.',
  options: {
    ...DAY_OPTIONS,
    direction: {
      kind: 'values',
      placeholder: 'recibidos|emitidos',
      help: 'only this direction; may be repeated (default: both)',
    },
    ...CONNECTION_OPTIONS,
    lake: {
      kind: 'value',
      placeholder: 'DIR',
      help: `folder or s3://bucket/prefix (default ${DEFAULT_LAKE})`,
    },
    writer: { kind: 'value', placeholder: 'NAME', help: `${WRITER_NAMES.join(' or ')} (default hyparquet)` },
    json: { kind: 'flag', help: 'print one JSON document; progress goes to stderr' },
  },
  examples: [
    'export',
    'export --date 2026-11-19 --direction recibidos',
    'export --from 2026-11-01 --to 2026-11-19 --rut 219999830019',
    'export --api https://api.example.com --companies companies.json --json',
  ],
  run: async (options, _words, terminal) => {
    const days = askedDays(options, Date.now());
    const directions = askedDirections(options.direction);
    const writer = await loadWriter(writerName(options.writer));
    const store = await openStore(options.lake ?? DEFAULT_LAKE);
    const connection = await openConnection(options);
    const { session, companies, maxInFlight } = connection;
    const run = newRun(session.clock.now());
    const progress = new Progress(terminal.stderr, companies.length * directions.length * days.length);
    let receipts = 0;
    const onUnitEnd = (result: UnitResult) => {
      receipts += result.filas ?? 0;
      progress.step(
        `${receipts.toLocaleString('en')} receipts · ${result.fecha} ${result.direccion} of ${result.rut}`,
      );
    };
    try {
      const common = { run, companies, directions, days, session, store, writer, maxInFlight, onUnitEnd };
      const results = await exportRun({
        ...common,
        companiesAtOnce: COMPANIES_AT_ONCE,
        signal: terminal.signal,
      });
      progress.end();
      terminal.signal.throwIfAborted();
      report(terminal, options.json === true, run.id, results, connection.companies, store.address);
      return results.some(({ estado }) => estado === 'fallido') ? 1 : 0;
    } finally {
      await connection.close();
    }
  },
});

function report(
  terminal: Terminal,
  isJson: boolean,
  runId: string,
  results: readonly UnitResult[],
  companies: readonly { rut: string; name?: string }[],
  address: string,
): void {
  if (isJson) {
    terminal.stdout.write(`${jsonReport(runId, results)}\n`);
    return;
  }
  const names = new Map(companies.map(({ rut, name }) => [rut, name ?? '']));
  terminal.stdout.write(
    `${tableReport(results, (rut) => names.get(rut) ?? '')}\n\nRun ${runId}, in ${address}.\n` +
      `Ask it:  ${PROGRAM} query "SELECT * FROM exportaciones"\n`,
  );
}

function writerName(name: string | undefined): WriterName {
  if (name === undefined) return 'hyparquet';
  if (!isWriterName(name))
    throw new UsageError(`--writer takes ${WRITER_NAMES.join(' or ')}, not "${name}".`);
  return name;
}
