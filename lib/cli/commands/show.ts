import { DIRECTIONS } from '../../api/directions.ts';
import { newTally } from '../../api/list/page-request.ts';
import { readDetail } from '../../api/unpaged.ts';
import { exactJson } from '../../json/exact-json.ts';
import { askedRowsOutput, ROWS_OUTPUT_OPTIONS, write, writeAnswer } from '../answer-output.ts';
import { defineCommand, PROGRAM, UsageError } from '../command.ts';
import { ONE_COMPANY_OPTIONS, withOneCompany } from '../options/connection.ts';
import { detailAnswer } from '../receipt-answer.ts';
import { quoted } from '../usage.ts';

const LARGEST_ID = 2n ** 63n - 1n;

export const showCommand = defineCommand({
  name: 'show',
  argument: 'recibidos|emitidos ID',
  argumentChoices: DIRECTIONS,
  takesMoreWords: true,
  options: { ...ONE_COMPANY_OPTIONS, ...ROWS_OUTPUT_OPTIONS },
  examples: [
    'show recibidos 1494511180054528 --rut 219999830019',
    'show emitidos 1494648619008000 --rut 219999830019 --json',
  ],
  run: async (options, [word, ...ids], terminal) => {
    const { json, csv, format, out, locale, ...company } = options;
    const direction = DIRECTIONS.find((known) => known === word) ?? 'recibidos';
    const id = askedId(direction, ids);
    const output = await askedRowsOutput({ json, csv, format, out, locale }, terminal);
    await withOneCompany(company, async (client) => {
      const detail = await readDetail(client, direction, id, newTally(), terminal.signal);
      if (output.format === 'json') await write(output, `${exactJson(detail)}\n`, 1, terminal);
      else await writeAnswer(output, detailAnswer(detail), { sheetName: direction, notes: [] }, terminal);
    });
    return 0;
  },
});

/** Throws UsageError. */
function askedId(direction: string, [text, surplus]: readonly string[]): bigint {
  if (text === undefined || surplus !== undefined) {
    throw new UsageError(
      `show takes one id: ${PROGRAM} show ${direction} ID   (list ${direction} shows ids)`,
    );
  }
  const id = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (id === undefined || id > LARGEST_ID)
    throw new UsageError(`${quoted(text)} is no id: it is a whole number.`);
  return id;
}
