import type { Deployment } from '../../deployed/deployment.ts';
import type { BackfillRequest, RunDescription } from '../../deployed/runs.ts';
import { PROGRAM } from '../../program.ts';
import { plain, printableLine, STYLES, type TextForm } from '../../text/terminal.ts';
import { textTable } from '../../text/text-table.ts';
import { uruguayDateTime } from '../../time/days.ts';
import { defineCommand, type Terminal } from '../command.ts';
import { manyValues, oneValue, type Parsed, wholeNumber } from '../option.ts';
import { askedClaim, CLAIM_OPTIONS, lakeWords, STACK_OPTION, stackName } from '../options/lake.ts';
import {
  askedDays,
  askedDetails,
  askedDirections,
  DETAIL_OPTIONS,
  DIRECTION_OPTION,
} from '../options/units.ts';
import { Progress } from '../printer.ts';
import { UsageError } from '../usage.ts';

/** Any further failures are only counted; the audit has them all. */
const MAX_FAILURES_SHOWN = 20;

const OPTIONS = {
  from: oneValue('D', 'first issue date, YYYY-MM-DD'),
  to: oneValue('D', 'last issue date, included'),
  rut: manyValues('RUT', 'only this company; may be repeated'),
  ...DIRECTION_OPTION,
  details: {
    ...DETAIL_OPTIONS.details,
    help: "also read these receipts in full, whatever the stack's settings say; may be repeated",
  },
  ...CLAIM_OPTIONS,
  ...STACK_OPTION,
};

export const backfillCommand = defineCommand({
  name: 'backfill',
  options: OPTIONS,
  examples: [
    'backfill --from 2026-01-01 --to 2026-03-31',
    'backfill --from 2026-01-01 --to 2026-12-31 --rut 219999830019 --direction emitidos',
    'backfill --from 2026-11-01 --to 2026-11-30 --details emitidos',
  ],
  run: async (options, _words, terminal) => {
    const request = backfillRequest(options, terminal);
    const { openDeployment } = await import('../../deployed/deployment.ts');
    return await backfill(await openDeployment(stackName(options)), request, terminal);
  },
});

/** The event of start-run that the options ask for. Throws UsageError. */
export function backfillRequest(
  options: Parsed<typeof OPTIONS>,
  terminal: Pick<Terminal, 'stderr'>,
): BackfillRequest {
  if (options.from === undefined || options.to === undefined) {
    throw new UsageError(`Which days?  ${PROGRAM} backfill --from 2026-01-01 --to 2026-03-31`);
  }
  askedDays(options, Date.now(), terminal);
  const request: BackfillRequest = { desde: options.from, hasta: options.to, ruts: options.rut };
  const directions = askedDirections(options.direction);
  if (options.direction !== undefined) request.direcciones = directions;
  const claim = askedClaim(options);
  if (claim !== undefined) request.fuente = claim === 'moved' ? 'mudada' : 'adoptada';
  if (options.details !== undefined) request.detalles = askedDetails(options, directions)?.directions;
  return request;
}

/** Starts the run, shows its progress and its result. Returns the exit code. */
export async function backfill(
  deployment: Pick<Deployment, 'startBackfill' | 'followRun' | 'countRun' | 'outputs'>,
  request: BackfillRequest,
  terminal: Terminal,
): Promise<number> {
  const started = await deployment.startBackfill(request);
  const { corrida, empresas, unidades, ejecucion, problemas, avisos } = started;
  for (const problem of [...problemas, ...avisos]) terminal.stderr.write(`${printableLine(problem)}\n`);
  terminal.stdout.write(
    `Run ${corrida}: ${unidades.toLocaleString('en')} units of ${empresas.toLocaleString('en')} companies.\n` +
      `${ejecucion}\nCtrl-C stops following, not the run; \`runs\` lists it.\n`,
  );
  const progress = new Progress(terminal.stderr, empresas);
  const run = await deployment.followRun(ejecucion, {
    signal: terminal.signal,
    onProgress: ({ done, failed, running }) =>
      progress.show(
        done + failed,
        `companies · ${running} under way${failed > 0 ? ` · ${failed} failed` : ''}`,
      ),
  });
  progress.end();
  if (run.input === undefined) {
    terminal.stdout.write(`${run.status}. ${printableLine(run.failure ?? '')}\n`);
    return run.status === 'SUCCEEDED' ? 0 : 1;
  }
  const counted = await deployment.countRun(run.input, MAX_FAILURES_SHOWN);
  const { states, missing, receipts, failures, damaged } = counted;
  const counts = Object.entries(states).map(([state, count]) => `${state} ${count.toLocaleString('en')}`);
  terminal.stdout.write(`${run.status}: ${counts.join(', ')}; ${receipts.toLocaleString('en')} receipts.\n`);
  for (const { rut, direction, day, error } of failures) {
    const reason = printableLine(error ?? 'never ended; its worker died');
    terminal.stdout.write(`  ${day} ${direction} of ${rut}: ${reason}\n`);
  }
  const rest = states.fallido + missing - failures.length;
  if (rest > 0) terminal.stdout.write(`  … and ${rest.toLocaleString('en')} more; see exportaciones\n`);
  for (const reason of damaged) terminal.stdout.write(`  ${reason}\n`);
  const asked = `SELECT * FROM exportaciones WHERE fecha_corrida = DATE '${run.input.dia}'`;
  const lake = lakeWords(`s3://${deployment.outputs.lakeBucket}`);
  terminal.stdout.write(`Query it:  ${PROGRAM} query${lake} "${asked}"\n`);
  return run.status === 'SUCCEEDED' && states.fallido + missing === 0 ? 0 : 1;
}

const DEFAULT_RUNS = 10;

export const runsCommand = defineCommand({
  name: 'runs',
  options: {
    last: wholeNumber(1, 1000, `how many (default ${DEFAULT_RUNS})`),
    ...STACK_OPTION,
  },
  examples: ['runs', 'runs --last 50 --stack cfe-lake-test'],
  run: async ({ last = DEFAULT_RUNS, ...options }, _words, terminal) => {
    const { openDeployment } = await import('../../deployed/deployment.ts');
    const deployment = await openDeployment(stackName(options));
    terminal.stdout.writeColoured(`${runsTable(await deployment.listRuns(last), terminal.stdout)}\n`);
    return 0;
  },
});

/** One line per run, the newest first. */
export function runsTable(
  runs: readonly RunDescription[],
  { columns, paint = plain }: TextForm = {},
): string {
  const rows = runs.map(({ corrida, status, startedAt, endedAt, input, failure }) => [
    corrida,
    status,
    startedAt === undefined ? '' : uruguayDateTime(startedAt.getTime()),
    startedAt === undefined || endedAt === undefined ? '' : minutes(endedAt.getTime() - startedAt.getTime()),
    input === undefined ? '' : `${input.desde} … ${input.hasta}`,
    input === undefined ? '' : String(input.ruts.length),
    failure ?? '',
  ]);
  const headings = ['run', 'status', 'started (Uruguay)', 'minutes', 'issue dates', 'companies', 'failure'];
  return textTable(headings, rows, ['left', 'left', 'left', 'right', 'left', 'right', 'left'], {
    columns,
    paintCell: (text, heading) => {
      if (heading !== 'status' || text === 'RUNNING') return text;
      return paint(text === 'SUCCEEDED' ? STYLES.good : STYLES.failure, text);
    },
  });
}

function minutes(durationMs: number): string {
  return (durationMs / 60_000).toFixed(1);
}
