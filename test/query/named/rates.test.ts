import { describe, expect, it } from 'vitest';
import { bandOf, CURRENCIES as KNOWN } from '../../../lib/lake/currencies.ts';
import { queryPart } from '../../../lib/query/named-queries.ts';
import { addDays, type Day, daysBetween, monthOf, weekdayOf } from '../../../lib/time/days.ts';
import { runMain } from '../../support/program/run-main.ts';
import { centsText, scaled, sumOf } from '../../support/query/exact-sums.ts';
import { type MadeRow, madeLake, madeLakeFolder } from '../../support/query/made-lake.ts';
import { detail, issued, RUT, received } from '../../support/query/made-receipts.ts';

/** The rate of a receipt that states none, worked out day by day, in plain code. */

const TODAY = '2027-01-20';
const DAYS = daysBetween('2026-11-30', TODAY);

/**
 * Rates by currency and day. Some Mondays are missing, and twelve days around the end of the year; November has no UR,
 * December two, and that of January comes late.
 */
const RATES: Readonly<Record<string, ReadonlyMap<Day, string>>> = {
  USD: new Map(
    daysBetween('2026-11-20', TODAY)
      .filter((day) => ![0, 6].includes(weekdayOf(day)) && !['2026-12-14', '2027-01-18'].includes(day))
      .filter((day) => day < '2026-12-24' || day > '2027-01-06')
      .map((day, index) => [day, `40.1${String(index).padStart(2, '0')}`]),
  ),
  UYI: new Map(
    daysBetween('2026-11-30', TODAY)
      .filter((day) => day < '2027-01-02' || day > '2027-01-13')
      .map((day, index) => [day, `6.5${String(index).padStart(3, '0')}`]),
  ),
  UYR: new Map([
    ['2026-10-31', '1809.99'],
    ['2026-12-01', '1812.34'],
    ['2026-12-16', '1812.35'],
    ['2027-01-19', '1820.56'],
  ]),
  EUR: new Map(),
  // It ended.
  BRL: new Map(daysBetween('2026-11-30', '2026-12-07').map((day, index) => [day, `7.1${index}`])),
};
const CURRENCIES = Object.keys(RATES);
/** What a receipt states: near the table's, and not it. */
const STATED: Readonly<Record<string, string>> = {
  USD: '43.125',
  UYI: '6.125',
  UYR: '1900.125',
  EUR: '47.125',
  BRL: '7.625',
};

const cotizaciones = CURRENCIES.flatMap((moneda) =>
  [...(RATES[moneda] ?? [])].map(([fecha, valor]): MadeRow => ({ fecha, moneda, valor, fuente: 'x' })),
);

interface Expected {
  currency: string;
  day: Day;
  /** In millionths. */
  rate: bigint | null;
  from: string | null;
}

/**
 * Its own, else for the UR the last of its month, for the UI that of its day, for others the last of four days before, or of
 * ten where its month has a later one.
 */
function rateFor(
  currency: string,
  day: Day,
  declared: string | undefined,
): Omit<Expected, 'currency' | 'day'> {
  if (declared !== undefined) return { rate: scaled(declared, 6), from: 'comprobante' };
  const month = monthOf(day);
  const goesOn = daysBetween(day, month.to).some((later) => RATES[currency]?.has(later));
  const before = daysBetween(addDays(day, goesOn ? -10 : -4), addDays(day, -1));
  const counting =
    currency === 'UYR' ? daysBetween(month.from, month.to) : currency === 'UYI' ? [day] : before;
  for (const at of counting.toReversed()) {
    const rate = RATES[currency]?.get(at);
    if (rate !== undefined) return { rate: scaled(rate, 6), from: `cotizaciones ${at}` };
  }
  return { rate: null, from: null };
}

const VAT = { mnt_neto_iva_tasa_basica: 100.05, mnt_iva_tasa_basica: 22.01 };
const VAT_CENTS = 2201n;

function inPesos(cents: bigint, rate: bigint): bigint {
  return (cents * rate + 500_000n) / 1_000_000n;
}

const made = DAYS.flatMap((day, index) =>
  CURRENCIES.map((moneda) => {
    const declared = index % 5 === 2 ? STATED[moneda] : undefined;
    const row = received(day, `A${index}`, { moneda, totales_total: '122.06' });
    // A rate of 0 is none.
    const stated = index % 5 === 3 ? 0 : declared && Number(declared);
    const totales = JSON.stringify({ ...VAT, ...(stated !== undefined && { tipo_cambio: stated }), moneda });
    const expected: Expected = { currency: moneda, day, ...rateFor(moneda, day, declared) };
    return { row, detail: detail(row, { totales }), expected };
  }),
);
const LAKE = {
  recibidos: made.map(({ row }) => row),
  recibidos_detalle: made.map((receipt) => receipt.detail),
};

describe('where a receipt states no rate', () => {
  const rows = made.map(({ row }) => row);
  const details = made.map((receipt) => receipt.detail);
  const resguardo: MadeRow = { tipo_comprobante: 182 };
  const items = '[{"retenciones_percepciones":[{"codigo":"x","tasa":7,"monto_sujeto":9,"valor":22.01}]}]';

  /** Each query with the places of currency, day, where the rate is from, and pesos. */
  it.each<[string, readonly number[], Readonly<Record<string, readonly MadeRow[]>>]>([
    ['libro-iva-compras', [8, 1, 26, 23], LAKE],
    ['libro-iva-ventas', [8, 1, 26, 23], { emitidos: rows, emitidos_detalle: details }],
    [
      'resguardos',
      [8, 2, 14, 13],
      {
        recibidos: rows.map((row) => ({ ...row, ...resguardo })),
        recibidos_detalle: details.map((row) => ({ ...row, ...resguardo, items })),
      },
    ],
  ])(
    'a line of %s takes that of the last day before it, and says which day, or that there is none',
    async (name, places, lake) => {
      const answer = await (await madeLake({ ...lake, cotizaciones }))(name, TODAY);
      const shown = answer.map((row) => places.map((index) => row[index]).join(' '));
      const expected = made.map(({ expected: { currency, day, rate, from } }) =>
        [currency, day, from, rate === null ? '' : centsText(inPesos(VAT_CENTS, rate))].join(' '),
      );
      expect(shown.sort()).toEqual(expected.sort());
      // A Tuesday after a missing Monday has Friday's, and long after the last none. A UI counts on its own day alone.
      for (const [line, from] of [
        ['UYI 2026-12-15', 'cotizaciones 2026-12-15'],
        ['UYI 2027-01-02', ''],
        ['USD 2026-12-15', 'cotizaciones 2026-12-11'],
        ['USD 2026-12-26', 'cotizaciones 2026-12-23'],
        ['USD 2026-12-28', ''],
        ['USD 2027-01-02', 'cotizaciones 2026-12-23'],
        ['USD 2027-01-05', ''],
        ['BRL 2026-12-11', 'cotizaciones 2026-12-07'],
        ['BRL 2026-12-13', ''],
      ])
        expect(expected.map((told) => told.replace(/ [\d.]*$/, ''))).toContain(`${line} ${from}`);
    },
  );

  it('a month has the same rates asked alone: of a later one none counts', async () => {
    const folder = await madeLakeFolder({ ...LAKE, cotizaciones });
    const asked = ['--named', 'libro-iva-compras', '--lake', folder, '--json'];
    const shown: string[] = [];
    for (const month of ['2026-11', '2026-12', '2027-01']) {
      const { stdout } = await runMain('query', ...asked, '--month', month);
      const rows: Record<string, string | null>[] = JSON.parse(stdout);
      for (const { moneda, fecha, cambio_de } of rows) shown.push(`${moneda} ${fecha} ${cambio_de}`);
    }
    expect(shown.sort()).toEqual(
      made.map(({ expected: { currency, day, from } }) => `${currency} ${day} ${from}`).sort(),
    );
  });

  it('the position and the form add these up, and count them', async () => {
    const answerOf = await madeLake({ ...LAKE, cotizaciones });
    const months = ['2026-11-01', '2026-12-01', '2027-01-01'];
    const groups = months.flatMap((month) =>
      CURRENCIES.map((currency) => ({
        month,
        currency,
        all: made
          .map(({ expected }) => expected)
          .filter(
            (expectation) =>
              expectation.currency === currency && expectation.day.startsWith(month.slice(0, 7)),
          ),
      })),
    );
    const isOfTable = ({ from }: Expected) => from?.startsWith('cotizaciones') === true;
    const position = (await answerOf('posicion-iva', TODAY)).filter((row) => row[3] !== 'todas');
    expect(position.map((row) => [1, 3, 4, 11, 13, 14, 16].map((index) => row[index])).sort()).toEqual(
      groups
        .map(({ month, currency, all }) => {
          const pesos = all.map(({ rate }) => (rate === null ? null : inPesos(VAT_CENTS, rate)));
          const lacking = all.filter(({ rate }) => rate === null).length;
          return [
            month,
            currency,
            String(all.length),
            centsText(sumOf(pesos)),
            String(lacking),
            String(all.filter(isOfTable).length),
            lacking === 0 ? null : 'falta tipo de cambio',
          ];
        })
        .sort(),
    );
    const form = await answerOf('formulario-2181', TODAY);
    const expected = months.flatMap((month) => {
      const all = groups.filter((group) => group.month === month).flatMap((group) => group.all);
      const known = all.filter(({ rate }) => rate !== null);
      const amount = centsText(sumOf(known.map(({ rate }) => inPesos(VAT_CENTS, rate ?? 0n))));
      return [
        [
          RUT,
          month,
          '505',
          String(known.length),
          amount,
          '0.00',
          String(known.filter(isOfTable).length),
          null,
        ],
        [RUT, month, null, String(all.length - known.length), null, null, null, 'falta tipo de cambio'],
      ];
    });
    expect(form.map((row) => [...row.slice(0, 2), ...row.slice(4)])).toEqual(expected);
  });

  it('a UR that comes at the end of its month counts where the beginning alone is asked for', async () => {
    const row = received('2026-10-03', 'A1', { moneda: 'UYR', totales_total: '122.06' });
    const folder = await madeLakeFolder({
      recibidos: [row],
      recibidos_detalle: [detail(row, { totales: JSON.stringify(VAT) })],
      cotizaciones: [{ fecha: '2026-10-30', moneda: 'UYR', valor: '1812.34', fuente: 'x' }],
    });
    const days = ['--from', '2026-10-01', '--to', '2026-10-10'];
    const asked = await runMain('query', '--named', 'libro-iva-compras', ...days, '--lake', folder, '--json');
    expect(JSON.parse(asked.stdout)).toMatchObject([{ cambio_de: 'cotizaciones 2026-10-30' }]);
  });

  it('a lake without the table answers as ever', async () => {
    const answer = await (await madeLake(LAKE))('libro-iva-compras', TODAY);
    const declaredCount = made.filter(({ expected }) => expected.from === 'comprobante').length;
    expect(answer.filter((row) => row[26] === 'comprobante' && row[25] !== null).length).toBe(declaredCount);
    expect(answer.filter((row) => row[28] === 'sin tipo de cambio').length).toBe(made.length - declaredCount);
  });
});

it('an e-Ticket’s limit is of the table’s UI where the year is not built in, its amount at the table’s rate', async () => {
  const ticket = (fecha: string, number: string, total: string) =>
    issued(fecha, number, {
      tipo_comprobante: 101,
      estado_dgi_codigo: 'NE',
      receptor_ruc: '',
      totales_total: total,
    });
  const limit = 5_000n * scaled(RATES.UYI?.get('2026-12-31') ?? '', 6);
  // The net in dollars, at the rate of the day before, just below and just above the limit.
  const rate = scaled(RATES.USD?.get('2027-01-14') ?? '', 6);
  const cents = (limit * 100n) / rate;
  const amounts = [cents, cents + 1n];
  const emitidos = amounts.map((amount, index) => ticket('2027-01-15', `A${index}`, centsText(amount) ?? ''));
  const emitidos_detalle = emitidos.map((row, index) =>
    detail(row, {
      totales: `{"moneda":"USD","mnt_no_gravado":${centsText(amounts[index] ?? null)}}`,
    }),
  );
  const answerOf = await madeLake({ emitidos, emitidos_detalle, cotizaciones });
  const [named, ...others] = await answerOf('e-tickets-sin-identificar', TODAY);
  expect(others).toEqual([]);
  expect({ numero: named?.[5], limite: named?.[8], cambio_de: named?.[11], nota: named?.[12] }).toEqual({
    numero: '1',
    limite: centsText(limit / 10_000n),
    cambio_de: 'cotizaciones 2027-01-14',
    nota: null,
  });
  const waiting = (await answerOf('unanswered-by-age', TODAY)).filter(([, whose]) => whose === 'dgi');
  expect(waiting.map((row) => row.slice(6))).toEqual([
    ['bajo el limite', null, '1'],
    ['sobre el limite', null, '1'],
  ]);
});

it('what a stated rate can be, where no other is known, is what one that comes in can', () => {
  const bands = [...queryPart('cambio').matchAll(/\('([A-Z]+)', ([\d.]+), ([\d.]+)\)/g)].map(
    ([, code = '', low = '', high = '']) => ({ code, low: scaled(low, 6), high: scaled(high, 6) }),
  );
  const known = KNOWN.map(({ code, pesos }) => {
    const all = pesos.flatMap(({ from }) => bandOf(code, from) ?? []);
    return {
      code,
      low: all.map(({ low }) => low).reduce((least, low) => (low < least ? low : least)),
      high: all.map(({ high }) => high).reduce((most, high) => (high > most ? high : most)),
    };
  });
  expect(bands).toEqual(known);
});
