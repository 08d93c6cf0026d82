import { expect, it } from 'vitest';
import { centralBankAnswer } from '../../sandbox/central-bank.ts';

const NOW = Date.parse('2026-11-20T03:00:00Z');

function asked(codes: readonly number[], from: string, to: string) {
  const items = codes.map((code) => `<cot:item>${code}</cot:item>`).join('');
  const body = `<cot:Moneda>${items}</cot:Moneda><cot:FechaDesde>${from}</cot:FechaDesde><cot:FechaHasta>${to}</cot:FechaHasta>`;
  const { status, body: xml } = centralBankAnswer(body, NOW);
  const text = (name: string) =>
    [...xml.matchAll(new RegExp(`<${name}>([^<]*)<`, 'g'))].map(([, value]) => value);
  return {
    http: status,
    status: text('status')[0],
    code: text('codigoerror')[0],
    days: text('Fecha'),
    rates: text('TCC'),
  };
}

it('one currency has a row for each day that has a rate, its day at midnight in UTC', () => {
  const { status, days } = asked([2225], '2026-10-12', '2026-10-18');
  expect({ status, days }).toEqual({
    status: '1',
    days: [12, 13, 14, 15, 16].map((day) => `2026-10-${day}T00:00:00.000Z`),
  });
  expect(asked([9800], '2026-10-17', '2026-10-18').days.length).toBe(2);
  expect(asked([2225], '2026-10-01', '2026-10-31').rates).toContain('0.000000');
});

it.each([
  ['several currencies', asked([2225, 1111], '2026-10-12', '2026-10-18'), '1', '0'],
  ['90 days', asked([9800], '2026-07-01', '2026-09-28'), '1', '0'],
  ['a weekend', asked([2225], '2026-10-17', '2026-10-18'), '0', '100'],
  ['days in the wrong order', asked([2225], '2026-10-18', '2026-10-17'), '0', '103'],
])('%s have an empty row in place of rates', (_, answer, status, code) => {
  expect(answer).toEqual({ http: 200, status, code, days: [], rates: ['0.000000'] });
});
