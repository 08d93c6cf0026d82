import { namedTwice } from './old-workbook-stream.ts';
import { UNREADABLE } from './phrases.ts';
import { checkSheetCount, UnreadableTableError } from './table.ts';

/** The kinds of records, by [MS-XLS] 2.3. */
const [BEGINNING, END, CONTINUE] = [0x809, 0x0a, 0x3c];
const [PASSWORD, BOUNDSHEET, SHARED_TEXTS] = [0x2f, 0x85, 0xfc];
const [SHARED_TEXT, RICH_TEXT, TEXT, FORMULA, TEXT_OF_FORMULA] = [0xfd, 0xd6, 0x204, 0x06, 0x207];
/** Also of the points of a chart. */
const OF_CELLS: ReadonlySet<number> = new Set([
  ...[SHARED_TEXT, RICH_TEXT, TEXT, FORMULA],
  // Numbers, one or many, and a truth or a fault.
  ...[0x203, 0x27e, 0xbd, 0x205],
]);

/**
 * Whether each sheet of an .xls workbook is hidden, in its order, which hucre does not tell. Each part of the workbook
 * must reach its end and hold nothing that hucre passes over: it asks for neither. Throws UnreadableTableError, and
 * RangeError for a damaged workbook.
 */
export function hiddenSheets(stream: DataView): boolean[] {
  const hidden: boolean[] = [];
  const named = new Set<number>();
  const parts = new Set<number>();
  const texts: DataView[][] = [];
  let textCount = 0;
  let depth = 0;
  let hasPartInside = false;
  let isOfTexts = false;
  let before = 0;
  for (const { at, id, data } of recordsOf(stream)) {
    if (id === BEGINNING) {
      hasPartInside = depth > 0;
      if (depth === 0) parts.add(at);
      depth += 1;
    } else if (id === 0) throw new RangeError(`zeros among its records, at ${at}`);
    else if (depth === 0) throw new RangeError(`a record outside of its sheets, at ${at}`);
    else if (id === END) {
      depth -= 1;
      if (depth === 0 && parts.size === 1) textCount = texts.reduce((sum, part) => sum + countOf(part), 0);
    } else if (parts.size === 1) {
      if (id === PASSWORD) throw new UnreadableTableError(UNREADABLE.password());
      if (hasPartInside) throw new RangeError('a part inside its beginning');
      if (id === SHARED_TEXTS) texts.push([data]);
      isOfTexts = id === SHARED_TEXTS || (id === CONTINUE && isOfTexts);
      if (isOfTexts && id === CONTINUE) texts.at(-1)?.push(data);
      if (id === BOUNDSHEET) {
        named.add(data.getUint32(0, true));
        hidden.push((data.getUint8(4) & 3) !== 0);
        checkSheetCount(hidden.length);
        if (named.size < hidden.length) throw namedTwice();
      }
    } else if (OF_CELLS.has(id) || id === TEXT_OF_FORMULA) {
      if (hasPartInside && id !== TEXT_OF_FORMULA) {
        throw new UnreadableTableError('as an .xls workbook it has a chart among its cells');
      }
      checkText(id, data, before, textCount);
    }
    before = id;
  }
  if (depth > 0) throw new RangeError('a sheet without its end');
  for (const start of named) {
    if (start === 0 || !parts.has(start)) throw new RangeError(`no sheet at ${start}`);
  }
  return hidden;
}

/** All records. Behind the last there may be zeros, as a stream that is too short for its kind is filled up. */
function* recordsOf(stream: DataView): Generator<{ at: number; id: number; data: DataView }> {
  const { buffer, byteOffset, byteLength } = stream;
  let last = byteLength;
  while (last > 0 && stream.getUint8(last - 1) === 0) last -= 1;
  for (let at = 0, bytes = 0; at < last; at += 4 + bytes) {
    bytes = stream.getUint16(at + 2, true);
    if (at + 4 + bytes > byteLength) throw new RangeError('its last record is cut');
    yield {
      at,
      id: stream.getUint16(at, true),
      data: new DataView(buffer, byteOffset + at + 4, bytes),
    };
  }
}

/** Throws RangeError where hucre would take a text for blank, or a part of it for all. */
function checkText(id: number, data: DataView, before: number, textCount: number): void {
  const isWhole = (at: number) =>
    data.byteLength >= at + 3 + data.getUint16(at, true) * ((data.getUint8(at + 2) & 1) + 1);
  const isRead =
    id === SHARED_TEXT
      ? data.getUint32(6, true) < textCount
      : id === TEXT
        ? isWhole(6)
        : id === TEXT_OF_FORMULA
          ? before === FORMULA && isWhole(0)
          : id !== RICH_TEXT;
  if (!isRead) throw new RangeError(`a text that can't be read, in a record ${id}`);
}

/** How many texts a record and those that continue it hold. Throws RangeError unless they end where the records do. */
function countOf(parts: readonly DataView[]): number {
  let [index, at] = [0, 8];
  const bytesLeft = () => (parts[index]?.byteLength ?? 0) - at;
  const next = (bytes: number) => {
    if (bytesLeft() === 0) [index, at] = [index + 1, 0];
    const part = parts[index];
    if (part === undefined || bytesLeft() < bytes) throw new RangeError('its shared texts are cut');
    at += bytes;
    return part;
  };
  const uint8 = () => next(1).getUint8(at - 1);
  const uint16 = () => next(2).getUint16(at - 2, true);
  const uint32 = () => next(4).getUint32(at - 4, true);
  const skip = (count: number) => {
    for (let left = count, taken = 0; left > 0; left -= taken) {
      taken = Math.min(left, Math.max(1, bytesLeft()));
      next(taken);
    }
  };
  const count = parts[0]?.getUint32(4, true) ?? 0;
  for (let text = 0; text < count; text += 1) {
    let left = uint16();
    let flags = uint8();
    const runs = (flags & 8) === 0 ? 0 : uint16();
    const more = (flags & 4) === 0 ? 0 : uint32();
    while (left > 0) {
      // Each record says anew how wide its characters are.
      if (bytesLeft() === 0) flags = uint8();
      const width = (flags & 1) + 1;
      const taken = Math.min(left, Math.max(1, Math.floor(bytesLeft() / width)));
      next(taken * width);
      left -= taken;
    }
    skip(runs * 4 + more);
  }
  if (index < parts.length - 1 || bytesLeft() > 0)
    throw new RangeError('its shared texts go on behind the last');
  return count;
}
