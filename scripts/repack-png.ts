import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;

/**
 * The same picture in fewer bytes: pages are flat areas of few colours, which compress better without the row filters
 * that a browser chooses for photographs. Takes the PNGs that browsers make: 8 bits per channel, not interlaced.
 */
export function repackPng(png: Buffer): Buffer {
  const chunks = [...chunksOf(png)];
  const header = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(0);
  const pixelBytes = header[9] === 6 ? 4 : 3;
  const rowBytes = header.readUInt32BE(0) * pixelBytes;
  const rows = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)),
  );
  unfilter(rows, rowBytes, pixelBytes);
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function* chunksOf(png: Buffer): Generator<{ type: string; data: Buffer }> {
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += length + 12;
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Undoes each row's filter in place (PNG §9), and marks the row as unfiltered. */
function unfilter(rows: Buffer, rowBytes: number, pixelBytes: number): void {
  for (let start = 0; start < rows.length; start += rowBytes + 1) {
    const filter = rows[start];
    rows[start] = 0;
    for (let index = start + 1; index <= start + rowBytes; index += 1) {
      const left = index - pixelBytes > start ? (rows[index - pixelBytes] ?? 0) : 0;
      const up = rows[index - rowBytes - 1] ?? 0;
      const upLeft = index - pixelBytes > start ? (rows[index - rowBytes - 1 - pixelBytes] ?? 0) : 0;
      rows[index] = (rows[index] ?? 0) + predicted(filter, left, up, upLeft);
    }
  }
}

function predicted(filter: number | undefined, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const [byLeft, byUp, byBoth] = [
    Math.abs(up - upLeft),
    Math.abs(left - upLeft),
    Math.abs(left + up - 2 * upLeft),
  ];
  if (byLeft <= byUp && byLeft <= byBoth) return left;
  return byUp <= byBoth ? up : upLeft;
}
