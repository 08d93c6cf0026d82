import { forEachConcurrent } from '../system/concurrency.ts';
import { WrongInputError } from '../system/errors.ts';
import { addDays, type Day } from '../time/days.ts';
import { dayKey, tableObject } from './layout.ts';
import { valueText } from './parquet/column-values.ts';
import { readRowGroups } from './parquet/reader.ts';
import { type ParquetWriter, rowsOf } from './parquet/writer.ts';
import { type LakeStore, readObject, retriedOnRace } from './store/store.ts';
import { COTIZACIONES } from './tables.ts';

/** An exchange rate of the table `cotizaciones`. */
export interface StoredRate {
  day: Day;
  currency: string;
  /** Pesos for one unit, in millionths. */
  value: bigint;
  source: string;
}

export interface AddedRates {
  added: number;
  unchanged: number;
  /** Those that the lake had with another value, in words. */
  changed: readonly string[];
}

/** A rate differs by more than this from that of the day before it in the table. */
export class RateJumpError extends WrongInputError {
  override name = 'RateJumpError';
  constructor(jumps: readonly string[]) {
    const rest = jumps.length > MOST_TOLD ? `; and ${jumps.length - MOST_TOLD} more` : '';
    super(
      `Nothing was written, because rates jump by over 20 %: ${jumps.slice(0, MOST_TOLD).join('; ')}${rest}.`,
      {
        advice: 'Correct the file, or, if the rates are right, say so by --allow-jumps.',
      },
    );
  }
}

const MOST_TOLD = 5;
/** More than 12 to 10. */
const MOST = [10n, 12n] as const;
/** How far from new rates the days next to them are looked for. */
const NEIGHBOUR_DAYS = 40;
const DAYS_AT_ONCE = 16;

/**
 * Adds rates to the lake, each day's object in one step; the same again changes nothing. Throws WrongInputError for two
 * rates of one day and currency, and RateJumpError; nothing is written then.
 */
export async function addRates(
  store: LakeStore,
  writer: ParquetWriter,
  rates: readonly StoredRate[],
  areJumpsAllowed: boolean,
): Promise<AddedRates> {
  const given = byDay(rates);
  const days = [...given.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { added: 0, unchanged: 0, changed: [] };
  const known = new Map<Day, ReadonlyMap<string, StoredRate>>();
  const near: Day[] = [];
  for await (const key of store.list(COTIZACIONES.name)) {
    const day = tableObject(key)?.day;
    if (day !== undefined && day >= addDays(first, -NEIGHBOUR_DAYS) && day <= addDays(last, NEIGHBOUR_DAYS))
      near.push(day);
  }
  await forEachConcurrent(near, DAYS_AT_ONCE, async (day) => {
    known.set(day, await storedRates(store, day));
  });
  if (!areJumpsAllowed) assertSmooth(known, given);
  let added = 0;
  const changed: string[] = [];
  for (const [day, ofDay] of given) {
    for (const { currency, value } of ofDay.values()) {
      const before = known.get(day)?.get(currency)?.value;
      if (before === undefined) added += 1;
      else if (before !== value) changed.push(`${day} ${currency} ${rateText(before)} → ${rateText(value)}`);
    }
  }
  await forEachConcurrent(days, DAYS_AT_ONCE, (day) =>
    retriedOnRace(() => writeDay(store, writer, day, given.get(day) ?? new Map())),
  );
  return { added, changed: changed.sort(), unchanged: rates.length - added - changed.length };
}

/** Throws WrongInputError for two values of one day and currency. */
function byDay(rates: readonly StoredRate[]): Map<Day, Map<string, StoredRate>> {
  const days = new Map<Day, Map<string, StoredRate>>();
  for (const rate of rates) {
    const { day, currency, value } = rate;
    const ofDay = days.get(day) ?? new Map<string, StoredRate>();
    const other = ofDay.get(currency)?.value ?? value;
    if (other !== value) {
      const values = [other, value].map(rateText).join(' and ');
      throw new WrongInputError(`Nothing was written: ${currency} has two rates on ${day}, ${values}.`, {
        advice: 'Leave in the file the one that counts.',
      });
    }
    days.set(day, ofDay.set(currency, rate));
  }
  return days;
}

type RatesByDay = ReadonlyMap<Day, ReadonlyMap<string, StoredRate>>;

/** Throws RateJumpError. What the lake has already is not judged again. */
function assertSmooth(known: RatesByDay, given: RatesByDay): void {
  const jumps: string[] = [];
  const before = new Map<string, StoredRate & { isNew: boolean }>();
  for (const day of [...new Set([...known.keys(), ...given.keys()])].sort()) {
    for (const [currency, rate] of new Map([...(known.get(day) ?? []), ...(given.get(day) ?? [])])) {
      const isNew = known.get(day)?.get(currency)?.value !== rate.value;
      const last = before.get(currency);
      before.set(currency, { ...rate, isNew });
      if (last === undefined || !(isNew || last.isNew)) continue;
      const [less = 0n, more = 0n] = [last.value, rate.value].sort((a, b) => (a < b ? -1 : 1));
      if (more * MOST[0] <= less * MOST[1]) continue;
      jumps.push(`${currency} ${rateText(last.value)} on ${last.day}, ${rateText(rate.value)} on ${day}`);
    }
  }
  if (jumps.length > 0) throw new RateJumpError(jumps);
}

async function storedRates(store: LakeStore, day: Day): Promise<Map<string, StoredRate>> {
  return await readObject(store, dayKey(COTIZACIONES.name, day), async (file) => {
    const rates = new Map<string, StoredRate>();
    for await (const { rowCount, columns } of readRowGroups(file, COTIZACIONES.columns)) {
      const [currencies = [], values = [], sources = []] = columns;
      for (let row = 0; row < rowCount; row += 1) {
        const [currency, source] = [String(currencies[row]), String(sources[row])];
        rates.set(currency, { day, currency, value: BigInt(values[row] ?? 0), source });
      }
    }
    return rates;
  });
}

async function writeDay(
  store: LakeStore,
  writer: ParquetWriter,
  day: Day,
  given: ReadonlyMap<string, StoredRate>,
): Promise<void> {
  const key = dayKey(COTIZACIONES.name, day);
  const expected = await store.find(key);
  const stored: ReadonlyMap<string, StoredRate> =
    expected === undefined ? new Map() : await storedRates(store, day);
  const news = [...given.values()].filter(({ currency, value }) => stored.get(currency)?.value !== value);
  if (news.length === 0) return;
  const all = new Map([...stored, ...news.map((rate) => [rate.currency, rate] as const)]);
  const rows = [...all.values()]
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
    .map(({ currency, value, source }) => ({ moneda: currency, valor: value, fuente: source }));
  const { columns } = COTIZACIONES;
  const bytes = writer({ columns, rows: rowsOf(columns, rows), metadata: {} });
  await store.replace(key, bytes, { metadata: {}, expected });
}

function rateText(millionths: bigint): string {
  return (valueText('decimal(17,6)', millionths) ?? '').replace(/0{1,4}$/, '');
}
