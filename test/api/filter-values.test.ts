import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidFilterError, toLegacyQuery, toQuery } from '../../lib/api/filters.ts';
import { DIRECTIONS } from '../../lib/units/unit.ts';

describe('a wrong value', () => {
  const wrong: [string, object][] = [
    ...[
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-1-1',
      '20261119',
      '2026-11-19T00:00:00',
      '',
    ].map((FechaDesde): [string, object] => ['FechaDesde', { FechaDesde }]),
    ['FechaHasta', { FechaHasta: 20261119 }],
    ['FechaHasta', { FechaHasta: null }],
    ...[
      '2026-11-19',
      '2026-11-19T24:00:00',
      '2026-11-19T23:59:60',
      '2026-11-19T23:60:00',
      '2026-02-30T00:00:00',
      '2026-11-19T00:00:00.5',
      '2026-11-19T00:00:00Z',
      '2026-11-19 00:00:00',
    ].map((FechaFirmaHasta): [string, object] => ['FechaFirmaHasta', { FechaFirmaHasta }]),
    ['NumeroDesde', { NumeroDesde: 1.5 }],
    ['NumeroHasta', { NumeroHasta: Number.NaN }],
    ['NumeroHasta', { NumeroHasta: '7' }],
    ['Serie', { Serie: [''] }],
    ['Serie', { Serie: 'A' }],
    ['Serie', { Serie: ['A', '\ud800'] }],
    ['TipoComprobante', { TipoComprobante: [101, 2 ** 53] }],
    ['TipoComprobante', { TipoComprobante: [101, undefined] }],
    ['ExcluirSerie', { ExcluirSerie: 'true' }],
    ['FechaFirma', { FechaFirma: '2026-11-19' }],
    ['fechaDesde', { fechaDesde: '2026-11-19' }],
    ['toString', { toString: 'x' }],
  ];

  it.each(wrong)('of %s is refused by name: %o', (name, filters) => {
    for (const direction of DIRECTIONS) {
      for (const write of [toQuery, toLegacyQuery]) {
        expect(() => write(direction, filters)).toThrow(InvalidFilterError);
        expect(() => write(direction, filters)).toThrow(expect.objectContaining({ filter: name }));
      }
    }
  });

  it('is shown, shortened', () => {
    expect(() => toQuery('recibidos', { FechaDesde: '2026-02-30' })).toThrow(
      "FechaDesde must be a calendar date YYYY-MM-DD, not '2026-02-30'",
    );
    const error = captured(() => toQuery('recibidos', { FechaDesde: 'x'.repeat(10_000) }));
    expect(error.message.length).toBeLessThan(200);
  });
});

function captured(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

describe('for any values', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  const texts = fc.array(text, { maxLength: 5 });
  const integers = fc.array(fc.maxSafeInteger(), { maxLength: 5 });
  const day = fc.constantFrom('0001-01-01', '2024-02-29', '9999-12-31');

  it('the query, sent and read back, holds exactly the values given', () => {
    const filters = fc.record(
      {
        Emisor: texts,
        Serie: texts,
        TipoComprobante: integers,
        NumeroDesde: fc.maxSafeInteger(),
        FechaDesde: day,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filters, (given) => {
        const v2 = new URLSearchParams(toQuery('recibidos', given).toString());
        const legacy = new URLSearchParams(toLegacyQuery('recibidos', given).toString());
        for (const name of ['Emisor', 'Serie', 'TipoComprobante'] as const) {
          const values = (given[name] ?? []).map(String);
          expect(v2.getAll(name)).toEqual(values);
          expect(legacy.getAll(`${name}[]`)).toEqual(values);
        }
        for (const name of ['NumeroDesde', 'FechaDesde'] as const) {
          const values = given[name] === undefined ? [] : [String(given[name])];
          expect(v2.getAll(name)).toEqual(values);
          expect(legacy.getAll(name)).toEqual(values);
        }
        expect([...v2.values()]).toEqual([...legacy.values()]);
      }),
    );
  });
});
