import { describe, expect, it } from 'vitest';
import { nearest } from '../../lib/cli/usage.ts';

const WORDS = ['export', 'missing', 'coverage', 'verify', 'probe', 'query', 'runs'];

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
