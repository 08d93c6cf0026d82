import type { CheckLine, CheckState } from '../../run/deployed/check-stack.ts';
import type { Deployment, RunDescription, RunProgress } from '../../run/deployed/runs.ts';
import type { RunInput } from '../../run/messages.ts';
import type { BackfillRequest } from '../../run/run-request.ts';
import { WrongInputError } from '../../system/errors.ts';
import { PROGRAM } from '../../system/program.ts';
import { plural, printableLine, STYLES } from '../../text/terminal.ts';
import { textTable } from '../../text/text-table.ts';
import { systemClock } from '../../time/clock.ts';
import { uruguayDateTime } from '../../time/days.ts';
import { defineCommand, JSON_OPTION, oneValue, type Parsed, type Terminal, wholeNumber } from '../command.ts';
import { unitText } from '../export-report.ts';
import { askedClaim, CLAIM_OPTIONS, lakeWords } from '../options/lake.ts';
import {
  askedDays,
  askedDetails,
  askedDirections,
  checkedRut,
  DETAIL_OPTIONS,
  DIRECTION_OPTION,
  RUTS_OPTION,
} from '../options/units.ts';
import type { Printer } from '../printer.ts';
import { startProgress } from '../progress.ts';

const DEFAULT_STACK = 'cfe-lake';

const STACK_OPTION = { stack: oneValue('NAME', `name of the deployed stack (default ${DEFAULT_STACK})`) };

function stackName({ stack = DEFAULT_STACK }: { stack?: string }): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,31}$/.test(stack)) return stack;
  throw new WrongInputError(
    "--stack takes a stack's name: at most 32 letters, digits and dashes, a letter first.",
  );
}

const MAX_FAILURES_SHOWN = 20;

const OPTIONS = {
  from: oneValue('D', 'first issue date, YYYY-MM-DD'),
  to: oneValue('D', 'last issue date, included'),
  ...RUTS_OPTION,
  ...DIRECTION_OPTION,
  details: {
    ...DETAIL_OPTIONS.details,
    help: "also read these receipts in full, whatever the stack's settings say",
  },
  ...CLAIM_OPTIONS,
  ...STACK_OPTION,
};

export const backfillCommand = defineCommand({
  options: OPTIONS,
  examples: [
    'backfill --from 2026-01-01 --to 2026-12-31 --rut 219999830019 --direction emitidos',
    'backfill --from 2026-11-01 --to 2026-11-30 --details emitidos',
  ],
  run: async (options, _words, terminal) => {
    const request = backfillRequest(options, terminal);
    const { openDeployment } = await import('../../run/deployed/runs.ts');
    return await backfill(await openDeployment(stackName(options)), request, terminal);
  },
});

/** The event of start-run that the options ask for. Throws WrongInputError. */
export function backfillRequest(
  options: Parsed<typeof OPTIONS>,
  terminal: Pick<Terminal, 'stderr'>,
): BackfillRequest {
  if (options.from === undefined || options.to === undefined)
    throw new WrongInputError(`Which days?  ${PROGRAM} backfill --from 2026-01-01 --to 2026-03-31`);
  // start-run knows the stack's own first day.
  askedDays(options, Date.now(), terminal, 1, '0001-01-01');
  const directions = askedDirections(options.direction);
  const details = askedDetails(options, directions)?.directions;
  const claim = askedClaim(options);
  return {
    desde: options.from,
    hasta: options.to,
    ruts: options.rut && [...options.rut],
    ...(options.direction !== undefined && { direcciones: directions }),
    ...(details !== undefined && { detalles: [...details] }),
    ...(claim !== undefined && { fuente: claim === 'moved' ? 'mudada' : 'adoptada' }),
  };
}

/** Starts the run, shows its progress and its result. Returns the exit code. */
export async function backfill(
  deployment: Pick<Deployment, 'startBackfill' | 'followRun' | 'countRun' | 'outputs'>,
  request: BackfillRequest,
  { stdout, stderr, signal }: Terminal,
): Promise<number> {
  const started = await deployment.startBackfill(request);
  const { corrida, empresas, unidades, ejecucion, problemas, avisos } = started;
  for (const problem of [...problemas, ...avisos]) stderr.write(`${printableLine(problem)}\n`);
  stdout.write(
    `Run ${corrida}: ${plural(unidades, 'unit')} of ${plural(empresas, 'company', 'companies')}.\n` +
      `${ejecucion}\nCtrl-C stops following, not the run; \`runs\` lists it.\n`,
  );
  const progress = startProgress(stderr, empresas);
  const onProgress = ({ done, failed, running }: RunProgress) =>
    progress.show(done + failed, `companies · ${running} under way, ${failed} failed`);
  const run = await deployment.followRun(ejecucion, { signal, onProgress });
  progress.end();
  if (run.input === undefined) {
    stdout.write(`${run.status}. ${printableLine(run.failure ?? '')}\n`);
    return run.status === 'SUCCEEDED' ? 0 : 1;
  }
  const counted = await deployment.countRun(run.input, MAX_FAILURES_SHOWN);
  const { states, missing, receipts, failures, damaged } = counted;
  const counts = Object.entries(states).map(([state, count]) => `${state} ${count.toLocaleString('en')}`);
  const moreFailures = states.fallido + missing - failures.length;
  const asked = `SELECT * FROM exportaciones WHERE fecha_corrida = DATE '${run.input.runDay}'`;
  const lines = [
    `${run.status}: ${counts.join(', ')}; ${plural(receipts, 'receipt')}.`,
    ...failures.map(({ error = 'never ended; its worker died', ...unit }) => `  ${unitText(unit)}: ${error}`),
    ...(moreFailures > 0 ? [`  … and ${moreFailures.toLocaleString('en')} more; see exportaciones`] : []),
    ...damaged.map((reason) => `  ${reason}`),
    `Query it:  ${PROGRAM} query${lakeWords(`s3://${deployment.outputs.lakeBucket}`)} "${asked}"`,
  ];
  stdout.write(`${lines.map(printableLine).join('\n')}\n`);
  return run.status === 'SUCCEEDED' && states.fallido + missing === 0 ? 0 : 1;
}

const DEFAULT_RUNS = 10;

export const runsCommand = defineCommand({
  options: { last: wholeNumber(1, 1000, `how many (default ${DEFAULT_RUNS})`), ...STACK_OPTION },
  examples: ['runs', 'runs --last 50 --stack cfe-lake-test'],
  run: async ({ last = DEFAULT_RUNS, ...options }, _words, terminal) => {
    const { openDeployment } = await import('../../run/deployed/runs.ts');
    const deployment = await openDeployment(stackName(options));
    terminal.stdout.write(`${runsTable(await deployment.listRuns(last), terminal.stdout)}\n`);
    return 0;
  },
});

function daysText({ from, to, older }: RunInput): string {
  return `${from} … ${to}${older ? `, ${older.from} … ${older.to}` : ''}`;
}

export function runsTable(runs: readonly RunDescription[], { columns }: Pick<Printer, 'columns'>): string {
  const moment = (date: Date | undefined) => (date === undefined ? '' : uruguayDateTime(date.getTime()));
  const minutes = (from: Date | undefined, to: Date | undefined) =>
    from === undefined || to === undefined ? '' : ((to.getTime() - from.getTime()) / 60_000).toFixed(1);
  const rows = runs.map(({ runId, status, startedAt, endedAt, input, failure = '' }) => [
    runId,
    status,
    moment(startedAt),
    minutes(startedAt, endedAt),
    ...(input === undefined ? ['', ''] : [daysText(input), String(input.ruts.length)]),
    failure,
  ]);
  const headings = ['run', 'status', 'started (Uruguay)', 'minutes', 'issue dates', 'companies', 'failure'];
  return textTable(headings, rows, ['left', 'left', 'left', 'right', 'left', 'right', 'left'], { columns });
}

export const checkCommand = defineCommand({
  options: {
    rut: oneValue('RUT', 'whose receipts of yesterday are read (default: the first of the secrets)'),
    ...JSON_OPTION,
    ...STACK_OPTION,
  },
  examples: ['check', 'check --rut 219999830019', 'check --stack cfe-lake-test --json'],
  notes: [
    'Exit code 0: no failure, perhaps warnings; 1: something must be corrected before the night; 2: no such stack, or not signed in.',
  ],
  run: async (options, _words, terminal) => {
    const { rut } = options;
    if (rut !== undefined) checkedRut(rut);
    const checked = { stackName: stackName(options), rut, clock: systemClock, signal: terminal.signal };
    const { checkStack } = await import('../../run/deployed/check-stack.ts');
    return await tell(checkStack(checked), terminal, options.json === true);
  },
});

const MARK_STYLES = { ok: STYLES.good, warning: STYLES.warning, failure: STYLES.failure } as const;

/** Prints each line as it comes, or all as one document. Returns the exit code. */
export async function tell(
  lines: AsyncIterable<CheckLine>,
  { stdout }: Terminal,
  isJson: boolean,
): Promise<number> {
  const shownLines: CheckLine[] = [];
  for await (const line of lines) {
    shownLines.push(line);
    if (isJson) continue;
    const { check, state, found, todo } = line;
    const mark = stdout.paint(MARK_STYLES[state], state === 'failure' ? 'FAILURE' : state.padEnd(7));
    stdout.writeColoured(`${mark}  ${check.padEnd(9)}  ${printableLine(found)}\n`);
    if (todo !== undefined) stdout.write(`${' '.repeat(20)}→ ${printableLine(todo)}\n`);
  }
  const count = (state: CheckState) => shownLines.filter((line) => line.state === state).length;
  const [failures, warnings] = [count('failure'), count('warning')];
  const document = { isReady: failures === 0, failures, warnings, lines: shownLines };
  const withWarnings = warnings > 0 ? `, with ${plural(warnings, 'warning')}` : '';
  const summary =
    failures > 0
      ? `${plural(failures, 'failure')} to correct before the night, ${plural(warnings, 'warning')}.`
      : `Ready for the night${withWarnings}.`;
  stdout.write(isJson ? `${JSON.stringify(document, null, 2)}\n` : `\n${summary}\n`);
  return failures === 0 ? 0 : 1;
}
