import { expect, it } from 'vitest';
import { Token } from '../../lib/companies/token.ts';
import { endingTokens } from '../../lib/run/checks.ts';

const A = '211003420017';
const B = '219999830019';
const C = '214844360018';
const NOW = Date.parse('2026-11-20T21:00:00Z');

it('tells whose token expires by then, and when by the clock of Uruguay, the first to expire first', () => {
  const expiries = new Map([
    [A, new Date('2026-11-21T09:00:00Z')],
    [B, new Date('2026-11-20T20:59:59Z')],
    [C, new Date('2026-11-21T00:00:00Z')],
  ]);
  const moments = { nowMs: NOW, untilMs: Date.parse('2026-11-21T08:00:00Z') };
  const ofB = `RUT ${B}: its token expired on 2026-11-20T17:59:59. Put a new one into the secret.`;
  const ofC = `RUT ${C}: its token expires on 2026-11-20T21:00:00. Put a new one into the secret.`;
  expect(endingTokens({ ruts: [A, B, C], expiries }, moments)).toEqual([ofB, ofC]);
  expect(endingTokens({ ruts: [A, C], expiries }, moments)).toEqual([ofC]);
  // Tokens that do not say when they expire are left out.
  expect(endingTokens({ ruts: [A, B, C], expiries: new Map() }, moments)).toEqual([]);
  // Those of the login are renewed: only an end that has passed is told, and by whom it should have been renewed.
  const given = { token: new Token('t'), issuedAtMs: 0, endsAtMs: 0, version: 'v' };
  const renewed = new Map([B, C].map((rut) => [rut, given]));
  expect(endingTokens({ ruts: [B, C], expiries, renewed }, moments)).toEqual([
    expect.stringMatching(new RegExp(`^RUT ${B}: its token expired .* see the runbook, "The login failed"`)),
  ]);
});
