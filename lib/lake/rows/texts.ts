import type { Hash } from 'node:crypto';
import type { Value } from '../parquet/writer.ts';
import type { ColumnBuffer } from './buffers.ts';
import { chunkedIntegers } from './chunked.ts';
import { hashNumbers } from './hash-numbers.ts';

/** Texts, each different one kept once. */
export class TextBuffer implements ColumnBuffer {
  private readonly codes = chunkedIntegers();
  private readonly texts: (string | null)[] = [null];
  private readonly codeOf = new Map<string, number>();
  private lastText: string | undefined;
  private lastCode = 0;

  append(value: number | bigint | string | null): void {
    this.codes.push(typeof value === 'string' ? this.code(value) : 0);
  }

  appendAll(other: ColumnBuffer): void {
    if (!(other instanceof TextBuffer)) throw new TypeError('texts are appended to texts only');
    const codes = other.texts.map((text) => (text === null ? 0 : this.code(text)));
    for (let row = 0; row < other.codes.length; row += 1) this.codes.push(codes[other.codes.at(row)] ?? 0);
  }

  value(row: number): Value {
    return this.texts[this.codes.at(row)] ?? null;
  }

  valuesOf(rows: Uint32Array): Value[] {
    const values = new Array<Value>(rows.length);
    for (let index = 0; index < rows.length; index += 1) values[index] = this.value(rows[index] ?? 0);
    return values;
  }

  textBytes(row: number): number {
    return this.texts[this.codes.at(row)]?.length ?? 0;
  }

  hash(rows: Uint32Array, into: Hash): void {
    // Codes are numbered again by first appearance, since they depend on the order in which rows came.
    const renumbered = new Uint32Array(this.texts.length);
    const texts: string[] = [];
    hashNumbers(rows, into, (piece, numbers) => {
      this.codes.pick(piece, numbers);
      for (let index = 0; index < numbers.length; index += 1) {
        const code = numbers[index] ?? 0;
        if (code !== 0 && renumbered[code] === 0) {
          const text = this.texts[code] ?? '';
          texts.push(`${text.length}:${text}`);
          renumbered[code] = texts.length;
        }
        numbers[index] = renumbered[code] ?? 0;
      }
    });
    into.update(texts.join(''));
  }

  private code(text: string): number {
    // Many a text is that of the row before: comparing is cheaper than looking up.
    if (text === this.lastText) return this.lastCode;
    let code = this.codeOf.get(text);
    if (code === undefined) {
      code = this.texts.length;
      this.texts.push(text);
      this.codeOf.set(text, code);
    }
    this.lastText = text;
    this.lastCode = code;
    return code;
  }
}
