import { basename } from 'node:path';
import { writeWithHyparquet } from '../../lake/parquet/hyparquet.ts';
import { addRates } from '../../lake/rates.ts';
import { WrongInputError } from '../../system/errors.ts';
import { plural, printableLine } from '../../text/terminal.ts';
import { addDays, FIRST_DAY, MAX_DAYS_AHEAD, uruguayDay } from '../../time/days.ts';
import { defineCommand, flag, JSON_OPTION, oneValue } from '../command.ts';
import { LAKE_OPTION, openFoundLake, WAIT_OPTION, withLakeToWrite } from '../options/lake.ts';

export const ratesCommand = defineCommand({
  words: '<FILE>',
  options: {
    sheet: oneValue('NAME', 'the sheet of the workbook (default: the only visible one with rates)'),
    'allow-jumps': flag('take rates that differ by over 20 % from those of the day before'),
    ...JSON_OPTION,
    ...LAKE_OPTION,
    ...WAIT_OPTION,
  },
  examples: ['rates cotizaciones.csv', 'rates ui.xlsx --sheet UI --lake s3://bucket/lake'],
  notes: [
    'A .csv, .xlsx or .xls as the central bank and its copies have it: Fecha, Moneda and Compra or Valor in a row a day and currency, or Fecha and a column a currency. UI and UR become UYI and UYR; of several rates, that of bank notes for the buyer is taken.',
    "They are the table cotizaciones. The VAT books, posicion-iva, form 2181 and the e-Tickets' limit take the last one before the issue date where a receipt states none.",
    'In a bucket it reads and writes cotizaciones/*, which OperatorPolicy of the stack allows.',
    'The same file again changes nothing. A rate with another value replaces the one that was there, and is told.',
  ],
  run: async (options, [file = ''], given) => {
    const { readRatesFile } = await import('../../verify/official/list-file.ts');
    const { address } = await openFoundLake(options, given);
    const read = await readRatesFile(file, { sheet: options.sheet, signal: given.signal });
    const rates = read.rates.filter(({ day }) => day >= FIRST_DAY);
    const early = read.rates.length - rates.length;
    const leftOut = new Map([
      ...read.leftOut,
      ...(early > 0 ? [[`days before ${FIRST_DAY}`, early] as const] : []),
    ]);
    const last = addDays(uruguayDay(Date.now()), MAX_DAYS_AHEAD);
    const odd = rates.find(({ day }) => day > last);
    if (odd !== undefined)
      throw new WrongInputError(`Row ${odd.row} of ${file} has the day ${odd.day}: check the year.`);
    if (rates.length === 0) throw new WrongInputError(`${file} has no rate of a currency that is known.`);
    const named = rates.map((rate) => ({ ...rate, source: `${basename(file)}: ${rate.column}` }));
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
        const json = { file, ...found, added, changed, unchanged, leftOut: Object.fromEntries(leftOut) };
        stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
        return 0;
      }
      const lines = [
        `${plural(rates.length, 'rate')} of ${found.currencies.join(', ')}, ${found.from} to ${found.to}: ${added} new, ${changed.length} changed, ${unchanged} as they were, in ${store.address}.`,
        ...changed.map((change) => `Changed: ${change}`),
        ...[...leftOut].map(([name, count]) => `Left out: ${plural(count, 'row')} of ${printableLine(name)}`),
      ];
      stdout.writeProse(`${lines.join('\n')}\n`);
      return 0;
    });
  },
});
