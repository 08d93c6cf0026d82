import { HttpStatusError, NoAnswerError } from '../api/errors.ts';
import { FIRST_PAGE, isSameIds, MAX_PAGE_SIZE, notePageLength, windowOf } from '../api/list/page.ts';
import { CompanyAnswers } from '../export/reading/company-answers.ts';
import { prove } from '../export/reading/prove.ts';
import { ReceiptsByDay } from '../export/reading/receipts-by-day.ts';
import { type AskedDays, newFacts } from '../export/reading/service-facts.ts';
import { plural } from '../text/terminal.ts';
import { addDays, type Day, type DayRange, widthDays } from '../time/days.ts';
import { DIRECTIONS, type Direction, type Unit } from '../units/unit.ts';
import { factsAbout, wordsOf } from './findings.ts';
import { type Watched, type WatchOptions, watchedClient } from './watched-client.ts';

/** The most requests for each of the two lists. */
export const MAX_REQUESTS = 60;

export interface ProbeOptions extends Omit<WatchOptions, 'maxRequests'> {
  /** Issue dates among which to find one with receipts, the newest first. */
  days: readonly Day[];
  maxRequests?: number;
}

/**
 * Finds out what the contract leaves open, by reading one company's lists as an export does, with a few questions more.
 * `looked`: the days that were looked at closely; null if none has receipts. `report`: what tells neither whose service
 * it is nor what any receipt holds. Throws the first error if no list is answered.
 */
export async function probe({ days, maxRequests = MAX_REQUESTS, ...options }: ProbeOptions) {
  const [newest, ...olderDays] = days;
  if (newest === undefined) throw new TypeError('no day to probe');
  const lists: ({ direction: Direction } & Watched['watch'] & Awaited<ReturnType<typeof listFacts>>)[] = [];
  for (const direction of DIRECTIONS) {
    const watched = watchedClient({ ...options, maxRequests });
    const list = await listFacts({ rut: options.rut, direction }, [newest, ...olderDays], watched);
    lists.push({ direction, ...watched.watch, ...list });
  }
  const findings = lists.flatMap(({ facts }) => facts);
  const errors = lists.flatMap((list) => list.errors);
  if (errors.length === findings.length) throw errors[0];
  const answers = lists.flatMap((list) => list.answers).sort((a, b) => a.ms - b.ms);
  const sent = lists.reduce((sum, list) => sum + list.sent, 0);
  const byStatus: Record<string, number> = sent > answers.length ? { none: sent - answers.length } : {};
  for (const { status } of answers) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const withRetryAfter = answers.filter(({ hasRetryAfter }) => hasRetryAfter).length;
  const msAt = (place: number) => Number(answers.at(place)?.ms.toFixed(1) ?? 0);
  const dayOf = (asked: Direction) => lists.find(({ direction }) => direction === asked)?.day ?? null;
  const report = {
    requests: { sent, limit: lists.length * maxRequests, byStatus, withRetryAfter },
    /** How long it took until an answer began. */
    latencyMs: { min: msAt(0), median: msAt(answers.length >> 1), max: msAt(-1) },
    findings,
  };
  return { looked: { recibidos: dayOf('recibidos'), emitidos: dayOf('emitidos') }, report };
}

export type ServiceReport = Awaited<ReturnType<typeof probe>>['report'];

const WIDEST_DAYS = 366;
/** Common result windows (the most rows that a list shows). */
const WINDOWS = [10_000, 5_000, 1_000];
/** Past the end of any list. */
const FAR_ROW = 50_000_000;

/** Asks about one list on these days, the newest first. `day`: the one that was looked at closely, if any has rows. */
export async function listFacts(
  { rut, direction }: Pick<Unit, 'rut' | 'direction'>,
  days: readonly [Day, ...Day[]],
  watched: Watched,
) {
  const tools = { ...watched, facts: newFacts() };
  const service = tools.facts[direction];
  const answers = new CompanyAnswers(tools, { rut, direction });
  const { add, ...facts } = factsAbout(direction, watched.watch);
  const allDays = { from: days.at(-1) ?? days[0], to: days[0], includesNextDay: true };

  let found: Awaited<ReturnType<typeof findRows>>;
  await add('list', allDays, async () => {
    found = await findRows(answers, allDays, days);
    const count = found?.first.items.length ?? 0;
    return [count > 0, count > 0 ? `${plural(count, 'row')} on the first page` : 'unknown: none', count];
  });
  if (found === undefined) return { ...facts, day: undefined };
  const { asked, first, day } = found;
  const { ids } = first;
  notePageLength(service, ids.length);
  const page = (number: number, size: number) => answers.readPage(asked, windowOf(number, size));

  await add('repeat', asked, async () => {
    const repeatedIds = (await page(1, MAX_PAGE_SIZE)).ids;
    const isSame = new Set(ids).symmetricDifference(new Set(repeatedIds)).size === 0;
    const repeatWords = isSameIds(ids, repeatedIds) ? 'yes' : 'yes, in another order';
    return [isSame, isSame ? repeatWords : 'no: other rows', repeatedIds.length];
  });
  await add('pageSize', asked, async () => {
    const size = Math.min(50, Math.floor(ids.length / 3));
    if (size === 0) return [true, `unknown: ${plural(ids.length, 'row')} in all`];
    const came = (await page(2, size)).ids;
    const isFull = ids.length === MAX_PAGE_SIZE || (await page(2, MAX_PAGE_SIZE)).ids.length > 0;
    const most = `as asked, ${isFull ? `up to ${ids.length}` : `of ${ids.length} in all`}`;
    if (isSameIds(came, ids.slice(size, 2 * size))) return [true, most, size];
    if (isSameIds(came, ids.slice(0, came.length))) return [false, 'page 2 is page 1 again', came.length];
    if (came.length === size) return [false, 'as asked, but the order differs with it', size];
    return [false, `other: ${came.length} for ${size}, ${ids.length} for ${MAX_PAGE_SIZE}`, came.length];
  });

  await add('rangeWidth', { from: addDays(day, 1 - WIDEST_DAYS), to: day }, async () => {
    const faults = new Map<number, string>();
    const readEnds = async (_rut: string, range: DayRange) => {
      try {
        const list = await answers.readEnds(range);
        if (list.rowCount === 0) faults.set(widthDays(range), 'no rows');
        else if (list.on(range.to).count === 0) faults.set(widthDays(range), 'the last days show no rows');
        else if (list.on(range.from).count === 0) faults.set(widthDays(range), 'the first days show no rows');
        return list;
      } catch (error) {
        if (!isRefused(error)) throw error;
        faults.set(widthDays(range), wordsOf(error));
        return undefined;
      }
    };
    const pairInLake = async () => undefined;
    await prove(service, { companies: [rut], neededDays: WIDEST_DAYS, lastDay: day, pairInLake, readEnds });
    const proved = service.provedWidthDays;
    const [width, fault] = [...faults].findLast(([days]) => days > proved + 1) ?? [];
    if (width === undefined && proved === 1) return [false, 'unknown: no days with rows are known'];
    const limitText = width === undefined ? ' at least' : `; ${plural(width, 'day')}: ${fault}`;
    return [width === undefined, `whole up to ${plural(proved, 'day')}${limitText}`];
  });
  const wide = { from: addDays(day, 1 - service.provedWidthDays), to: day };
  await add('depth', wide, async () => {
    if (await answers.hasRow(FAR_ROW, wide)) return [false, 'unknown: a page past the end has rows'];
    for (const depth of WINDOWS) {
      const row = `row ${depth.toLocaleString('en')}`;
      if (await answers.hasRow(depth, wide)) return [true, `yes, behind ${row} too`];
      if (await answers.hasRow(depth - 1, wide)) return [false, `presumably not: the list ends with ${row}`];
    }
    return [false, 'unknown: too few rows'];
  });
  const alone = { from: day, to: day };
  let known: ReadonlySet<bigint> = new Set();
  await add('day', alone, async () => {
    const whole = (await answers.verdicts(alone)).get(day);
    if (whole?.kind !== 'read' && whole?.kind !== 'failed')
      return [false, 'unknown: that takes more requests'];
    if (whole.kind === 'failed') throw whole.error;
    known = new Set(whole.attempts.flatMap((rows) => [...rows.idsOn(day)]));
    const isUnclear = whole.attempts.some(({ unknownMembers }) => unknownMembers.size > 0);
    const isUsual = whole.isStable && !whole.isPartial && !isUnclear;
    const doubt = whole.isPartial || isUnclear ? 'perhaps not all' : 'not the same each time';
    const count = plural(known.size, 'row');
    return [isUsual, isUsual ? `yes: ${count}` : `no: ${count}, ${doubt}`, known.size];
  });
  await add('upperBound', alone, async () => {
    const list = await answers.readEnds(alone);
    if (service.isEndDateInclusive || list.on(day).hasEveningRow) return [true, 'yes', list.rowCount];
    const isCut = list.rowCount < Math.min(known.size, ids.length);
    const partWords = isCut ? 'no: its first rows alone come' : 'yes, as far as its rows tell';
    return [false, list.rowCount === 0 ? 'no' : partWords, list.rowCount];
  });
  return { ...facts, day };
}

/** The first page of the list over all days or, where that is refused or empty, of the newest one with rows. */
async function findRows(answers: CompanyAnswers, allDays: AskedDays, days: readonly Day[]) {
  let failure: unknown;
  let isAnswered = false;
  for (const asked of [allDays, ...days.map((day) => ({ from: day, to: day, includesNextDay: true }))]) {
    try {
      const first = await answers.readPage(asked, FIRST_PAGE);
      isAnswered = true;
      const list = new ReceiptsByDay(answers.context, asked);
      list.add(first, 0);
      const askedDays = list.daysWithRows.filter((dayWithRows) => dayWithRows <= asked.to);
      const [day] = askedDays.sort((a, b) => list.on(b).count - list.on(a).count);
      if (day !== undefined) return { asked, first, day };
    } catch (error) {
      if (!isRefused(error)) throw error;
      failure = error;
    }
  }
  if (!isAnswered) throw failure;
  return undefined;
}

/** Whether a list was refused, perhaps for its days. */
function isRefused(error: unknown): boolean {
  return error instanceof HttpStatusError || (error instanceof NoAnswerError && !error.isSameForAnyDay);
}
