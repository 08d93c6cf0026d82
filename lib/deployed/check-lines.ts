import {
  GetScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { DIRECTIONS } from '../api/directions.ts';
import { changeSetting, DEPLOY } from '../program.ts';
import type { CheckedRun } from '../run/checks.ts';
import {
  DEEP,
  NIGHT_HOURS,
  NIGHTLY_ISSUED,
  NIGHTLY_RECEIVED,
  TOKEN_REVIEW,
  WEEKLY,
} from '../run/messages.ts';
import { plural } from '../text/terminal.ts';
import { addDays, HOUR_MS, uruguayDateTime, uruguayDay, weekdayOf } from '../time/days.ts';

/**
 * `warning`: it works or can't be checked, and somebody should look. `failure`: a nightly run would fail, at least in
 * part.
 */
export type CheckState = 'ok' | 'warning' | 'failure';

export interface CheckLine {
  check: string;
  state: CheckState;
  found: string;
  /** What to do; absent if nothing. */
  todo?: string;
}

export function ok(check: string, found: string): CheckLine {
  return { check, state: 'ok', found };
}

export function warning(check: string, found: string, todo: string): CheckLine {
  return { check, state: 'warning', found, todo };
}

export function failure(check: string, found: string, todo: string): CheckLine {
  return { check, state: 'failure', found, todo };
}

/** A warning if AWS denied the caller this request, which says nothing about the stack; otherwise a failure. */
export function notSeen(check: string, error: unknown, policy: string): CheckLine {
  const code = error instanceof Error ? error.name : String(error);
  const isDenied = /^(AccessDenied|AuthorizationError)/.test(code);
  const reason = error instanceof Error && error.message !== '' ? `${code}: ${error.message}` : code;
  return isDenied
    ? warning(check, `not checked: ${code}`, `Attach ${policy} of the stack to your role to see it.`)
    : failure(check, reason, 'Try again. If it keeps failing, look at the service in the console.');
}

/** What start-run found: companies, their problems, their tokens, and one company's receipts of yesterday. */
export function linesOfRun(found: CheckedRun, nowMs: number, nextNightsMs: readonly number[]): CheckLine[] {
  const { empresas, problemas } = found;
  return [
    ok('secret', `${plural(empresas, 'company', 'companies')} with a usable entry`),
    ...problemas.map((problem) =>
      failure(
        'secret',
        problem,
        'Correct the entry: until then, its company is in no run. See the runbook, "A company is left out".',
      ),
    ),
    tokenLine(found, nowMs, Math.max(nowMs, ...nextNightsMs) + NIGHT_HOURS * HOUR_MS),
    apiLine(found.lectura),
  ];
}

function tokenLine({ vencimientos, sin_vencimiento }: CheckedRun, nowMs: number, untilMs: number): CheckLine {
  const ending = vencimientos.filter(({ vence }) => Date.parse(vence) <= untilMs);
  const describe = ({ rut, vence }: CheckedRun['vencimientos'][number]) =>
    `RUT ${rut} ${Date.parse(vence) <= nowMs ? 'expired' : 'expires'} ${uruguayDateTime(Date.parse(vence))}`;
  const named = ending.slice(0, 5).map(describe).join(', ');
  const all = ending.length > 5 ? `${named} and ${ending.length - 5} more` : named;
  if (ending.some(({ vence }) => Date.parse(vence) <= nowMs))
    return failure('tokens', all, 'Put new tokens into the secret; see docs/tokens.md.');
  if (ending.length > 0)
    return warning(
      'tokens',
      `${all}, before the next night is over`,
      'Put new tokens into the secret, or let something renew them; see docs/tokens.md.',
    );
  const [first] = vencimientos;
  const soonest = first === undefined ? '' : `the first: ${describe(first)} (Uruguay)`;
  return ok('tokens', [soonest, silentText(sin_vencimiento)].filter((part) => part !== '').join('; '));
}

function silentText(count: number): string {
  if (count === 0) return '';
  return plural(count, 'token does not say when it expires', 'tokens do not say when they expire');
}

function apiLine({ rut, fecha, incompleta, ocupada, error, ...counts }: CheckedRun['lectura']): CheckLine {
  if (error !== undefined)
    return failure('api', error, 'Correct this first: every unit would fail the same way.');
  if (ocupada === true)
    return warning(
      'api',
      'not asked: runs under way have all the places that apiRequestsPerSecond allows',
      'Check again when they have ended; `runs` lists them.',
    );
  const atLeast = incompleta ? 'at least ' : '';
  const read = DIRECTIONS.map(
    (direction) => `${(counts[direction] ?? 0).toLocaleString('en')} ${direction}`,
  ).join(', ');
  const found = `reached from AWS; RUT ${rut} has ${atLeast}${read} of ${fecha}`;
  const isEmpty = DIRECTIONS.every((direction) => (counts[direction] ?? 0) === 0);
  if (!isEmpty) return ok('api', found);
  return warning(
    'api',
    found,
    'If that is unlikely, check with a company that had receipts yesterday: --rut RUT.',
  );
}

const NAMES = [NIGHTLY_RECEIVED, NIGHTLY_ISSUED, WEEKLY, DEEP, TOKEN_REVIEW];
const NIGHTS: readonly string[] = [NIGHTLY_RECEIVED, NIGHTLY_ISSUED];
const WEEK_DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
/** As lib/stack/schedules.ts writes them. */
const CRON = /^cron\((\d{1,2}) (\d{1,2}) (?:\* \* \?|\? \* ([A-Z]{3})) \*\)$/;

/**
 * The next run of each schedule that is deployed and switched on, and when the nightly ones start. None of these is a
 * failure, unless the settings want none.
 */
export async function scheduleLines(
  client: SchedulerClient,
  { group, nowMs, areNightsWanted }: { group: string; nowMs: number; areNightsWanted: boolean },
): Promise<{ lines: CheckLine[]; nightsMs: number[] }> {
  const lines: CheckLine[] = [];
  const next: { name: string; atMs: number }[] = [];
  try {
    for (const name of NAMES) {
      const found = await client
        .send(new GetScheduleCommand({ GroupName: group, Name: `${group}-${name}` }))
        .catch((error: unknown) => {
          if (error instanceof ResourceNotFoundException) return undefined;
          throw error;
        });
      if (found === undefined) continue;
      const atMs = nextOf(found.ScheduleExpression ?? '', nowMs);
      if (found.State === 'DISABLED') {
        lines.push(
          warning(
            'schedules',
            `${name} is switched off`,
            'Somebody switched it off by hand. Switch it on in the console.',
          ),
        );
      } else if (atMs !== undefined) next.push({ name, atMs });
    }
  } catch (error) {
    return { lines: [notSeen('schedules', error, 'OperatorPolicy')], nightsMs: [] };
  }
  next.sort((a, b) => a.atMs - b.atMs);
  const nightsMs = next.filter(({ name }) => NIGHTS.includes(name)).map(({ atMs }) => atMs);
  const told = next.map(
    ({ name, atMs }) => `${name} ${uruguayDateTime(atMs).replace('T', ' ').slice(0, 16)}`,
  );
  if (told.length > 0) lines.unshift(ok('schedules', `${told.join(', ')} (Uruguay)`));
  if (nightsMs.length === 0)
    lines.push(
      areNightsWanted
        ? failure(
            'schedules',
            'no nightly run is due: nothing will be exported',
            `Switch the nightly schedules on in the console. If they are gone, or are off in the settings: ${DEPLOY}`,
          )
        : warning(
            'schedules',
            'no nightly run is due: the settings switch both off',
            `If that is not meant: ${changeSetting('nightlyReceived', '02:00')}.`,
          ),
    );
  return { lines, nightsMs };
}

/** The next time at which the expression fires, in Uruguayan time; undefined if it is not one of ours. */
export function nextOf(expression: string, nowMs: number): number | undefined {
  const [, minute = '', hour = '', weekDay] = CRON.exec(expression) ?? [];
  if (minute === '' || hour === '') return undefined;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}:00`;
  const today = uruguayDay(nowMs);
  for (let ahead = 0; ahead <= 7; ahead += 1) {
    const day = addDays(today, ahead);
    const isDay = weekDay === undefined || WEEK_DAYS[weekdayOf(day)] === weekDay;
    const atMs = atUruguayTime(`${day}T${time}`);
    if (isDay && atMs > nowMs) return atMs;
  }
  return undefined;
}

/** The moment at which clocks in Uruguay show this local time. */
function atUruguayTime(local: string): number {
  const asIfUtc = Date.parse(`${local}Z`);
  const shownMs = Date.parse(`${uruguayDateTime(asIfUtc)}Z`);
  return asIfUtc + (asIfUtc - shownMs);
}
