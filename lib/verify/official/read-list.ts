import type { Localized } from '../../text/language.ts';
import { headingIn } from './heading.ts';
import { UNREADABLE } from './phrases.ts';
import { type OfficialList, officialList } from './receipts.ts';
import { type ListTable, UnreadableTableError } from './table.ts';

/** A file from outside, as it was read, and what it is to be read as. */
export interface ListFile {
  bytes: Uint8Array;
  /** The sheet that was asked for. */
  sheet: string | undefined;
  as: 'receipts' | 'rates';
}

/** Bytes → tables → the sheet with a heading → receipts. Throws UnreadableTableError. */
export async function readList({ bytes, sheet }: Omit<ListFile, 'as'>): Promise<OfficialList> {
  const tables = await tablesOf(bytes, (table) => headingIn(table)?.score ?? 0);
  const { table, heading } = chosen(tables, sheet, headingIn, UNREADABLE.noHeading());
  return officialList(table, heading);
}

export async function tablesOf(
  bytes: Uint8Array,
  scoreOf: (table: ListTable) => number,
): Promise<ListTable[]> {
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]))
    return await (await import('./workbook-table.ts')).workbookTables(bytes);
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) {
    return await (await import('./old-workbook-table.ts')).oldWorkbookTables(bytes);
  }
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200)).trimStart();
  if (/^(?:\u00ef\u00bb\u00bf)?\s*<(?:!doctype|html|\?xml|table|meta)/i.test(head)) {
    throw new UnreadableTableError(UNREADABLE.webPage());
  }
  if (head.startsWith('%PDF')) throw new UnreadableTableError(UNREADABLE.pdf());
  return [(await import('./text-table.ts')).textTable(bytes, scoreOf)];
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/**
 * The only sheet with a heading, or the one that was asked for. A hidden sheet is never chosen unasked. `none`: what is
 * said where none has one. Throws UnreadableTableError.
 */
export function chosen<Heading>(
  tables: readonly ListTable[],
  asked: string | undefined,
  headingOf: (table: ListTable) => Heading | undefined,
  noTableFault: Localized,
): { table: ListTable; heading: Heading } {
  const askedTables = asked === undefined ? tables : tables.filter(({ sheet }) => sheet === asked);
  if (asked !== undefined && askedTables.length === 0) {
    throw new UnreadableTableError(UNREADABLE.noSheet(asked, namesOf(tables)));
  }
  const headed = askedTables.flatMap((table) => {
    const heading = headingOf(table);
    return heading === undefined ? [] : [{ table, heading }];
  });
  const visible = headed.filter(({ table }) => asked !== undefined || !table.isHidden);
  const [first] = visible;
  if (first !== undefined && visible.length === 1) return first;
  if (visible.length > 1) {
    const names = namesOf(visible.map(({ table }) => table));
    throw new UnreadableTableError(UNREADABLE.whichSheet(visible.length, names));
  }
  if (headed.length > 0) {
    throw new UnreadableTableError(UNREADABLE.hiddenSheet(namesOf(headed.map(({ table }) => table))));
  }
  throw new UnreadableTableError(noTableFault);
}

const MOST_NAMED = 20;

function namesOf(tables: readonly ListTable[]): string {
  const names = tables.slice(0, MOST_NAMED).map(({ sheet }) => `"${sheet ?? ''}"`);
  return names.join(', ') + (tables.length > MOST_NAMED ? ', …' : '');
}
