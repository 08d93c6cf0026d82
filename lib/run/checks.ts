import * as v from 'valibot';
import { describeProblems } from '../companies/company.ts';
import type { RenewedToken } from '../companies/renew-due.ts';
import type { CompanyList } from '../companies/secrets-manager.ts';
import { CompanyAnswers } from '../export/reading/company-answers.ts';
import { union } from '../export/reading/read-company.ts';
import { newFacts } from '../export/reading/service-facts.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { unmarkedLags } from '../publish/publish-days.ts';
import { messageOf } from '../system/errors.ts';
import { addDays, DAY_MS, type Day, daysBetween, uruguayDateTime, uruguayDay } from '../time/days.ts';
import { DIRECTIONS } from '../units/unit.ts';
import { DaySchema, MessageError, parseMessage, RutSchema } from './messages.ts';
import type { OpenApi, OpenedApi } from './prove-run.ts';

const DayReadingSchema = v.object({
  rut: v.string(),
  /** Yesterday in Uruguay. */
  fecha: DaySchema,
  /** Receipts in that day's lists; absent if time was up before a list ended. */
  recibidos: v.optional(v.number()),
  emitidos: v.optional(v.number()),
  /** Whether time was up before the lists ended. */
  incompleta: v.boolean(),
  /** Whether the API was not asked: another check, or the start of a run, has the share that is for both. */
  ocupada: v.optional(v.boolean()),
  error: v.optional(v.string()),
});
type DayReading = v.InferOutput<typeof DayReadingSchema>;

/**
 * start-run's answer to whether a run would succeed: the companies in the secrets, when their tokens expire, and how
 * many receipts one of them had yesterday. Nothing is started, marked or written.
 */
export const CheckedRunSchema = v.object({
  empresas: v.number(),
  /** What a person has to fix in the secrets; those companies are in no run. */
  problemas: v.array(v.string()),
  /** Tokens that give an expiry, earliest first, up to a limit. */
  vencimientos: v.array(v.object({ rut: v.string(), vence: v.string() })),
  /** How many tokens give no expiry. */
  sin_vencimiento: v.number(),
  /** The login: for how many companies it gives tokens, when the first of these ends, and how long the shortest lives. */
  login: v.optional(
    v.object({
      empresas: v.number(),
      vence: v.string(),
      minutos: v.number(),
      /** Why it gives no tokens any more. */
      problema: v.optional(v.string()),
    }),
  ),
  lectura: DayReadingSchema,
  /** Tables and days, as `recibidos 2026-11-19`, that lack what was exported; absent if they could not be looked at. */
  sin_publicar: v.optional(v.array(v.string())),
});
export type CheckedRun = v.InferOutput<typeof CheckedRunSchema>;

export interface CheckRunTools {
  listCompanies(): Promise<CompanyList>;
  openApi: OpenApi;
  lake: LakeStore;
  nowMs: number;
  remainingMs(): number;
  /** Aborts an API that does not answer. */
  signal: AbortSignal;
}

const MAX_EXPIRIES = 20;
/** The whole check should take no longer than a minute. */
const READING_MS = 30_000;
const CheckSchema = v.strictObject({ comprobar: v.strictObject({ rut: v.optional(RutSchema) }) });

export function isCheck(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'comprobar' in event;
}

/** Throws MessageError and what listCompanies throws. Faults of the API are part of the answer. */
export async function checkRun(event: unknown, tools: CheckRunTools): Promise<CheckedRun> {
  const { comprobar } = parseMessage(CheckSchema, event, 'start-run was given a wrong check');
  const { ruts, problems, expiries, renewed = new Map(), loginProblem } = await tools.listCompanies();
  const rut = comprobar.rut ?? ruts[0];
  if (rut === undefined || !ruts.includes(rut)) {
    const companyWords = rut === undefined ? 'no company' : `no company with RUT ${rut}`;
    throw new MessageError('Nothing was read', [
      `${companyWords} has a usable entry in the secrets`,
      ...describeProblems(problems),
    ]);
  }
  const soonest = [...expiries]
    .filter(([known]) => !renewed.has(known))
    .sort(([, a], [, b]) => a.getTime() - b.getTime());
  const unpublished = namesOfLags(tools.lake, uruguayDay(tools.nowMs)).catch(() => undefined);
  return {
    empresas: ruts.length,
    problemas: describeProblems(problems),
    vencimientos: soonest
      .slice(0, MAX_EXPIRIES)
      .map(([known, expiry]) => ({ rut: known, vence: expiry.toISOString() })),
    sin_vencimiento: ruts.filter((known) => !expiries.has(known)).length,
    ...(renewed.size > 0 && { login: { ...loginOf([...renewed.values()]), problema: loginProblem } }),
    lectura: await readYesterday(rut, tools),
    sin_publicar: await unpublished,
  };
}

/** How far back the weekly run reads. */
const DAYS_LOOKED_AT = 65;

async function namesOfLags(lake: LakeStore, today: Day): Promise<string[]> {
  const days = daysBetween(addDays(today, -DAYS_LOOKED_AT), today);
  return (await unmarkedLags(lake, days)).map(({ table, day }) => `${table.name} ${day}`);
}

function loginOf(tokens: readonly RenewedToken[]) {
  const lives = tokens.map(({ issuedAtMs, endsAtMs }) => endsAtMs - issuedAtMs);
  return {
    empresas: tokens.length,
    vence: new Date(Math.min(...tokens.map(({ endsAtMs }) => endsAtMs))).toISOString(),
    minutos: Math.floor(Math.min(...lives) / 60_000),
  };
}

async function readYesterday(
  rut: string,
  { openApi, nowMs, remainingMs, signal }: CheckRunTools,
): Promise<DayReading> {
  const fecha = addDays(uruguayDay(nowMs), -1);
  const reading: DayReading = { rut, fecha, incompleta: false };
  const untilMs = remainingMs() - READING_MS;
  let api: OpenedApi | undefined;
  try {
    api = await openApi(remainingMs());
    if (api === undefined) return { ...reading, ocupada: true };
    const isTimeUp = () => remainingMs() < untilMs;
    const { clock } = api;
    const client = api.clientOf(rut);
    // Nothing has been proved about the API yet.
    const tools = { client, clock, facts: newFacts(), signal, isTimeUp };
    for (const direction of DIRECTIONS) {
      // As a nightly run reads it: to its proved end, with the day after if a bound may be exclusive.
      const answers = new CompanyAnswers(tools, { rut, direction });
      const verdict = (await answers.verdicts({ from: fecha, to: fecha })).get(fecha);
      if (verdict?.kind === 'failed') throw verdict.error;
      if (verdict?.kind !== 'read') reading.incompleta = true;
      else reading[direction] = union(verdict.attempts.map((rows) => rows.rowsOf(fecha))).sorted().rowCount;
    }
  } catch (error) {
    // Errors of the API and of the secrets say what to do, and hold no token.
    reading.error = signal.aborted
      ? 'The API did not answer in time. Is its address right, and is it up?'
      : messageOf(error);
  } finally {
    await api?.close();
  }
  return reading;
}

/** The answer of start-run to a review of tokens. */
export interface ReviewedTokens {
  /** One line for each company whose token has expired or expires within the days asked for. */
  avisos: string[];
  /**
   * Days until the first of the tokens ends that have not ended: of those that have, the run that fails tells. Absent if
   * none gives its end; tokens of the login, which are renewed, are left out.
   */
  dias?: number;
}

const TokenReviewSchema = v.object({
  revisar: v.literal('tokens'),
  /** How many days from now the tokens have to last. */
  dias: v.pipe(v.number(), v.minValue(1), v.maxValue(366)),
});

export function isTokenReview(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'revisar' in event;
}

/**
 * One line for each token of these companies that expires by that moment, by its own claim, earliest first: whose it is,
 * when in Uruguayan time, and what to do.
 */
export function endingTokens(
  { ruts, expiries, renewed }: Pick<CompanyList, 'expiries' | 'renewed'> & { ruts: readonly string[] },
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): string[] {
  return ruts
    .flatMap((rut) => {
      const endsMs = expiries.get(rut)?.getTime();
      // What the login gave is renewed in time, unless it has ended already.
      const isRenewed = renewed?.has(rut) === true;
      return endsMs === undefined || endsMs > (isRenewed ? nowMs : untilMs)
        ? []
        : [{ rut, endsMs, isRenewed }];
    })
    .sort((a, b) => a.endsMs - b.endsMs || (a.rut < b.rut ? -1 : 1))
    .map(({ rut, endsMs, isRenewed }) => {
      const remedy = isRenewed
        ? 'The login did not renew it: see the runbook, "The login failed".'
        : 'Put a new one into the secret.';
      const verb = endsMs <= nowMs ? 'expired' : 'expires';
      return `RUT ${rut}: its token ${verb} on ${uruguayDateTime(endsMs)}. ${remedy}`;
    });
}

/**
 * Finds, before the night, the tokens that will expire during it. Throws MessageError and what listCompanies throws.
 */
export async function reviewTokens(
  event: unknown,
  { listCompanies, nowMs }: { listCompanies(): Promise<CompanyList>; nowMs: number },
): Promise<ReviewedTokens> {
  const { dias } = parseMessage(TokenReviewSchema, event, 'start-run was given a wrong review of tokens');
  const companies = await listCompanies();
  const { expiries, renewed } = companies;
  const left = [...expiries].flatMap(([rut, end]) =>
    renewed?.has(rut) === true || end.getTime() <= nowMs ? [] : end.getTime() - nowMs,
  );
  return {
    avisos: endingTokens(companies, { nowMs, untilMs: nowMs + dias * DAY_MS }),
    ...(left.length > 0 && { dias: Math.min(...left) / DAY_MS }),
  };
}
