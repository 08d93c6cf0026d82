import { describe, expect, it } from 'vitest';
import { BodyError, bodyText } from '../../lib/api/body.ts';

const text = (body: string, maxValues?: number) => bodyText(Buffer.from(body), maxValues);

describe('the text of a body', () => {
  it('is read when it has no more values than allowed, and refused when it has one more', () => {
    const body = JSON.stringify({ items: [1, 'two', { three: 3, four: [] }] });
    // Seven values: the object, its list, the list's three members and the inner object's two.
    expect(text(body, 8)).toBe(body);
    expect(() => text(body, 6)).toThrow(new BodyError('it holds more than 6 values', false));
  });

  it('is read when it is nested 100 deep, and refused when deeper', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(text(nested(100))).toBe(nested(100));
    expect(() => text(nested(102))).toThrow(new BodyError('it is nested more than 100 deep', false));
    expect(() => text('['.repeat(5_000_000))).toThrow(BodyError);
  });

  it('may have any brackets and commas in its strings', () => {
    const body = JSON.stringify([`${'['.repeat(500)},,,,"\\${'{'.repeat(500)}`]);
    expect(text(body, 3)).toBe(body);
  });

  it('is refused when it has many values for its size, which would take many times as much memory', () => {
    const objects = (count: number, gap: number) => `[${`{},${' '.repeat(gap)}`.repeat(count)}0]`;
    expect(text(objects(24_000, 0))).toHaveLength(3 * 24_000 + 3);
    expect(() => text(objects(50_000, 0))).toThrow(new BodyError('it holds more than 50000 values', false));
    expect(text(objects(50_000, 14))).toHaveLength(17 * 50_000 + 3);
  });
});
