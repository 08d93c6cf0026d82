import { randomUUID } from 'node:crypto';
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { type CompanyProblem, describeProblem, describeProblems } from '../companies/company.ts';
import type { CompanyList } from '../companies/secrets-manager.ts';
import { type FactsByDirection, factsMessage } from '../export/reading/service-facts.ts';
import { COMPANIES_KEY } from '../lake/layout.ts';
import type { SourceClaim } from '../lake/source.ts';
import {
  type LakeStore,
  readText,
  replaceText,
  StaleObjectError,
  type StoredObject,
} from '../lake/store/store.ts';
import { CfeLakeError } from '../system/errors.ts';
import { plural } from '../text/terminal.ts';
import type { Clock } from '../time/clock.ts';
import { type Day, MINUTE_MS, uruguayDateTime } from '../time/days.ts';
import { endingTokens } from './checks.ts';
import { daysOfRun, inSpanish, isNight, MessageError, type RunInput, widestRange } from './messages.ts';
import type { RunToProve } from './prove-run.ts';
import { readRunRequest } from './run-request.ts';
import { companiesAtOnce, type Holder, type Shares, shareOfRun, takeShare } from './shares.ts';

export interface StartRunTools {
  /** The companies that have a token, and the problems of the others. */
  listCompanies(): Promise<CompanyList>;
  /** Checks that the lake is for the receipts of the stack's API. Marks it if it is empty, or if the claim says so. */
  claimLake(claim: SourceClaim | undefined): Promise<void>;
  lake: LakeStore;
  /** What a witness shows about the service, for all workers; undefined if it failed. Never rejects. */
  prove(run: RunToProve): Promise<FactsByDirection | undefined>;
  startExecution(input: RunInput): Promise<StartedExecution>;
  /** Whether the run that has a share is over. */
  hasEnded(holder: Holder): Promise<boolean>;
  shares: Shares;
  clock: Clock;
  /** The time that this invocation has left. */
  remainingMs(): number;
  /** The first issue date that Athena sees. */
  firstDay: Day;
}

export const StartedRunSchema = v.object({
  corrida: v.string(),
  empresas: v.number(),
  /** Companies × directions × days. */
  unidades: v.number(),
  /** The execution's ARN. */
  ejecucion: v.string(),
  /**
   * What a person has to fix in the secrets, and companies that the last run had and this one lacks. None of them is
   * exported.
   */
  problemas: v.array(v.string()),
  /** Companies of the run whose token has expired, by its own claim. They are tried all the same. */
  avisos: v.array(v.string()),
  /** Whether an earlier event had already started the run. */
  repetida: v.boolean(),
});
export type StartedRun = v.InferOutput<typeof StartedRunSchema>;

/**
 * The most units of one run: as many as finish-run was tried with, in a third of its memory, if workers record none of
 * them. Readers of the audit hold what they ask of a run at once (docs/decisions/0010).
 */
export const MAX_UNITS = 800_000;

/** Throws CfeLakeError for a run with more units than one may have. */
function assertCountable(companyCount: number, directionCount: number, dayCount: number): void {
  const units = companyCount * directionCount * dayCount;
  if (units <= MAX_UNITS) return;
  const mostDays = Math.floor(MAX_UNITS / (companyCount * directionCount));
  throw new CfeLakeError(
    `${companyCount} companies × ${directionCount} directions × ${dayCount} days are ${units} units, more than the ` +
      `${MAX_UNITS} of one run, so no run was started.`,
    {
      advice:
        mostDays === 0
          ? 'Start several runs, each with some of the companies in "ruts".'
          : `Split the range: start several runs of at most ${plural(mostDays, 'day')} each, or with some of the companies in "ruts".`,
    },
  );
}

/** Another run of the same kind is under way. Nothing was started. */
export class RunUnderWayError extends CfeLakeError {
  override name = 'RunUnderWayError';
  /** The run that was not started, and the one that is under way. */
  readonly runId: string;
  readonly otherId: string;

  constructor(runId: string, { name, untilMs }: Holder) {
    const [runName, advice] = isNight(runId)
      ? [
          'an earlier night',
          'The next night reads the last days again; see the runbook, "No night has begun".',
        ]
      : [
          'one run by hand at a time',
          'Start yours when that has ended. If `cfe-lake runs` does not show it, its start is under way or failed: try ' +
            `again at ${uruguayDateTime(untilMs + MINUTE_MS).slice(11, 16)} (Uruguay).`,
        ];
    super(`Run ${name} is under way (${runName}), so no run was started.`, { advice });
    this.runId = runId;
    this.otherId = name;
  }
}

/** Clocks of two invocations differ a little. */
export const CLOCK_SLACK_MS = MINUTE_MS;

/**
 * Starts the run that an event asks for. Throws CfeLakeError if no company can be exported or the run is too large,
 * RunUnderWayError, MessageError, and what claimLake throws; then nothing was started.
 */
export async function startRun(event: unknown, tools: StartRunTools): Promise<StartedRun> {
  const { lake, clock } = tools;
  const nowMs = clock.now();
  const {
    run,
    from,
    to,
    older,
    directions,
    details,
    ruts: asked,
    claim,
  } = readRunRequest(event, nowMs, tools.firstDay);
  const companies = await tools.listCompanies();
  const problems = describeProblems(companies.problems);
  const ruts = asked ?? companies.ruts;
  const unknown: readonly string[] = ruts.filter((rut) => !companies.ruts.includes(rut));
  if (unknown.length > 0) {
    const named = `${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ' …' : ''}`;
    throw new MessageError('No run was started', [
      `${unknown.length} of "ruts" have no usable entry in the secrets: ${named}`,
      ...companies.problems
        .filter(({ rut }) => rut !== undefined && unknown.includes(rut))
        .map(describeProblem),
    ]);
  }
  if (ruts.length === 0) {
    throw new CfeLakeError(
      `No company has a usable entry in the secrets, so no run was started. ${firstOf(problems)}`.trimEnd(),
    );
  }
  const runDays = { from, to, older };
  const days = daysOfRun(runDays);
  assertCountable(ruts.length, directions.length, days.length);
  await tools.claimLake(claim);
  const holder = { name: run.id, untilMs: nowMs + tools.remainingMs() + CLOCK_SLACK_MS };
  const runUnderWay = await takeShare(lake, shareOfRun(run.id), holder, tools.hasEnded);
  if (runUnderWay !== undefined) throw new RunUnderWayError(run.id, runUnderWay);
  // The companies that a manual run names say nothing about which companies there are.
  const last = asked === undefined ? await readLastCompanies(lake) : undefined;
  problems.push(...lostSince(last?.ruts ?? [], companies).map(describeProblem));
  const facts = await tools.prove({ ruts, days: widestRange(runDays), directions });
  const input: RunInput = {
    runId: run.id,
    runDay: run.day,
    from,
    to,
    older: older ?? null,
    directions: [...directions],
    details: details === undefined ? null : [...details],
    service: facts === undefined ? null : factsMessage(facts, nowMs),
    companiesAtOnce: companiesAtOnce(run.id, ruts.length, tools.shares),
    ruts: [...ruts],
  };
  inputText(input);
  const { arn, isRepeated } = await tools.startExecution(input);
  // Only once the run is started: an event that fails is delivered again, and must report them then.
  if (last !== undefined) await keepLastCompanies(lake, ruts, last);
  return {
    corrida: run.id,
    empresas: ruts.length,
    unidades: ruts.length * directions.length * days.length,
    ejecucion: arn,
    problemas: problems,
    avisos: endingTokens({ ...companies, ruts }, { nowMs, untilMs: nowMs }),
    repetida: isRepeated,
  };
}

/** Companies that no secret has any more, and that no other problem names. */
function lostSince(before: readonly string[], { ruts, problems }: CompanyList): CompanyProblem[] {
  const known = new Set<string>([...ruts, ...problems.flatMap(({ rut }) => rut ?? [])]);
  return before
    .filter((rut) => !known.has(rut))
    .map((rut) => ({
      source: 'the secrets',
      rut,
      reason:
        'the last run had this company, but no readable secret has it now. If it was not removed on ' +
        'purpose, put it back. This is reported once',
    }));
}

function firstOf(problems: readonly string[]): string {
  const shown = problems.slice(0, 5).join('; ');
  return problems.length > 5 ? `${shown}; and ${problems.length - 5} more` : shown;
}

/** The most that Step Functions takes as input, in UTF-8. */
export const MAX_STATE_BYTES = 262_144;

export interface StartedExecution {
  arn: string;
  /** Whether the same event had started it before. */
  isRepeated: boolean;
}

/** Throws CfeLakeError for more companies than the input of one execution can name. */
function inputText(input: RunInput): string {
  const text = JSON.stringify(inSpanish(input));
  const byteCount = Buffer.byteLength(text);
  if (byteCount > MAX_STATE_BYTES) {
    throw new CfeLakeError(
      `A run of ${input.ruts.length} companies needs ${byteCount} bytes of input, but Step Functions accepts ` +
        `${MAX_STATE_BYTES}.`,
      { advice: 'Start several runs, each with some of the companies in "ruts".' },
    );
  }
  return text;
}

/**
 * Starts the run's execution, named by the run's id. An execution that exists is not started again. Throws
 * CfeLakeError for an input that is too long, and Step Functions' own errors.
 */
export async function startExecution(
  client: SFNClient,
  stateMachineArn: string,
  input: RunInput,
): Promise<StartedExecution> {
  // Of its own for each delivery of the event: an execution that is under way answers the same input as if it had just
  // been started.
  const text = inputText({ ...input, delivery: randomUUID() });
  const arn = executionArn(stateMachineArn, input.runId);
  try {
    const started = await client.send(
      new StartExecutionCommand({ stateMachineArn, name: input.runId, input: text }),
    );
    return { arn: started.executionArn ?? arn, isRepeated: false };
  } catch (error) {
    if (error instanceof ExecutionAlreadyExists) return { arn, isRepeated: true };
    throw error;
  }
}

function executionArn(stateMachineArn: string, name: string): string {
  return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
}

/**
 * Whether the execution of a run has ended. One that is not there, since its start-run died before it or because it is
 * older than Step Functions remembers, has ended unless it may still be started. Throws Step Functions' own errors.
 */
export async function hasExecutionEnded(
  client: SFNClient,
  stateMachineArn: string,
  { name, untilMs }: Holder,
  nowMs: number,
): Promise<boolean> {
  try {
    const asked = new DescribeExecutionCommand({ executionArn: executionArn(stateMachineArn, name) });
    const { status } = await client.send(asked);
    return status !== 'RUNNING' && status !== 'PENDING_REDRIVE';
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return nowMs >= untilMs;
    throw error;
  }
}

/** The companies of the last run of all companies, as the lake keeps them. */
interface LastCompanies {
  ruts: readonly string[];
  found: StoredObject | undefined;
}

const LastCompaniesSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ version: v.literal(1), ruts: v.array(v.string()) }),
);

/** The companies of the last run; none before the first one, or if this version can't read them. */
async function readLastCompanies(store: LakeStore): Promise<LastCompanies> {
  const found = await store.find(COMPANIES_KEY);
  if (found === undefined) return { ruts: [], found };
  const parsed = v.safeParse(LastCompaniesSchema, await readText(store, COMPANIES_KEY));
  return { ruts: parsed.success ? parsed.output.ruts : [], found };
}

/**
 * Keeps the companies of a started run. A run that started at the same time may have kept its own, which are as recent.
 */
async function keepLastCompanies(
  store: LakeStore,
  ruts: readonly string[],
  { ruts: standing, found: expected }: LastCompanies,
): Promise<void> {
  if (expected !== undefined && JSON.stringify(ruts) === JSON.stringify(standing)) return;
  const text = `${JSON.stringify({ version: 1, ruts })}\n`;
  try {
    await replaceText(store, COMPANIES_KEY, text, expected);
  } catch (error) {
    if (!(error instanceof StaleObjectError)) throw error;
  }
}
