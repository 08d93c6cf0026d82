import type { ApiClient } from '../../api/client.ts';
import { DIRECTIONS } from '../../api/directions.ts';
import { ApiPageSource, newTally } from '../../api/list/page-request.ts';
import { type FirstRows, firstRows } from '../../api/list/read-list.ts';
import { assertOwn } from '../../api/receipt.ts';
import { readLegacyList } from '../../api/unpaged.ts';
import { exactJson } from '../../json/exact-json.ts';
import { askedRowsOutput, ROWS_OUTPUT_OPTIONS, write, writeAnswer } from '../answer-output.ts';
import { defineCommand, wholeNumber } from '../command.ts';
import { ONE_COMPANY_OPTIONS, withOneCompany } from '../options/connection.ts';
import { type AskedList, askedFilters, FILTER_OPTIONS } from '../options/filters.ts';
import { listAnswer } from '../receipt-answer.ts';

const DEFAULT_LIMIT = 100;

export const listCommand = defineCommand({
  name: 'list',
  argument: 'recibidos|emitidos',
  argumentChoices: DIRECTIONS,
  options: {
    ...ONE_COMPANY_OPTIONS,
    ...FILTER_OPTIONS,
    legacy: { kind: 'flag', help: 'read the deprecated list, which is not paged' },
    limit: {
      kind: 'value',
      placeholder: 'N',
      help: `at most this many receipts (default ${DEFAULT_LIMIT})`,
    },
    ...ROWS_OUTPUT_OPTIONS,
  },
  examples: [
    'list recibidos --rut 219999830019 --date 2026-11-19 --emisor "S.A." --limit 10',
    'list emitidos --rut 219999830019 --month 2026-11 --estado-dgi BE --estado-dgi NE',
    'list emitidos --rut 219999830019 --date 2026-11-19 --tipo-comprobante 101 --excluir-tipo-comprobante --json',
    'list recibidos --rut 219999830019 --date 2026-11-19 --legacy --csv',
  ],
  run: async (options, [word], terminal) => {
    const { json, csv, format, out, locale, rut, api, companies, legacy, limit, ...others } = options;
    const { 'request-timeout-ms': timeout, ...filterOptions } = others;
    const direction = DIRECTIONS.find((known) => known === word) ?? 'recibidos';
    const list = { direction, isLegacy: legacy === true };
    const most = limit === undefined ? DEFAULT_LIMIT : wholeNumber('limit', limit, 1, 1_000_000);
    const filters = askedFilters(list, filterOptions, terminal);
    const output = await askedRowsOutput({ json, csv, format, out, locale }, terminal);
    await withOneCompany({ rut, api, companies, 'request-timeout-ms': timeout }, async (client) => {
      const { items, hasMore } = await rowsOf(client, list, filters, most, terminal.signal);
      if (output.format === 'json') {
        const text = listJson(client.rut, list, { items, hasMore });
        await write(output, text, items.length, terminal);
      } else {
        const subject = { sheetName: direction, notes: [] };
        await writeAnswer(output, listAnswer(direction, items), subject, terminal);
      }
      if (hasMore) terminal.stderr.write(`There are more than ${most}: --limit N shows more of them.\n`);
    });
    return 0;
  },
});

/** Throws ApiError. */
async function rowsOf(
  client: ApiClient,
  { direction, isLegacy }: AskedList,
  filters: object,
  limit: number,
  signal: AbortSignal,
): Promise<FirstRows> {
  const tally = newTally();
  const rows = isLegacy
    ? cut((await readLegacyList(client, direction, filters, tally, signal)).items, limit)
    : await firstRows(new ApiPageSource(client, direction, filters, tally, signal), limit);
  assertOwn(direction, rows.items, client.rut);
  return rows;
}

function cut(items: readonly unknown[], limit: number): FirstRows {
  return { items: items.slice(0, limit), hasMore: items.length > limit };
}

/** One document, a receipt a line as the API wrote it. */
function listJson(rut: string, { direction, isLegacy }: AskedList, { items, hasMore }: FirstRows): string {
  const head = { rut, direction, list: isLegacy ? 'legacy' : 'v2', hasMore };
  const rows = items.map((item) => `\n${exactJson(item)}`);
  return `${JSON.stringify(head).slice(0, -1)},"items":[${rows}]}\n`;
}
