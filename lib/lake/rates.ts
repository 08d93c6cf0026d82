import { forEachConcurrent } from '../system/concurrency.ts';
import { WrongInputError } from '../system/errors.ts';
import { addDays, type Day } from '../time/days.ts';
import { dayKey, tableObject } from './layout.ts';
import { valueText } from './parquet/column-values.ts';
import { readRowGroups } from './parquet/reader.ts';
import { type ParquetWriter, rowsOf } from './parquet/writer.ts';
import { type LakeStore, readObject, retriedOnRace } from './store/store.ts';
import { COTIZACIONES } from './tables.ts';

/** A row of the table `cotizaciones`. */
export interface StoredRate {
  day: Day;
  currency: string;
  /** Pesos for one unit, in millionths. */
  value: bigint;
  source: string;
}

type OfDay = ReadonlyMap<string, StoredRate>;

/** How far from new rates the days next to them are looked for. */
const NEIGHBOUR_DAYS = 40;
const DAYS_AT_ONCE = 16;
const MOST_TOLD = 5;

/**
 * Adds rates to the lake, each day's object in one step; the same again changes nothing. Returns how many are new, and
 * which had another value, in words. Throws WrongInputError, with nothing written, for two rates of one day and currency
 * and, unless they are allowed, for jumps of over 20 %.
 */
export async function addRates(
  store: LakeStore,
  writer: ParquetWriter,
  rates: readonly StoredRate[],
  areJumpsAllowed: boolean,
): Promise<{ added: number; changed: string[] }> {
  const given = new Map(
    [...Map.groupBy(rates, ({ day }) => day)].map(([day, some]) => [day, byCurrency(some)] as const),
  );
  const days = [...given.keys()].sort();
  const [first = '0001-01-01', last = first] = [days[0], days.at(-1)];
  const known = new Map<Day, OfDay>();
  for await (const key of store.list(COTIZACIONES.name)) {
    const day = tableObject(key)?.day ?? '0001-01-01';
    if (day >= addDays(first, -NEIGHBOUR_DAYS) && day <= addDays(last, NEIGHBOUR_DAYS))
      known.set(day, new Map());
  }
  await forEachConcurrent([...known.keys()], DAYS_AT_ONCE, async (day) => {
    known.set(day, await storedRates(store, day));
  });
  if (!areJumpsAllowed) assertSmooth(known, given);
  const before = ({ day, currency }: StoredRate) => known.get(day)?.get(currency)?.value;
  const unique = [...given.values()].flatMap((ofDay) => [...ofDay.values()]);
  await forEachConcurrent(days, DAYS_AT_ONCE, (day) =>
    retriedOnRace(() => writeDay(store, writer, day, given.get(day) ?? new Map())),
  );
  return {
    added: unique.filter((rate) => before(rate) === undefined).length,
    changed: unique.flatMap((rate) => {
      const old = before(rate) ?? rate.value;
      return old === rate.value
        ? []
        : [`${rate.day} ${rate.currency} ${textOf(old)} → ${textOf(rate.value)}`];
    }),
  };
}

/** Throws WrongInputError. */
function byCurrency(rates: readonly StoredRate[]): OfDay {
  const ofDay = new Map<string, StoredRate>();
  for (const rate of rates) {
    const other = ofDay.get(rate.currency)?.value ?? rate.value;
    if (other !== rate.value) {
      throw new WrongInputError(
        `Nothing was written: ${rate.currency} has two rates on ${rate.day}, ${textOf(other)} and ${textOf(rate.value)}. Leave in the file the one that counts.`,
      );
    }
    ofDay.set(rate.currency, rate);
  }
  return ofDay;
}

/** Throws WrongInputError for a new rate over 20 % from its neighbour. What the lake has is not judged again. */
function assertSmooth(known: ReadonlyMap<Day, OfDay>, given: ReadonlyMap<Day, OfDay>): void {
  const jumps: string[] = [];
  const before = new Map<string, StoredRate & { isNew: boolean }>();
  for (const day of [...new Set([...known.keys(), ...given.keys()])].sort()) {
    for (const [currency, rate] of new Map([...(known.get(day) ?? []), ...(given.get(day) ?? [])])) {
      const isNew = known.get(day)?.get(currency)?.value !== rate.value;
      const last = before.get(currency) ?? { ...rate, isNew };
      before.set(currency, { ...rate, isNew });
      const [less, more] = last.value < rate.value ? [last.value, rate.value] : [rate.value, last.value];
      if ((isNew || last.isNew) && more * 10n > less * 12n)
        jumps.push(`${currency} ${textOf(last.value)} on ${last.day}, ${textOf(rate.value)} on ${day}`);
    }
  }
  if (jumps.length === 0) return;
  const told = jumps.slice(0, MOST_TOLD).join('; ') + (jumps.length > MOST_TOLD ? '; …' : '');
  throw new WrongInputError(`Nothing was written, because rates jump by over 20 %: ${told}.`, {
    advice: 'Correct the file, or, if the rates are right, say so by --allow-jumps.',
  });
}

async function storedRates(store: LakeStore, day: Day): Promise<OfDay> {
  return await readObject(store, dayKey(COTIZACIONES.name, day), async (file) => {
    const rates = new Map<string, StoredRate>();
    for await (const { columns } of readRowGroups(file, COTIZACIONES.columns)) {
      const [currencies = [], values = [], sources = []] = columns.map((column) => column.map(String));
      for (const [row, currency] of currencies.entries())
        rates.set(currency, { day, currency, value: BigInt(values[row] ?? 0), source: sources[row] ?? '' });
    }
    return rates;
  });
}

async function writeDay(store: LakeStore, writer: ParquetWriter, day: Day, given: OfDay): Promise<void> {
  const key = dayKey(COTIZACIONES.name, day);
  const expected = await store.find(key);
  const stored: OfDay = expected === undefined ? new Map() : await storedRates(store, day);
  const news = [...given].filter(([currency, { value }]) => stored.get(currency)?.value !== value);
  if (news.length === 0) return;
  const rows = [...new Map([...stored, ...news]).values()]
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
    .map(({ currency, value, source }) => ({ moneda: currency, valor: value, fuente: source }));
  const { columns } = COTIZACIONES;
  const bytes = writer({ columns, rows: rowsOf(columns, rows), metadata: {} });
  await store.replace(key, bytes, { metadata: {}, expected });
}

function textOf(millionths: bigint): string {
  return (valueText('decimal(17,6)', millionths) ?? '').replace(/0{1,4}$/, '');
}
