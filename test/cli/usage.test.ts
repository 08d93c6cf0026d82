import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from '../../lib/cli/usage.ts';

const WORDS = ['export', 'missing', 'coverage', 'verify', 'probe', 'query', 'runs'];
const WORD = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });

describe('nearest', () => {
  it.each([
    ['exprot', 'export'],
    ['EXPORT', 'export'],
    ['misssing', 'missing'],
    ['verfy', 'verify'],
    ['rnus', 'runs'],
    ['cov', 'coverage'],
    ['frobnicate', undefined],
    ['', undefined],
    ['x', undefined],
  ])('of %j is %j', (word, expected) => {
    expect(nearest(word, WORDS)).toBe(expected);
  });
});

describe('editDistance', () => {
  it('is 0 only for the same word, the same both ways, and at most the length of the longer word', () => {
    fc.assert(
      fc.property(WORD, WORD, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });

  it('counts one change as one', () => {
    fc.assert(
      fc.property(WORD, WORD, (before, after) => {
        expect(editDistance(before + after, `${before}z${after}`)).toBe(1);
        expect(editDistance(`${before}y${after}`, `${before}z${after}`)).toBe(1);
        expect(editDistance(`${before}yz${after}`, `${before}zy${after}`)).toBe(1);
      }),
    );
  });
});
