import { UNREADABLE } from './phrases.ts';
import { UnreadableTableError } from './table.ts';

const ENTRY_BYTES = 128;
/** A number above is no sector: the end of a chain, or none. */
const LAST_SECTOR = 0xfffffff9;
const STREAM = 2;
const STORAGE_ROOT = 5;
/** An .xls workbook names some bytes of itself twice, so that whoever follows the names may never end. */
export function namedTwice(): UnreadableTableError {
  return new UnreadableTableError('as an .xls workbook it names a part twice');
}

interface Entry {
  name: string;
  type: number;
  start: number;
  byteCount: number;
}

/**
 * The stream with the records of an .xls workbook ([MS-CFB]), the same bytes that hucre takes. Throws
 * UnreadableTableError for what hucre would never end with, and RangeError for a damaged file.
 */
export function workbookStream(bytes: Uint8Array): DataView {
  const file = viewOf(bytes);
  const sectorBytes = 2 ** file.getUint16(0x1e, true);
  const smallBytes = 2 ** file.getUint16(0x20, true);
  const table = sectorTable(file, sectorBytes);
  let sectorsLeft = Math.ceil(bytes.length / sectorBytes);
  const chained = (first: number): Uint8Array => {
    const parts: Uint8Array[] = [];
    for (let sector = first; sector <= LAST_SECTOR; sector = table(sector)) {
      // Each sector is of one chain.
      sectorsLeft -= 1;
      if (sectorsLeft < 0) throw namedTwice();
      parts.push(bytes.subarray((sector + 1) * sectorBytes, (sector + 2) * sectorBytes));
    }
    return Buffer.concat(parts);
  };
  const entries = entriesOf(viewOf(chained(file.getUint32(0x30, true))));
  const mostSmall = file.getUint32(0x38, true) || 4096;
  const isSmall = ({ byteCount, type }: Entry) => byteCount < mostSmall && type !== STORAGE_ROOT;
  const streams = new Map(
    entries.flatMap((entry) => (isSmall(entry) ? [] : [[entry, chained(entry.start)] as const])),
  );
  const named = ['Workbook', 'Book'].map((name) =>
    entries.filter((entry) => entry.name === name && entry.type === STREAM),
  );
  const [found, other] = named.find(({ length }) => length > 0) ?? [];
  if (found === undefined) {
    // Of a newer workbook with a password ([MS-OFFCRYPTO]).
    if (entries.some(({ name }) => name === 'EncryptedPackage'))
      throw new UnreadableTableError(UNREADABLE.password());
    throw new RangeError('it has no workbook');
  }
  // A workbook within the workbook.
  if (other !== undefined) throw namedTwice();
  const { start, byteCount } = found;
  const whole = (stream: Uint8Array | undefined): DataView => {
    if (stream === undefined || stream.length < byteCount) throw new RangeError('its records are cut');
    return viewOf(stream.subarray(0, byteCount));
  };
  if (!isSmall(found)) return whole(streams.get(found));
  const root = entries.find(({ type }) => type === STORAGE_ROOT);
  const small = (root && streams.get(root)) ?? bytes;
  const next = viewOf(
    chained(file.getUint32(0x3c, true)).subarray(0, file.getUint32(0x40, true) * sectorBytes),
  );
  const mostBytes = Math.min(byteCount, small.length);
  const parts: Uint8Array[] = [];
  for (let sector = start; sector <= LAST_SECTOR; sector = next.getUint32(sector * 4, true)) {
    if (parts.length * smallBytes > mostBytes) throw namedTwice();
    parts.push(small.subarray(sector * smallBytes, (sector + 1) * smallBytes));
  }
  return whole(Buffer.concat(parts));
}

/** Which sector follows a sector. */
function sectorTable(file: DataView, sectorBytes: number): (sector: number) => number {
  const tableSectors: number[] = [];
  const perSector = sectorBytes / 4;
  for (let at = 0x4c; at < 0x200; at += 4) tableSectors.push(file.getUint32(at, true));
  const most = Math.ceil(file.byteLength / sectorBytes);
  for (let more = file.getUint32(0x44, true); more <= LAST_SECTOR; ) {
    const start = (more + 1) * sectorBytes;
    for (let index = 0; index < perSector - 1; index += 1)
      tableSectors.push(file.getUint32(start + index * 4, true));
    more = file.getUint32(start + sectorBytes - 4, true);
    if (tableSectors.length > most + perSector + 109) throw namedTwice();
  }
  const stated = tableSectors.slice(0, file.getUint32(0x2c, true));
  return (sector) => {
    const part = stated[Math.floor(sector / perSector)] ?? LAST_SECTOR + 1;
    return file.getUint32((part + 1) * sectorBytes + (sector % perSector) * 4, true);
  };
}

function entriesOf(folder: DataView): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= folder.byteLength; at += ENTRY_BYTES) {
    const type = folder.getUint8(at + 66);
    if (type === 0) continue;
    const name = new TextDecoder('utf-16le').decode(
      new Uint8Array(
        folder.buffer,
        folder.byteOffset + at,
        Math.max(0, Math.min(64, folder.getUint16(at + 64, true)) - 2),
      ),
    );
    entries.push({
      name: name.replace(/\0.*/s, ''),
      type,
      start: folder.getUint32(at + 116, true),
      byteCount: folder.getUint32(at + 120, true),
    });
  }
  return entries;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
