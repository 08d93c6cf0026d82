import { basename } from 'node:path';
import { writeWithHyparquet } from '../../lake/parquet/hyparquet.ts';
import { addRates } from '../../lake/rates.ts';
import { WrongInputError } from '../../system/errors.ts';
import { plural, printableLine } from '../../text/terminal.ts';
import { addDays, FIRST_DAY, MAX_DAYS_AHEAD, uruguayDay } from '../../time/days.ts';
import { defineCommand, flag, JSON_OPTION, oneValue } from '../command.ts';
import { LAKE_OPTION, openFoundLake, WAIT_OPTION, withLakeToWrite } from '../options/lake.ts';

const MOST_TOLD = 5;

function listed(texts: readonly string[]): string {
  const more = texts.length > MOST_TOLD ? `; and ${texts.length - MOST_TOLD} more` : '';
  return printableLine(texts.slice(0, MOST_TOLD).join('; ')) + more;
}

export const ratesCommand = defineCommand({
  words: '<FILE>',
  options: {
    sheet: oneValue('NAME', 'the sheet of the workbook (default: the only visible one with rates)'),
    'allow-jumps': flag('take rates over 20 % from their neighbours, or far from what they ever were'),
    ...JSON_OPTION,
    ...LAKE_OPTION,
    ...WAIT_OPTION,
  },
  examples: ['rates cotizaciones.csv', 'rates ui.xlsx --sheet UI --lake s3://bucket/lake'],
  notes: [
    'A .csv, .xlsx or .xls as the central bank and its copies have it: Fecha, Moneda and Compra or Valor in a row a day and currency, or Fecha and a column a currency; a column Unidades divides. UI and UR become UYI and UYR; of several rates, that of bank notes for the buyer is taken. What is not known by its whole name is left out, and told.',
    "They are the table cotizaciones. The VAT books, posicion-iva, form 2181 and the e-Tickets' limit take from it where a receipt states no rate: the last of the days before, at most ten; the UI of the day; the UR of the month.",
    'In a bucket it reads and writes cotizaciones/*, which OperatorPolicy of the stack allows.',
    'The same file again changes nothing. A rate with another value replaces the one that was there, and is told.',
  ],
  run: async (options, [file = ''], given) => {
    const { readRatesFile } = await import('../../verify/official/list-file.ts');
    const { address } = await openFoundLake(options, given);
    const read = await readRatesFile(file, { sheet: options.sheet, signal: given.signal });
    const last = addDays(uruguayDay(Date.now()), MAX_DAYS_AHEAD);
    const rates = read.rates.filter(({ day }) => day >= FIRST_DAY && day <= last);
    const early = read.rates.filter(({ day }) => day < FIRST_DAY).length;
    const leftOut = new Map([
      ...read.leftOut,
      ...(early > 0 ? [[`days before ${FIRST_DAY}`, early] as const] : []),
    ]);
    const late = read.rates.filter(({ day }) => day > last);
    const unread = [...read.unread, ...late.map(({ row, column, day }) => ({ row, column, text: day }))];
    const unreadTexts = unread.map(({ row, column, text }) => `row ${row} has "${text}" as "${column}"`);
    if (rates.length === 0) {
      const why = unread.length === 0 ? '' : ` (${listed(unreadTexts)})`;
      throw new WrongInputError(`${file} has no rate of a currency that is known${why}.`);
    }
    const named = rates.map((rate) => ({
      ...rate,
      source: `${basename(file)}: ${rate.column}`,
      place: `row ${rate.row}, "${rate.column}"`,
    }));
    return await withLakeToWrite(address, 'rates', options, given, async (store, { stdout }) => {
      const { added, changed } = await addRates(
        store,
        writeWithHyparquet,
        named,
        options['allow-jumps'] === true,
      );
      const unchanged = rates.length - added - changed.length;
      const days = rates.map(({ day }) => day).sort();
      const found = {
        ...{ from: days[0], to: days.at(-1) },
        currencies: [...new Set(rates.map(({ currency }) => currency))].sort(),
      };
      if (options.json === true) {
        const { unknownColumns, lacking, rounded } = read;
        const left = { leftOut: Object.fromEntries(leftOut), unread, unknownColumns, lacking, rounded };
        const json = { file, ...found, added, changed, unchanged, ...left };
        stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
        return 0;
      }
      const lines = [
        `${plural(rates.length, 'rate')} of ${found.currencies.join(', ')}, ${found.from} to ${found.to}: ${added} new, ${changed.length} changed, ${unchanged} as they were, in ${store.address}.`,
        ...changed.map((change) => `Changed: ${change}`),
        ...[...leftOut].map(([name, count]) => `Left out: ${plural(count, 'row')} of ${printableLine(name)}`),
        ...read.unknownColumns.map(
          (name) => `Left out: the column "${printableLine(name)}", which is no known rate`,
        ),
        unread.length > 0 && `Not read, and left out: ${listed(unreadTexts)}`,
        read.lacking > 0 && `Without a rate: ${plural(read.lacking, 'cell')}`,
        read.rounded > 0 && `Rounded to six decimals: ${plural(read.rounded, 'rate')}`,
      ].filter((line) => line !== false);
      stdout.writeProse(`${lines.join('\n')}\n`);
      return 0;
    });
  },
});
