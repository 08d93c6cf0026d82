import { readFile } from 'node:fs/promises';
import { WrongInputError } from '../../system/errors.ts';

/** A cell as the file has it; null where it is empty. */
export type FileCell = string | number | boolean | Date | null;

export class UnreadableListError extends WrongInputError {
  override name = 'UnreadableListError';
  constructor(file: string, reason: string, advice = 'Download it once more from the authority’s site.') {
    super(`${file} is no list of receipts that this program can read: ${reason}.`, { advice });
  }
}

/** More would not fit into memory; a month of a large shop has a tenth of it. */
const MOST_BYTES = 200 * 2 ** 20;

/** A heading stands within this many rows: a title and the dates come before it. */
export const HEADING_WITHIN = 30;

/** The rows of the first sheet with any, of an .xlsx, .xls or .csv file. Throws UnreadableListError and file errors. */
export async function readRows(file: string): Promise<FileCell[][]> {
  const bytes = await readFile(file);
  if (bytes.byteLength > MOST_BYTES) throw new UnreadableListError(file, 'it has more than 200 MB');
  const extension = /\.(xlsx|xls|csv)$/i.exec(file)?.[1]?.toLowerCase();
  try {
    if (extension === 'csv') return await csvRows(bytes);
    if (extension === 'xlsx' || extension === 'xls') return await sheetRows(bytes, extension);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown fault';
    throw new UnreadableListError(
      file,
      reason,
      'Save it as .xlsx in a spreadsheet program, and name that file.',
    );
  }
  throw new UnreadableListError(file, 'its name ends with none of .xlsx, .xls and .csv');
}

async function csvRows(bytes: Uint8Array): Promise<FileCell[][]> {
  const { parseCsv } = await import('hucre/csv');
  const text = textOf(bytes);
  const head = text.split('\n', HEADING_WITHIN).join('\n');
  // Decimal commas are more frequent than any separator: the one that makes the most columns separates.
  const columnsBy = (delimiter: string) =>
    Math.max(0, ...parseCsv(head, { delimiter, typeInference: false }).map(({ length }) => length));
  const [delimiter] = [';', ',', '\t', '|'].toSorted((a, b) => columnsBy(b) - columnsBy(a));
  return parseCsv(text, { delimiter, typeInference: false }).map((row) =>
    row.map((cell) => (typeof cell === 'string' ? cell : null)),
  );
}

/** UTF-8, or else what spreadsheet programs in Uruguay write. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

async function sheetRows(bytes: Uint8Array, kind: 'xlsx' | 'xls'): Promise<FileCell[][]> {
  const { readXls, readXlsx } = await import('hucre/xlsx');
  const { sheets } = await (kind === 'xls' ? readXls(bytes) : readXlsx(bytes));
  return sheets.find(({ rows }) => rows.length > 0)?.rows ?? [];
}
