import { basename } from 'node:path';
import { writeWithParquetjsLite } from '../../lake/parquet/parquetjs-lite.ts';
import { addRates, type GivenRate, rateText } from '../../lake/rates.ts';
import { WrongInputError } from '../../system/errors.ts';
import { parseApiAddress } from '../../text/api-address.ts';
import { type Language, type Localized, textIn } from '../../text/language.ts';
import { printableLine } from '../../text/terminal.ts';
import { shortened } from '../../text/text-table.ts';
import { addDays, type Day, FIRST_DAY, monthOf, uruguayDay } from '../../time/days.ts';
import type { UnreadCell } from '../../verify/official/rates.ts';
import { defineCommand, flag, JSON_OPTION, oneValue, type Parsed, type Terminal } from '../command.ts';
import { LAKE_OPTION, openFoundLake, WAIT_OPTION, withLakeToWrite } from '../options/lake.ts';
import { monthDays } from '../options/units.ts';
import { RATES } from '../phrases/rates.ts';

const SOURCE_OPTIONS = {
  sheet: oneValue('NAME', RATES.sheet()),
  bcu: flag(RATES.bcu()),
  month: oneValue('YYYY-MM', RATES.month()),
  api: oneValue('URL', RATES.api()),
  yes: flag(RATES.yes()),
};

export const ratesCommand = defineCommand({
  words: '[FILE]',
  options: {
    ...SOURCE_OPTIONS,
    'allow-jumps': flag(RATES.allowJumps()),
    ...JSON_OPTION,
    ...LAKE_OPTION,
    ...WAIT_OPTION,
  },
  examples: [
    'rates cotizaciones.csv',
    'rates ui.xlsx --sheet UI --lake s3://bucket/lake',
    'rates --bcu --month 2026-10',
  ],
  notes: [RATES.noteFile(), RATES.noteBank(), RATES.noteUse(), RATES.noteBucket(), RATES.noteAgain()],
  run: async (options, [file], terminal) => {
    checkSource(options, file);
    const { address } = await openFoundLake(options, terminal);
    const found =
      file === undefined ? await ratesOfBank(options, terminal) : await ratesOfFile(file, options, terminal);
    if (found === undefined) return 0;
    const { source, rates, lines, json } = found;
    return await withLakeToWrite(address, 'rates', options, terminal, async (store) => {
      const { stdout } = terminal;
      const isAllowed = options['allow-jumps'] === true;
      const counts = await addRates(store, writeWithParquetjsLite, rates, isAllowed);
      const { added, changed, unchanged } = counts;
      const days = rates.map(({ day }) => day).sort();
      const [from = '', to = from] = [days[0], days.at(-1)];
      const currencies = [...new Set(rates.map(({ currency }) => currency))].sort();
      if (options.json === true) {
        const answer = { file: source, from, to, currencies, ...counts, ...json };
        stdout.write(`${JSON.stringify(answer, undefined, 2)}\n`);
        return 0;
      }
      const { length } = changed;
      const currencyNames = currencies.join(', ');
      const count = added + length + unchanged;
      stdout.say(RATES.taken(count, currencyNames, from, to, added, length, unchanged, store.address));
      for (const line of [...changed.map((change) => RATES.changed(change)), ...lines]) stdout.say(line);
      return 0;
    });
  },
});

type SourceOptions = Parsed<typeof SOURCE_OPTIONS>;

/** Throws WrongInputError. */
function checkSource({ sheet, bcu = false, month, api, yes }: SourceOptions, file: string | undefined): void {
  if (bcu === (file !== undefined)) throw new WrongInputError(RATES.fileOrBank());
  const bankOption = Object.entries({ month, api, yes }).find(([, value]) => value !== undefined);
  if (!bcu && bankOption !== undefined) throw new WrongInputError(RATES.onlyBank(bankOption[0]));
  if (bcu && sheet !== undefined) throw new WrongInputError(RATES.onlyFile());
}

/** Rates to be written, and what is told beside them. */
interface FoundRates {
  source: string;
  rates: readonly GivenRate[];
  lines: readonly Localized[];
  json: object;
}

const MOST_TOLD = 5;
/** A sheet of something else may have a currency in each of its rows. */
const MOST_LEFT_OUT_TOLD = 20;

async function ratesOfFile(
  file: string,
  { sheet }: SourceOptions,
  { signal }: Terminal,
): Promise<FoundRates> {
  const { readRatesFile } = await import('../../verify/official/list-file.ts');
  const read = await readRatesFile(file, { sheet, signal });
  const { unread, unknownColumns, monthFirst, lacking, rounded } = read;
  if (monthFirst !== undefined) {
    const { column, first, last } = monthFirst;
    const said = RATES.monthFirst(file, printableLine(column), printableLine(first), printableLine(last));
    throw new WrongInputError(said, { advice: RATES.writeDates() });
  }
  const today = uruguayDay(Date.now());
  const late = read.rates.filter(({ day, currency }) => day > lastDayOf(currency, today));
  if (late.length > 0) {
    const lateRows = [...Map.groupBy(late, ({ row }) => row)].map(([row, rates]) => {
      const [{ day } = { day: '' }] = rates;
      return RATES.lateRow(row, read.dateColumn, day, rates.map(({ currency }) => currency).join(', '));
    });
    const rows = firstOf(lateRows);
    throw new WrongInputError((language) => RATES.afterToday(file, today, rows(language))(language), {
      advice: RATES.writeDates(),
    });
  }
  const early = read.rates.filter(({ day }) => day < FIRST_DAY).length;
  const leftOut = new Map(read.leftOut);
  if (early > 0) leftOut.set(textIn(RATES.daysBefore(FIRST_DAY), 'en'), early);
  const rates = read.rates
    .filter(({ day }) => day >= FIRST_DAY)
    .map(({ row, column, ...rate }) => ({
      ...rate,
      source: `${basename(file)}: ${column}`,
      place: `row ${row}, "${column}"`,
    }));
  if (rates.length === 0) {
    const why = (language: Language) => (unread.length === 0 ? '' : ` (${cellsText(unread)(language)})`);
    throw new WrongInputError((language) => RATES.nothingKnown(file, why(language))(language));
  }
  const leftOutLines = [
    ...[...leftOut].map(([name, count]) => RATES.leftOut(printableLine(name), count)),
    ...unknownColumns.map((name) => RATES.unknownColumn(printableLine(name))),
  ];
  const lines = [
    ...shortened(leftOutLines, MOST_LEFT_OUT_TOLD, RATES.moreLeftOut),
    ...(unread.length > 0
      ? [(language: Language) => RATES.notRead(cellsText(unread)(language))(language)]
      : []),
    ...(lacking > 0 ? [RATES.lacking(lacking)] : []),
    ...(rounded > 0 ? [RATES.rounded(rounded)] : []),
  ];
  const json = { leftOut: Object.fromEntries(leftOut), unread, unknownColumns, lacking, rounded };
  return { source: file, rates, lines, json };
}

/** By the 6th of a month the UI is published to the 5th of the next. */
const UI_DAYS_AHEAD = 31;

/** The last day of which a currency may have a rate. */
function lastDayOf(currency: string, today: Day): Day {
  if (currency === 'UYI') return addDays(today, UI_DAYS_AHEAD);
  // One a month, which some date at its end.
  return currency === 'UYR' ? monthOf(today).to : today;
}

function cellsText(cells: readonly UnreadCell[]): Localized {
  return firstOf(cells.map(({ row, column, text }) => RATES.cell(row, column, text)));
}

/** The first in words, and how many more there are. */
function firstOf(all: readonly Localized[]): Localized {
  return (language) => {
    const texts = all.slice(0, MOST_TOLD).map((text) => text(language));
    const more = all.length > MOST_TOLD ? RATES.andMore(all.length - MOST_TOLD)(language) : '';
    return printableLine(texts.join('; ')) + more;
  };
}

/** A rate counts for this many days after its own, so that a month needs those before it. */
const DAYS_BEFORE = 10;

/** The bank's rates, unless the person who was asked leaves them. Throws CentralBankError and WrongInputError. */
async function ratesOfBank(
  { month, api, yes }: SourceOptions,
  { stderr, ask, signal }: Terminal,
): Promise<FoundRates | undefined> {
  const { CENTRAL_BANK, centralBankRates } = await import('../../verify/official/central-bank.ts');
  const today = uruguayDay(Date.now());
  const asked = monthDays(month ?? today.slice(0, 7));
  if (asked.from > today) throw new WrongInputError(RATES.notBegun(asked.from.slice(0, 7)));
  const days = { from: addDays(asked.from, -DAYS_BEFORE), to: asked.to < today ? asked.to : today };
  const address = api === undefined ? CENTRAL_BANK : parseApiAddress(api, '--api');
  const rates: GivenRate[] = [];
  const currenciesWithout: string[] = [];
  for await (const { currency, name, rates: ratesOfCurrency } of centralBankRates(address, days, signal)) {
    const shown = ratesOfCurrency
      .toSorted((a, b) => (a.day < b.day ? -1 : 1))
      .map(({ day, value }) => `${rateText(value)} (${day})`);
    const [first, last = first] = [shown[0], shown.at(-1)];
    if (first === undefined || last === undefined) {
      currenciesWithout.push(currency);
      stderr.say(RATES.gaveNone(currency, days.from, days.to));
    } else
      stderr.say(RATES.given(`${currency}, ${printableLine(name)}`, ratesOfCurrency.length, first, last));
    const source = `Banco Central: ${printableLine(name)}, TCC`;
    rates.push(...ratesOfCurrency.map((rate) => ({ ...rate, source, place: source })));
  }
  const bank = RATES.bank();
  if (rates.length === 0)
    throw new WrongInputError((language) => RATES.nothingKnown(bank(language), '')(language));
  if (yes !== true) {
    if (ask === undefined) throw new WrongInputError(RATES.nobodyToAsk(), { advice: RATES.withYes() });
    if (!/^[ys]/i.test(await ask(textIn(RATES.write(), stderr.language)))) {
      stderr.say(RATES.nothingWritten());
      return undefined;
    }
  }
  return { source: address.href, rates, lines: [], json: { withoutRates: currenciesWithout } };
}
