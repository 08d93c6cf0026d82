import { describe, expect, it } from 'vitest';
import type { CheckedRun } from '../../../lib/run/checks.ts';
import { linesOfRun, nextOf } from '../../../lib/run/deployed/check-stack.ts';

const A = '211003420017';
const B = '219999830019';
// A Friday, 18:00 in Uruguay.
const NOW = Date.parse('2026-11-20T21:00:00Z');
const NIGHT = Date.parse('2026-11-21T05:00:00Z');

function found(changes: Partial<CheckedRun> = {}): CheckedRun {
  const lectura = { rut: A, fecha: '2026-11-19', recibidos: 1_200, emitidos: 3, incompleta: false } as const;
  return {
    empresas: 2,
    problemas: [],
    vencimientos: [],
    sin_vencimiento: 2,
    lectura,
    sin_publicar: [],
    ...changes,
  };
}

const linesOf = (changes: Partial<CheckedRun>, check: string) =>
  linesOfRun(found(changes), NOW, NIGHT).filter((line) => line.check === check);

describe('what start-run found', () => {
  it('is a line each for companies, tokens, the API and the tables when all is well', () => {
    expect(linesOfRun(found(), NOW, NIGHT)).toEqual([
      { check: 'secret', state: 'ok', found: '2 companies with a usable entry' },
      { check: 'tokens', state: 'ok', found: '2 tokens do not say when they expire' },
      {
        check: 'api',
        state: 'ok',
        found: `reached from AWS; RUT ${A} has 1,200 recibidos, 3 emitidos of 2026-11-19`,
      },
      { check: 'tables', state: 'ok', found: 'of the last weeks have what was exported' },
    ]);
  });

  it.each([
    // The night begins at 02:00; four hours later it is over.
    [
      '2026-11-21T09:00:01Z',
      'ok',
      `the first: RUT ${B} expires 2026-11-21T06:00:01 (Uruguay); 1 token does not say when it expires`,
    ],
    [
      '2026-11-21T09:00:00Z',
      'warning',
      `RUT ${B} expires 2026-11-21T06:00:00, before the next night is over`,
    ],
    ['2026-11-20T21:00:00Z', 'failure', `RUT ${B} expired 2026-11-20T18:00:00`],
  ])('of a token that expires %s is %s', (vence, state, says) => {
    expect(linesOf({ vencimientos: [{ rut: B, vence }], sin_vencimiento: 1 }, 'tokens')).toMatchObject([
      { state, found: says },
    ]);
  });

  it.each([
    [
      '2026-11-21T05:00:00Z',
      720,
      'ok',
      'works: its token is valid until 2026-11-21T02:00:00 (Uruguay), for 3 companies',
    ],
    [
      '2026-11-20T21:00:00Z',
      720,
      'failure',
      'its token expired 2026-11-20T18:00:00 (Uruguay), for 3 companies',
    ],
    ['2026-11-20T21:10:00Z', 29, 'failure', 'with 14 minutes left'],
    ['2026-11-20T21:10:00Z', 30, 'ok', 'works'],
  ])('of a login whose token ends %s and lives %i minutes is %s', (vence, minutos, state, says) => {
    const login = { empresas: 3, vence, minutos };
    const none = { vencimientos: [], sin_vencimiento: 0 };
    expect(linesOf({ login, ...none }, 'login')).toMatchObject([
      { state, found: expect.stringContaining(says) },
    ]);
    expect(linesOf({ login, ...none }, 'tokens')).toEqual([]);
  });

  it('names five expired tokens, and counts the rest', () => {
    const vencimientos = Array.from({ length: 7 }, () => ({ rut: B, vence: '2026-01-01T00:00:00Z' }));
    expect(linesOf({ vencimientos }, 'tokens')[0]?.found).toMatch(
      /(RUT \d+ expired [^,]+, ){4}RUT .* and 2 more$/,
    );
  });

  it('is a failure where the API was not reached, a warning where the day is empty', () => {
    const { lectura } = found();
    const error = 'the API refused the token';
    expect(linesOf({ lectura: { ...lectura, error } }, 'api')).toMatchObject([
      { state: 'failure', found: error },
    ]);
    expect(linesOf({ lectura: { ...lectura, recibidos: 0, emitidos: 0 } }, 'api')).toMatchObject([
      { state: 'warning', todo: expect.stringContaining('--rut') },
    ]);
    expect(linesOf({ lectura: { ...lectura, ocupada: true } }, 'api')).toMatchObject([
      { state: 'warning', found: expect.stringContaining('apiRequestsPerSecond') },
    ]);
    const cut = { ...lectura, recibidos: undefined, incompleta: true };
    expect(linesOf({ lectura: cut }, 'api')[0]?.found).toMatch(/uncounted recibidos, 3 emitidos .*no time/);
  });
});

describe('the next run', () => {
  it.each([
    ['cron(0 2 * * ? *)', '2026-11-21T05:00:00Z'],
    ['cron(1 18 * * ? *)', '2026-11-20T21:01:00Z'],
    ['cron(0 18 * * ? *)', '2026-11-21T21:00:00Z'],
    ['cron(30 17 * * ? *)', '2026-11-21T20:30:00Z'],
  ])('of %s is %s', (expression, at) => {
    expect(new Date(nextOf(expression, NOW) ?? 0).toISOString()).toBe(at.replace('Z', '.000Z'));
  });

  it('is not guessed of expressions that this program does not write', () => {
    expect(nextOf('rate(1 hour)', NOW)).toBeUndefined();
    expect(nextOf('cron(0/5 2 * * ? *)', NOW)).toBeUndefined();
  });
});
