import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sample } from '../../lib/lambda/sample.ts';

function sampleOf(values: readonly number[], capacity: number): readonly number[] {
  const sample = new Sample(capacity);
  for (const value of values) sample.add(value);
  return sample.values;
}

describe('Sample', () => {
  it('keeps all while they are few', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 10 }), (values) => {
        expect(sampleOf(values, 10)).toEqual(values);
      }),
    );
  });

  it('keeps every so-manieth of more, never more than it has room for, and more than half of that', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 50 }), fc.integer({ min: 1, max: 5000 }), (half, count) => {
        const capacity = 2 * half;
        const kept = sampleOf(
          Array.from({ length: count }, (_, index) => index),
          capacity,
        );
        const step = kept[1] ?? 1;
        expect(kept).toEqual(kept.map((_, index) => index * step));
        expect(kept.length).toBeLessThanOrEqual(capacity);
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(count, half));
        expect((kept.at(-1) ?? 0) + step).toBeGreaterThanOrEqual(count);
      }),
    );
  });

  it('begins anew when it is cleared', () => {
    const sample = new Sample(4);
    for (let value = 0; value < 100; value += 1) sample.add(value);
    sample.clear();
    for (const value of [7, 8, 9]) sample.add(value);
    expect(sample.values).toEqual([7, 8, 9]);
  });
});
