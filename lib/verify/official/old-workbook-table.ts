import { type CellValue, readXls } from 'hucre/xlsx';
import { messageOf } from '../../system/errors.ts';
import { hiddenSheets } from './old-workbook-records.ts';
import { workbookStream } from './old-workbook-stream.ts';
import { UNREADABLE } from './phrases.ts';
import { boundedRow, characterCount, type ListTable, type TableCell, UnreadableTableError } from './table.ts';

/** The sheets of an .xls workbook. Throws UnreadableTableError. */
export async function oldWorkbookTables(bytes: Uint8Array): Promise<ListTable[]> {
  try {
    const hidden = hiddenSheets(workbookStream(bytes));
    const { sheets } = await readXls(bytes);
    const count = characterCount();
    const countedRow = (row: number, cells: readonly TableCell[]) => {
      cells.forEach(count);
      return boundedRow(row, cells);
    };
    return sheets.map(({ name, rows }, index) => ({
      sheet: name,
      isHidden: hidden[index] ?? true,
      isDelimited: false,
      // A row that was never written is no array.
      rows: rows.flatMap((cells, index) => countedRow(index + 1, (cells ?? []).map(cellOf)) ?? []),
    }));
  } catch (error) {
    if (error instanceof UnreadableTableError) throw error;
    throw new UnreadableTableError(UNREADABLE.damaged(`.xls: ${messageOf(error).split('\n')[0]}`));
  }
}

function cellOf(value: CellValue | undefined): TableCell {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '#' : value.toISOString().slice(0, 10);
  return typeof value === 'number' ? { number: String(value) } : String(value);
}
