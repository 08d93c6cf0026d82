import { describe, expect, it } from 'vitest';
import { describeEndingToken, endingTokens } from '../../lib/run/checks.ts';

const A = '211003420017';
const B = '219999830019';
const C = '214844360018';
const NOW = Date.parse('2026-11-20T21:00:00Z');
const at = (text: string) => new Date(text);

describe('endingTokens', () => {
  it('are those of the companies asked for that expire by then, the first to expire first', () => {
    const expiries = new Map([
      [A, at('2026-11-21T09:00:00Z')],
      [B, at('2026-11-20T20:59:59Z')],
      [C, at('2026-11-21T00:00:00Z')],
    ]);
    const until = Date.parse('2026-11-21T08:00:00Z');
    expect(endingTokens([A, B, C], expiries, until).map(({ rut }) => rut)).toEqual([B, C]);
    expect(endingTokens([A, C], expiries, until).map(({ rut }) => rut)).toEqual([C]);
    // Tokens that do not say when they expire are left out.
    expect(endingTokens([A, B, C], new Map(), until)).toEqual([]);
  });
});

describe('describeEndingToken', () => {
  it('says whose it is, and when by the clock of Uruguay', () => {
    expect(describeEndingToken({ rut: B, expiry: at('2026-11-20T20:59:59Z') }, NOW)).toBe(
      `RUT ${B}: its token expired on 2026-11-20T17:59:59. Put a new one into the secret.`,
    );
    expect(describeEndingToken({ rut: C, expiry: at('2026-11-21T00:00:00Z') }, NOW)).toContain(
      'its token expires on 2026-11-20T21:00:00',
    );
  });
});
