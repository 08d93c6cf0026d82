/** A sheet of an .xls workbook; texts alone. */
export interface MadeOldSheet {
  name: string;
  isHidden?: boolean;
  rows: readonly (readonly string[])[];
  /** In place of its own beginning, that of the first sheet. */
  isFirstAgain?: boolean;
}

const SECTOR_BYTES = 512;
const END_OF_CHAIN = 0xfffffffe;
const FREE = 0xffffffff;

/** The workbook's records in a compound file of one stream, as Excel 97 wrote them ([MS-XLS], [MS-CFB]). */
export function madeOldWorkbook(sheets: readonly MadeOldSheet[]): Buffer {
  const parts = sheets.map(({ rows }) => sheetRecords(rows));
  const globalBytes = globals(sheets, []).length;
  let at = globalBytes;
  const starts = parts.map((part) => {
    const start = at;
    at += part.length;
    return start;
  });
  return compoundFile(Buffer.concat([globals(sheets, starts), ...parts]));
}

function globals(sheets: readonly MadeOldSheet[], starts: readonly number[]): Buffer {
  const named = sheets.map(({ name, isHidden = false, isFirstAgain = false }, index) => {
    const head = Buffer.alloc(6);
    head.writeUInt32LE((isFirstAgain ? starts[0] : starts[index]) ?? 0);
    head.writeUInt8(isHidden ? 1 : 0, 4);
    return record(0x85, Buffer.concat([head, Buffer.from([name.length, 0]), Buffer.from(name, 'latin1')]));
  });
  return Buffer.concat([beginning(0x0005), ...named, record(0x0a)]);
}

function sheetRecords(rows: readonly (readonly string[])[]): Buffer {
  const cells = rows.flatMap((texts, row) =>
    texts.map((text, column) => {
      const head = Buffer.alloc(9);
      head.writeUInt16LE(row);
      head.writeUInt16LE(column, 2);
      head.writeUInt16LE(text.length, 6);
      head.writeUInt8(1, 8);
      return record(0x204, Buffer.concat([head, Buffer.from(text, 'utf16le')]));
    }),
  );
  return Buffer.concat([beginning(0x0010), ...cells, record(0x0a)]);
}

function beginning(kind: number): Buffer {
  const data = Buffer.alloc(16);
  data.writeUInt16LE(0x0600);
  data.writeUInt16LE(kind, 2);
  return record(0x809, data);
}

function record(id: number, data = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

/** Sectors: the table of all sectors, the folder, the stream. */
function compoundFile(stream: Buffer): Buffer {
  // A stream of less than 4,096 bytes would be elsewhere.
  const padded = Buffer.concat([stream, Buffer.alloc(Math.max(0, 4096 - stream.length))]);
  const streamSectors = Math.ceil(padded.length / SECTOR_BYTES);
  const tableSectors = Math.ceil((streamSectors + 2) / (SECTOR_BYTES / 4 - 1));
  const first = tableSectors + 1;
  const next = [
    ...Array.from({ length: tableSectors }, () => 0xfffffffd),
    END_OF_CHAIN,
    ...Array.from({ length: streamSectors }, (_, index) =>
      index === streamSectors - 1 ? END_OF_CHAIN : first + index + 1,
    ),
  ];
  const table = Buffer.alloc(tableSectors * SECTOR_BYTES, 0xff);
  for (const [index, sector] of next.entries()) table.writeUInt32LE(sector, index * 4);
  const header = Buffer.alloc(SECTOR_BYTES, 0);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(0x3e, 0x18);
  header.writeUInt16LE(3, 0x1a);
  header.writeUInt16LE(0xfffe, 0x1c);
  header.writeUInt16LE(9, 0x1e);
  header.writeUInt16LE(6, 0x20);
  header.writeUInt32LE(tableSectors, 0x2c);
  header.writeUInt32LE(tableSectors, 0x30);
  header.writeUInt32LE(4096, 0x38);
  for (const at of [0x3c, 0x44]) header.writeUInt32LE(END_OF_CHAIN, at);
  for (let index = 0; index < 109; index += 1)
    header.writeUInt32LE(index < tableSectors ? index : FREE, 0x4c + index * 4);
  const folder = Buffer.concat([
    entry('Root Entry', 5, END_OF_CHAIN, 0),
    entry('Workbook', 2, first, padded.length),
    Buffer.alloc(2 * 128),
  ]);
  const filler = Buffer.alloc(streamSectors * SECTOR_BYTES - padded.length);
  return Buffer.concat([header, table, folder, padded, filler]);
}

function entry(name: string, type: number, start: number, byteCount: number): Buffer {
  const bytes = Buffer.alloc(128, 0);
  bytes.write(name, 'utf16le');
  bytes.writeUInt16LE((name.length + 1) * 2, 64);
  bytes.writeUInt8(type, 66);
  for (const at of [68, 72, 76]) bytes.writeUInt32LE(type === 5 && at === 76 ? 1 : FREE, at);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(byteCount, 120);
  return bytes;
}
