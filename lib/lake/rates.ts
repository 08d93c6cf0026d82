import { forEachConcurrent } from '../system/concurrency.ts';
import { WrongInputError } from '../system/errors.ts';
import { joined, type Localized } from '../text/language.ts';
import { addDays, type Day } from '../time/days.ts';
import { bandOf } from './currencies.ts';
import { dayKey, tableObject } from './layout.ts';
import { valueText } from './parquet/column-values.ts';
import { mostDecodedBytes, smallFile } from './parquet/decoded-size.ts';
import { DamagedObjectError, readRowGroups } from './parquet/reader.ts';
import { type ParquetWriter, rowsOf } from './parquet/writer.ts';
import { RATE_FAULTS } from './phrases.ts';
import { type LakeStore, type ObjectBytes, readObject, retriedOnRace } from './store/store.ts';
import { COTIZACIONES } from './tables.ts';

/** A row of the table `cotizaciones`. */
export interface StoredRate {
  day: Day;
  currency: string;
  /** Pesos for one unit, in millionths. */
  value: bigint;
  source: string;
}

/** One that is to be stored, and where it stands: `row 3, "Valor"`. */
export interface GivenRate extends StoredRate {
  place: string;
}

type OfDay<Rate extends StoredRate = StoredRate> = ReadonlyMap<string, Rate>;

/** Days farther apart are no neighbours. */
const NEIGHBOUR_DAYS = 40;
const DAYS_AT_ONCE = 16;
const MOST_TOLD = 5;

/**
 * Adds rates to the lake, each day's object in one step; the same again changes nothing. Returns how many are new,
 * which had another value, in words, and how many were as they are; one that is given several times is one. Throws
 * WrongInputError, with nothing written, for two rates of one day and currency and, unless they are allowed, for jumps
 * of over 20 %, and for rates far from what they ever were where no neighbour tells.
 */
export async function addRates(
  store: LakeStore,
  writer: ParquetWriter,
  rates: readonly GivenRate[],
  areJumpsAllowed: boolean,
): Promise<{ added: number; changed: string[]; unchanged: number }> {
  const given = new Map(
    [...Map.groupBy(rates, ({ day }) => day)].map(
      ([day, ratesOfDay]) => [day, byCurrency(ratesOfDay)] as const,
    ),
  );
  const days = [...given.keys()].sort();
  const [first = '0001-01-01', last = first] = [days[0], days.at(-1)];
  const known = new Map<Day, OfDay>();
  for await (const key of store.list(COTIZACIONES.name)) {
    const day = tableObject(key)?.day ?? '0001-01-01';
    if (day >= addDays(first, -NEIGHBOUR_DAYS) && day <= addDays(last, NEIGHBOUR_DAYS))
      known.set(day, new Map());
  }
  const currencies = new Set(rates.map(({ currency }) => currency));
  await forEachConcurrent([...known.keys()], DAYS_AT_ONCE, async (day) => {
    // Others are not compared, and may take much memory.
    known.set(
      day,
      new Map([...(await storedRates(store, day))].filter(([currency]) => currencies.has(currency))),
    );
  });
  if (!areJumpsAllowed) assertPlausible(known, given);
  const before = ({ day, currency }: StoredRate) => known.get(day)?.get(currency)?.value;
  const unique = [...given.values()].flatMap((ratesOfDay) => [...ratesOfDay.values()]);
  await forEachConcurrent(days, DAYS_AT_ONCE, (day) =>
    retriedOnRace(() => writeDay(store, writer, day, given.get(day) ?? new Map())),
  );
  const added = unique.filter((rate) => before(rate) === undefined).length;
  const changed = unique.flatMap((rate) => {
    const old = before(rate) ?? rate.value;
    return old === rate.value
      ? []
      : [`${rate.day} ${rate.currency} ${rateText(old)} → ${rateText(rate.value)}`];
  });
  return { added, changed, unchanged: unique.length - added - changed.length };
}

/** Throws WrongInputError. */
function byCurrency(rates: readonly GivenRate[]): OfDay<GivenRate> {
  const ratesOfDay = new Map<string, GivenRate>();
  for (const rate of rates) {
    const earlierValue = ratesOfDay.get(rate.currency)?.value ?? rate.value;
    if (earlierValue !== rate.value) {
      const [first, second] = [earlierValue, rate.value].map(rateText);
      throw new WrongInputError(RATE_FAULTS.twoRates(rate.currency, rate.day, first ?? '', second ?? ''));
    }
    ratesOfDay.set(rate.currency, rate);
  }
  return ratesOfDay;
}

/**
 * Throws WrongInputError for a new rate over 20 % from its neighbour, and for one out of its band where all its neighbours
 * are new. What the lake has is not judged again.
 */
function assertPlausible(known: ReadonlyMap<Day, OfDay>, given: ReadonlyMap<Day, OfDay<GivenRate>>): void {
  const faults: Localized[] = [];
  const days = [...new Set([...known.keys(), ...given.keys()])].sort();
  const currencies = new Set([...given.values()].flatMap((ratesOfDay) => [...ratesOfDay.keys()]));
  for (const currency of currencies) {
    const series = days.flatMap((day) => {
      const [old, rate] = [known.get(day)?.get(currency), given.get(day)?.get(currency)];
      if (rate !== undefined && rate.value !== old?.value) return { ...rate, isNew: true };
      return old === undefined ? [] : { ...old, place: '', isNew: false };
    });
    for (const group of neighbours(series)) {
      for (const [index, rate] of group.entries()) {
        const last = group[index - 1] ?? rate;
        const [less, more] = last.value < rate.value ? [last.value, rate.value] : [rate.value, last.value];
        if ((rate.isNew || last.isNew) && more * 10n > less * 12n)
          faults.push(
            RATE_FAULTS.jump(currency, rateText(last.value), last.day, rateText(rate.value), rate.day),
          );
      }
      if (group.some(({ isNew }) => !isNew)) continue;
      for (const { day, value, place } of group) {
        // Rates are given of the table's currencies alone.
        const { low, high } = bandOf(currency, day) ?? { low: 0n, high: 0n };
        if (value >= low && value <= high) continue;
        const [shown = '', least = '', most = ''] = [value, low, high].map(rateText);
        faults.push(RATE_FAULTS.outOfBand(place, currency, shown, day, least, most));
      }
    }
  }
  if (faults.length === 0) return;
  const faultTexts = joined(
    [...faults.slice(0, MOST_TOLD), ...(faults.length > MOST_TOLD ? ['…'] : [])],
    '; ',
  );
  throw new WrongInputError((language) => RATE_FAULTS.notTaken(faultTexts(language))(language), {
    advice: RATE_FAULTS.allowJumps(),
  });
}

/** Rates in the order of their days, parted where two are too far apart. */
function neighbours<Rate extends StoredRate>(series: readonly Rate[]): Rate[][] {
  const groups: Rate[][] = [];
  for (const rate of series) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group === undefined || last === undefined || rate.day > addDays(last.day, NEIGHBOUR_DAYS))
      groups.push([rate]);
    else group.push(rate);
  }
  return groups;
}

/** Some 180 currencies, each with where its rate is from, take a tenth. A question has those of a year in memory. */
const MOST_BYTES_OF_DAY = 2 ** 20;

/**
 * The rates in a day's object, by currency. Throws DamagedObjectError, and before anything is decoded for one that would take more than
 * a day's rates ever do: a few bytes may claim millions of rows, or gigabytes of text.
 */
export async function readRates(object: ObjectBytes, day: Day): Promise<OfDay> {
  const { name } = object;
  const file = await smallFile(object);
  const byteCount = await mostDecodedBytes(file);
  if (byteCount > MOST_BYTES_OF_DAY)
    throw new DamagedObjectError(name, `a day's rates would take ${Math.ceil(byteCount / 2 ** 20)} MB`);
  const rates = new Map<string, StoredRate>();
  try {
    for await (const { columns } of readRowGroups(file, COTIZACIONES.columns)) {
      const [currencies = [], values = [], sources = []] = columns;
      for (const [row, currency] of currencies.entries()) {
        const [value, source] = [values[row], sources[row]];
        const isRate = typeof value === 'bigint' && value > 0n;
        if (typeof currency !== 'string' || !isRate || typeof source !== 'string')
          throw new DamagedObjectError(name, 'one of its rows is no rate');
        // Each receipt in it would be joined with both.
        if (rates.has(currency)) throw new DamagedObjectError(name, 'it has two rates of one currency');
        rates.set(currency, { day, currency, value, source });
      }
    }
  } catch (error) {
    if (error instanceof DamagedObjectError) throw error;
    throw new DamagedObjectError(name, 'its pages cannot be decoded', { cause: error });
  }
  return rates;
}

function storedRates(store: LakeStore, day: Day): Promise<OfDay> {
  return readObject(store, dayKey(COTIZACIONES.name, day), (file) => readRates(file, day));
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

/** A rate in pesos, with at least two decimals. */
export function rateText(millionths: bigint): string {
  return (valueText('decimal(17,6)', millionths) ?? '').replace(/0{1,4}$/, '');
}
