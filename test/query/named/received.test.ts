import { expect, it } from 'vitest';
import { addDays, type Day, dayNumber } from '../../../lib/time/days.ts';
import { centsText, scaled, unordered } from '../../support/query/exact-sums.ts';
import { type MadeRow, madeLake } from '../../support/query/made-lake.ts';
import { GONE, RUT, received } from '../../support/query/made-receipts.ts';

const TODAY: Day = '2026-11-20';
const FIRST: Day = '2024-11-01';
const SHOWN_FROM: Day = '2025-11-01';

/** Many receipts of few issuers, in two currencies, some of each odd kind; the same each time. */
function someReceipts(): MadeRow[] {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const pick = <T>(members: readonly T[]): T => members[random(members.length)] as T;
  return Array.from({ length: 900 }, (_, index) => {
    // Some issuers begin late, one after a year without any.
    const issuer = pick(['214844360018', '218617380010', '214198620015', '210475730011', '217832560011', '']);
    const from = issuer === '218617380010' ? 600 : issuer === '210475730011' && random(2) === 0 ? 0 : 30;
    const offset = issuer === '210475730011' && from === 0 ? random(20) : from + random(748 - from);
    const far = random(12) === 0 ? pick([1, 40]) : 8;
    return received(addDays(FIRST, offset), `A${random(40) === 0 ? 5 : index + 10}`, {
      emisor_ruc: issuer,
      moneda: pick(['UYU', 'USD']),
      tipo_comprobante: pick([111, 111, 111, 112, 181]),
      totales_total: centsText(BigInt(far * (90 + random(30)))) ?? '',
      estado_codigo: pick(['AE', 'AE', 'AE', '', 'NE', 'BE']),
      ...(random(15) === 0 && GONE),
    });
  });
}

const monthOf = (day: unknown) => String(day).slice(0, 7);
const isListed = (row: MadeRow) => row.visto_por_ultima_vez === undefined && row.estado_codigo !== 'BE';
const counts = (row: MadeRow) => isListed(row) && row.tipo_comprobante !== 181;

/** By plain code. */
function expectedOf(rows: readonly MadeRow[]) {
  const shown = rows.filter((row) => counts(row) && String(row.fecha) >= SHOWN_FROM);
  return shown.flatMap((row) => {
    const total = scaled(row.totales_total, 2);
    const month = monthOf(row.fecha);
    const hasIssuer = row.emisor_ruc !== '';
    const before = rows.filter((other) => monthOf(other.fecha) < month);
    const isNew =
      hasIssuer && before.length > 0 && before.every((other) => other.emisor_ruc !== row.emisor_ruc);
    const alike = before
      .filter(counts)
      .filter((other) => hasIssuer && other.emisor_ruc === row.emisor_ruc && other.moneda === row.moneda)
      .filter((other) => (other.tipo_comprobante === 112) === (row.tipo_comprobante === 112))
      .map((other) => scaled(other.totales_total, 2))
      .sort((a, b) => Number(a - b));
    const [least = 0n, most = 0n] = [alike[0], alike.at(-1)];
    const isFar = alike.length >= 5 && (total > 3n * most || 3n * total < least);
    const age = dayNumber(TODAY) - dayNumber(row.fecha as Day);
    const left = ['', 'NE'].includes(String(row.estado_codigo)) && age >= 0 && age <= 20 ? 20 - age : null;
    const twins = rows
      .filter(isListed)
      .filter((other) =>
        ['emisor_ruc', 'tipo_comprobante', 'serie', 'numero'].every((name) => other[name] === row[name]),
      );
    const reasons = [
      ...(isNew ? ['emisor nuevo'] : []),
      ...(isFar ? ['fuera de rango'] : []),
      ...(left !== null ? ['por contestar'] : []),
      ...(hasIssuer && twins.length > 1 ? ['dos veces'] : []),
    ];
    if (reasons.length === 0) return [];
    const range = alike.length === 0 ? [null, null] : [centsText(least), centsText(most)];
    return [
      [
        String(row.id),
        reasons.join(', '),
        left === null ? null : String(left),
        String(alike.length),
        ...range,
      ],
    ];
  });
}

it('received receipts to look at are those that plain code finds, for each reason', async () => {
  const recibidos = someReceipts();
  const answer = await (await madeLake({ recibidos }))('received-to-check', TODAY);
  const expected = expectedOf(recibidos);
  expect(unordered(answer.map((row) => [14, 9, 10, 11, 12, 13].map((index) => row[index] ?? null)))).toEqual(
    unordered(expected),
  );
  expect(answer.every((row) => row[0] === RUT)).toBe(true);
  for (const reason of ['emisor nuevo', 'fuera de rango', 'por contestar', 'dos veces']) {
    expect(
      expected.some((row) => row[1]?.includes(reason)),
      reason,
    ).toBe(true);
  }
});

it('a number is listed twice whichever way its series is written, as in numbers-under-two-ids', async () => {
  const recibidos = [
    ...['A1', 'a1', 'B1'].map((number) => received('2026-10-02', number)),
    received('2026-10-02', 'A1', { id: '99', serie: 'A ' }),
  ];
  const answerOf = await madeLake({ recibidos });
  const twice = (await answerOf('received-to-check', TODAY)).map((row) => [row[5], row[9]]);
  expect(twice.sort()).toEqual([
    ['A ', 'dos veces'],
    ['A', 'dos veces'],
    ['a', 'dos veces'],
  ]);
  const series = (await answerOf('numbers-under-two-ids', TODAY)).map((row) => row[4]);
  expect(series.sort()).toEqual(['A', 'A ', 'a']);
});

it('nobody is new in a lake that begins with that month', async () => {
  const recibidos = [received('2026-11-02', 'A1'), received('2026-11-03', 'A2')];
  expect(await (await madeLake({ recibidos }))('received-to-check', TODAY)).toEqual([]);
});
