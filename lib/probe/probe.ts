import { isSameIds, type ListPage, MAX_PAGE_SIZE, notePageLength, windowOf } from '../api/list/page.ts';
import { newTally } from '../api/list/page-request.ts';
import { readDetail } from '../api/unpaged.ts';
import { listedByLegacy } from '../export/legacy-unit.ts';
import { CompanyLists } from '../export/reading/company-lists.ts';
import { type AskedDays, newFacts } from '../export/reading/facts.ts';
import { idsOf, List } from '../export/reading/list.ts';
import { type DayResult, kindOfFault, readRange } from '../export/reading/rule.ts';
import { proveWidth } from '../export/reading/witness.ts';
import { DETAIL_TABLE_OF, TABLE_OF, type Table } from '../lake/tables.ts';
import { ExactNumber, isJsonObject, type JsonObject } from '../text/exact-json.ts';
import { plural } from '../text/terminal.ts';
import { addDays, type Day } from '../time/days.ts';
import { DIRECTIONS, type Direction, type Unit } from '../units/unit.ts';
import { factsAbout, type Watched, type WatchOptions, watchedClient } from './facts.ts';
import { probedWitnesses } from './witnesses.ts';

/** For each of the two lists. */
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
  const [newest, ...others] = days;
  if (newest === undefined) throw new TypeError('no day to probe');
  const lists: ({ direction: Direction } & Watched['watch'] & Awaited<ReturnType<typeof listFacts>>)[] = [];
  for (const direction of DIRECTIONS) {
    const watched = watchedClient({ ...options, maxRequests });
    const told = await listFacts({ rut: options.rut, direction }, [newest, ...others], watched);
    lists.push({ direction, ...watched.watch, ...told });
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
    /** Until an answer began. */
    latencyMs: { min: msAt(0), median: msAt(answers.length >> 1), max: msAt(-1) },
    findings,
    /** The fields of the receipts, and how often each had which JSON type. */
    shapes: lists.map(({ direction, shapes: { list, detail } }) => ({
      direction,
      list: Object.fromEntries(list),
      detail: Object.fromEntries(detail),
    })),
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
  const { client, signal } = watched;
  const tools = { ...watched, disproved: new Set<Direction>(), facts: newFacts() };
  const service = tools.facts[direction];
  const lists = new CompanyLists({ tools, context: { rut, direction }, tally: newTally() });
  const { bound } = lists;
  const { add, ...told } = factsAbout(direction, watched.watch);
  const shapes: Record<'list' | 'detail', Shape> = { list: new Map(), detail: new Map() };
  const all = { from: days.at(-1) ?? days[0], to: days[0], isPast: true };

  let found: Awaited<ReturnType<typeof findRows>>;
  await add('list', all, async () => {
    found = await findRows(lists, all, days);
    const count = found?.first.items.length ?? 0;
    return [count > 0, count > 0 ? `${plural(count, 'row')} on the first page` : 'unknown: none', count];
  });
  if (found === undefined) return { ...told, shapes, day: undefined };
  const { asked, first, day } = found;
  const { items, ids } = first;
  notePageLength(service, items.length);
  const page = (number: number, size: number) => lists.readPage(asked, windowOf(number, size));

  await add('repeat', asked, async () => {
    const again = (await page(1, MAX_PAGE_SIZE)).ids;
    const isSame = new Set(ids).symmetricDifference(new Set(again)).size === 0;
    const same = isSameIds(ids, again) ? 'yes' : 'yes, in another order';
    return [isSame, isSame ? same : 'no: other rows', again.length];
  });
  let second: ListPage['items'] = [];
  await add('order', asked, async () => {
    second = (await page(2, MAX_PAGE_SIZE)).items;
    return [true, orderOf([...items, ...second]), second.length];
  });
  await add('pageSize', asked, async () => {
    const size = Math.min(50, Math.floor(ids.length / 3));
    if (size === 0) return [true, `unknown: ${plural(ids.length, 'row')} in all`];
    const came = (await page(2, size)).ids;
    const isFull = ids.length === MAX_PAGE_SIZE || second.length > 0;
    const most = `as asked, ${isFull ? `up to ${ids.length}` : `of ${ids.length} in all`}`;
    if (isSameIds(came, ids.slice(size, 2 * size))) return [true, most, size];
    if (isSameIds(came, ids.slice(0, came.length))) return [false, 'page 2 is page 1 again', came.length];
    if (came.length === size) return [false, 'as asked, but the order differs with it', size];
    return [false, `other: ${came.length} for ${size}, ${ids.length} for ${MAX_PAGE_SIZE}`, came.length];
  });

  await add('rangeWidth', { from: addDays(day, 1 - WIDEST_DAYS), to: day }, async () => {
    const witnesses = probedWitnesses(rut, lists, day, first);
    await proveWidth(service, WIDEST_DAYS, witnesses);
    const proved = service.provedWidthDays;
    const [width, fault] = [...witnesses.faults].findLast(([days]) => days > proved + 1) ?? [];
    signal.throwIfAborted();
    if (width === undefined && proved === 1) return [false, 'unknown: no days with rows are known'];
    const over = width === undefined ? ' at least' : `; ${plural(width, 'day')}: ${fault}`;
    return [width === undefined, `whole up to ${plural(proved, 'day')}${over}`];
  });
  const wide = { from: addDays(day, 1 - service.provedWidthDays), to: day };
  await add('depth', wide, async () => {
    if (await lists.hasRowPast(FAR_ROW, wide)) return [false, 'unknown: a page past the end has rows'];
    for (const depth of WINDOWS) {
      const row = `row ${depth.toLocaleString('en')}`;
      if (await lists.hasRowPast(depth, wide)) return [true, `yes, behind ${row} too`];
      if (await lists.hasRowPast(depth - 1, wide))
        return [false, `presumably not: the list ends with ${row}`];
    }
    return [false, 'unknown: too few rows'];
  });

  await add('fields', asked, async () => {
    addShape(shapes.list, [...items, ...second].filter(isJsonObject));
    addShape(shapes.detail, [await readDetail(client, direction, BigInt(ids[0] ?? 0), newTally(), signal)]);
    const list = comparedWith(TABLE_OF[direction], shapes.list);
    const detail = comparedWith(DETAIL_TABLE_OF[direction], shapes.detail);
    const unknown = [...list.unknown, ...detail.unknown.map((name) => `${name} (in a detail)`)];
    unknown.push(...(first.envelope?.unknown ?? []).map((name) => `${name} (of a page)`));
    // One detail has few of the fields that details may have.
    const never = list.missing.length === 0 ? '' : `; never in the list: ${list.missing.join(', ')}`;
    const came = unknown.length === 0 ? 'those of the contract' : `also ${unknown.join(', ')}`;
    return [unknown.length === 0, came + never, 1];
  });
  const alone = { from: day, to: day };
  let whole: DayResult<List> | undefined;
  let known: ReadonlySet<bigint> = new Set();
  await add('day', alone, async () => {
    whole = (await readRange(alone, lists)).days.get(day);
    if (whole === undefined) return [false, 'unknown: that takes more requests'];
    if (whole.kind === 'failed') throw whole.error;
    known = new Set(whole.lists.flatMap((list) => [...list.on(day).ids]));
    const isUnclear = whole.lists.some(({ unknownMembers }) => unknownMembers.size > 0);
    const isUsual = whole.isStable && !whole.mayLackRows && !isUnclear;
    const doubt = whole.mayLackRows || isUnclear ? 'perhaps not all' : 'not the same each time';
    const count = plural(known.size, 'row');
    return [isUsual, isUsual ? `yes: ${count}` : `no: ${count}, ${doubt}`, known.size];
  });
  await add('upperBound', alone, async () => {
    const list = new List(lists.context, { ...alone, isPast: false });
    list.add(await lists.readPage(list.asked), 0);
    // Longer days are not compared: their first page alone says nothing about their end.
    if (whole?.kind === 'read' && known.size <= ids.length) {
      for (const other of whole.lists) bound.noteKnown(day, other.on(day));
      bound.noteEnd(day, list.on(day));
    }
    if (bound.isBoundWhole) return [true, 'yes', list.rowCount];
    const isCut = list.rowCount < Math.min(known.size, ids.length);
    const some = isCut ? 'no: its first rows alone come' : 'yes, as far as its rows tell';
    return [false, list.rowCount === 0 ? 'no' : some, list.rowCount];
  });
  await add('legacy', alone, async () => {
    if (whole?.kind !== 'read') return [false, 'unknown: the day was not read'];
    const legacy = new Set(idsOf((await listedByLegacy({ rut, direction, day }, client, signal)).rows));
    const [less, more] = [known.difference(legacy).size, legacy.difference(known).size];
    const isSame = less + more === 0;
    return [isSame, isSame ? 'yes' : `no: it lacks ${less}, and has ${more} more`, legacy.size];
  });
  return { ...told, shapes, day };
}

/** The first page of the list over all days or, where that is refused or empty, of the newest one with rows. */
async function findRows(lists: CompanyLists, all: AskedDays, days: readonly Day[]) {
  let failure: unknown;
  let isAnswered = false;
  for (const asked of [all, ...days.map((day) => ({ from: day, to: day, isPast: true }))]) {
    try {
      const first = await lists.readPage(asked);
      isAnswered = true;
      const list = new List(lists.context, asked);
      list.add(first, 0);
      const [day] = [...list.days.keys()].sort((a, b) => list.countOn(b) - list.countOn(a));
      if (day !== undefined) return { asked, first, day };
    } catch (error) {
      if (kindOfFault(error) !== 'refused') throw error;
      failure = error;
    }
  }
  if (!isAnswered) throw failure;
  return undefined;
}

function orderOf(rows: readonly unknown[]): string {
  const receipts = rows.filter(isJsonObject);
  const ids = receipts.map(({ id }) => String(id).padStart(19, '0'));
  const keys = { id: ids, signature: receipts.map(({ fecha_firma }) => String(fecha_firma)) };
  const found = Object.entries(keys).flatMap(([name, values]) => {
    const sorted = values.toSorted();
    if (sorted.every((value, index) => value === values[index])) return `by ${name}, ascending`;
    return sorted.every((value, index) => value === values.at(-1 - index)) ? `by ${name}, descending` : [];
  });
  if (receipts.length < 3) return 'unknown: too few rows';
  return found.join(', or ') || 'neither by id nor by signature';
}

/** By field (`emisor.ruc`, `items[].nombre`), how often it had which JSON type; `absent`: it was not there. */
export type Shape = Map<string, Record<string, number>>;

/** More than any receipt has. */
const MAX_FIELDS = 500;

/** Adds the fields of these objects, with their types: no value. */
export function addShape(shape: Shape, objects: readonly JsonObject[], prefix = ''): void {
  for (const name of new Set(objects.flatMap((object) => Object.keys(object)))) {
    if (shape.size >= MAX_FIELDS) return;
    // A name may hold anything. It is shown only if it looks like a field's.
    const path = prefix + (/^[a-z_](?!.*\d{4})\w{0,39}$/.test(name) ? name : '…');
    const counts = shape.get(path) ?? {};
    shape.set(path, counts);
    const values = objects.map((object) => (Object.hasOwn(object, name) ? object[name] : undefined));
    for (const type of values.map(typeOf)) counts[type] = (counts[type] ?? 0) + 1;
    addShape(shape, values.filter(isJsonObject), `${path}.`);
    addShape(shape, values.filter(Array.isArray).flat().filter(isJsonObject), `${path}[].`);
  }
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The fields for which the table has no column, and those of its columns that never came. */
export function comparedWith({ columns }: Table, shape: Shape): { unknown: string[]; missing: string[] } {
  const paths = columns.flatMap(({ path }) => path ?? []);
  const isIn = (name: string, other: string) => new RegExp(`^${other}([.[]|$)`).test(name);
  const isKnown = (name: string) => paths.some((path) => isIn(name, path) || isIn(path, name));
  const unknown = [...shape.keys()].filter((name) => name.startsWith('…') || !isKnown(name));
  return { unknown, missing: paths.filter((path) => !shape.has(path)) };
}
