import {
  GetScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { NIGHTLY_ISSUED, NIGHTLY_RECEIVED, TOKEN_REVIEW, WEEKLY } from '../../run/schedule-names.ts';
import { addDays, uruguayDateTime, uruguayDay } from '../../time/days.ts';
import { type CheckLine, notSeen, ok, warning } from './check-line.ts';

/** When a schedule starts its next run. */
export interface NextRun {
  name: string;
  atMs: number;
}

export interface ScheduleLines {
  lines: CheckLine[];
  /** When the nightly runs start next. */
  nightsMs: number[];
}

const NAMES = [NIGHTLY_RECEIVED, NIGHTLY_ISSUED, WEEKLY, TOKEN_REVIEW];
const NIGHTS: readonly string[] = [NIGHTLY_RECEIVED, NIGHTLY_ISSUED];
const WEEK_DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
/** As lib/stack/schedules.ts writes them. */
const CRON = /^cron\((\d{1,2}) (\d{1,2}) (?:\* \* \?|\? \* ([A-Z]{3})) \*\)$/;

/** The next run of each schedule that is deployed and switched on. */
export async function scheduleLines(
  client: SchedulerClient,
  group: string,
  nowMs: number,
): Promise<ScheduleLines> {
  const lines: CheckLine[] = [];
  const next: NextRun[] = [];
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
            'Somebody did so by hand: switch it on in the console.',
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
      warning(
        'schedules',
        'no nightly run is due',
        'nightlyReceived and nightlyIssued are off, or switched off.',
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
    const isDay = weekDay === undefined || WEEK_DAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] === weekDay;
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
