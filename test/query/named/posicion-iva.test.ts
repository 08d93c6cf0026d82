import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withWrittenValues } from '../../../lib/query/written-values.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';
import { runMain } from '../../support/program/run-main.ts';
import { centsText, rowsBy, scaled, sumOf, type TextRow, unordered } from '../../support/query/exact-sums.ts';
import { type MadeRow, madeLake } from '../../support/query/made-lake.ts';
import { detail, issued, RUT, received } from '../../support/query/made-receipts.ts';
import { type Known, sharedQueriedLake } from '../../support/query/queried-lake.ts';
import {
  currencyOf,
  exceedsTotal,
  inPesos,
  isPurchaseSlip,
  isTrade,
  monthOf,
  rateOf,
  signed,
} from '../../support/query/receipt-kinds.ts';
import { readWorkbook } from '../../support/query/workbook.ts';

const QUERY = 'posicion-iva';
const WITHHOLDINGS = [182, 282];
const E_FACTURAS = [111, 112, 113, 141, 142, 143, 211, 212, 213, 241, 242, 243];
const E_TICKETS = [101, 102, 103, 131, 132, 133, 201, 202, 203, 231, 232, 233];
const WORDS = ['faltan detalles', 'falta tipo de cambio', 'hay que revisar', 'moneda desconocida'];

const lake = await sharedQueriedLake();

function conceptOf({ receipt: { direction, tipo_comprobante: type } }: Known): string {
  const isIssued = direction === 'emitidos';
  if (WITHHOLDINGS.includes(type)) return isIssued ? 'Retenciones efectuadas' : 'Retenciones sufridas';
  if (isIssued) return 'IVA de ventas';
  if (E_FACTURAS.includes(type)) return 'IVA de e-Facturas recibidas';
  return E_TICKETS.includes(type) ? 'IVA de e-Tickets recibidos' : 'IVA de otros recibidos';
}

/** What was withheld, in cents; null if the detail states nothing. */
function withheldBy({ receipt, wire }: Known): bigint | null {
  if (!WITHHOLDINGS.includes(receipt.tipo_comprobante) || wire === undefined) return null;
  const parts = wire.items.flatMap(
    (item) => (item.retenciones_percepciones ?? []) as { valor: number | string }[],
  );
  return sumOf(parts.map(({ valor }) => scaled(valor, 2)));
}

function vatOf({ receipt, wire }: Known, field: string): bigint | null {
  if (WITHHOLDINGS.includes(receipt.tipo_comprobante) || wire?.totales[field] === undefined) return null;
  return signed(receipt, scaled(wire.totales[field], 2));
}

const AMOUNTS: readonly ((known: Known) => bigint | null)[] = [
  (known) => vatOf(known, 'mnt_iva_tasa_minima'),
  (known) => vatOf(known, 'mnt_iva_tasa_basica'),
  withheldBy,
];

/** A receipt's currency, unless it is not known. */
function sums(members: readonly Known[], amountOf: (known: Known) => bigint | null): string | null {
  return centsText(sumOf(members.map((known) => (currencyOf(known) === null ? null : amountOf(known)))));
}

function noteOf(counts: readonly number[], currency: string | null | undefined): string | null {
  const words = WORDS.filter((_, index) => (counts[index] ?? 0) > 0 || (index === 3 && currency === null));
  return words.join(', ') || null;
}

describe('posicion-iva', () => {
  const isWithheld = ({ receipt }: Known) =>
    WITHHOLDINGS.includes(receipt.tipo_comprobante) && receipt.estado !== 'BE' && receipt.estado_dgi !== 'BE';

  it('has VAT and withholdings by concept and currency, in pesos too, and says what is not known', async () => {
    const counted = lake.known.filter(
      (known) => isWithheld(known) || (isTrade(known.receipt) && !isPurchaseSlip(known.receipt)),
    );
    const inPesosOf = (members: readonly Known[], amountOf: (known: Known) => bigint | null) =>
      sumOf(
        members.map((known) => (currencyOf(known) === null ? null : inPesos(amountOf(known), rateOf(known)))),
      );
    const isUnread = (known: Known) =>
      isWithheld(known) ? withheldBy(known) === null : known.wire === undefined;
    /** What is not known of receipts, and in words. */
    const lacksOf = (members: readonly Known[]) => {
      const withoutDetail = members.filter(isUnread).length;
      const withoutRate = members.filter((known) => !isUnread(known) && rateOf(known) === null).length;
      const isUnknown = members.some((known) => currencyOf(known) === null);
      const odd = members.filter((known) => !isWithheld(known) && exceedsTotal(known)).length;
      const note = noteOf([withoutDetail, withoutRate, odd], isUnknown ? null : 'known');
      return [...[withoutDetail, withoutRate, 0, odd].map(String), note];
    };
    const pesosOf = (members: readonly Known[]) => AMOUNTS.map((amountOf) => inPesosOf(members, amountOf));
    const rowOf = (
      members: readonly Known[],
      amounts: readonly (string | null)[],
      pesos: readonly (bigint | null)[],
    ) => [
      String(members.length),
      ...amounts,
      ...[...pesos, sumOf(pesos)].map(centsText),
      ...lacksOf(members),
    ];
    const NONE = AMOUNTS.map(() => null);
    const byCurrency = rowsBy(
      counted,
      (known) => [known.receipt.rut, monthOf(known.receipt), conceptOf(known), currencyOf(known)],
      (members) =>
        rowOf(
          members,
          AMOUNTS.map((amountOf) => sums(members, amountOf)),
          pesosOf(members),
        ),
    );
    const byConcept = rowsBy(
      counted,
      (known) => [known.receipt.rut, monthOf(known.receipt), conceptOf(known), 'todas'],
      (members) => rowOf(members, NONE, pesosOf(members)),
    );
    // What is due, as far as receipts say it: purchases by e-Factura subtract.
    const [sold, bought] = ['IVA de ventas', 'IVA de e-Facturas recibidas'];
    const due = rowsBy(
      counted.filter((known) => [sold, bought].includes(conceptOf(known))),
      (known) => [known.receipt.rut, monthOf(known.receipt), 'IVA de ventas menos e-Facturas', 'todas'],
      (members) => {
        const netted = AMOUNTS.map((amountOf) =>
          inPesosOf(members, (known) => {
            const amount = amountOf(known);
            return amount === null || conceptOf(known) === sold ? amount : -amount;
          }),
        );
        return rowOf(members, NONE, netted);
      },
    );
    const expected = [...byCurrency, ...byConcept, ...due];
    const answer = await lake.answerOf(QUERY);
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(new Set(answer.map((row) => row[2])).size).toBeGreaterThan(4);
    expect(answer.some((row) => row[3] === 'USD' && row[6] !== row[9])).toBe(true);
    expect(answer.some((row) => row[7] !== null && row[10] !== null)).toBe(true);
    expect(answer.some((row) => row.at(-1) === null)).toBe(true);
    expect(answer.some((row) => row.at(-1)?.includes('faltan detalles'))).toBe(true);
    // Sales stand first in each month.
    expect(answer[0]?.[2]).toBe('IVA de ventas');
  });

  it('adds up to the VAT by month, and in pesos to the books', async () => {
    const answer = (await lake.answerOf(QUERY)).filter((row) => row[3] !== null && row[3] !== 'todas');
    const bought = ['IVA de e-Facturas recibidas', 'IVA de e-Tickets recibidos', 'IVA de otros recibidos'];
    const cents = (text: string | null | undefined) => (text == null ? null : scaled(text, 2));
    const added = (rows: readonly TextRow[], columns: readonly number[]) =>
      columns.map((column) => centsText(sumOf(rows.map((row) => cents(row[column])))));
    const vat = (await lake.answerOf('vat-by-month')).filter((row) => row[3] !== null);
    for (const [direction, concepts, book] of [
      ['emitidos', ['IVA de ventas'], 'libro-iva-ventas'],
      ['recibidos', bought, 'libro-iva-compras'],
    ] as const) {
      const ofConcepts = answer.filter((row) => concepts.some((concept) => concept === row[2]));
      const key = (row: TextRow) => [row[0], row[1], row[3]].join();
      const sumsByMonth = [...Map.groupBy(ofConcepts, key)].map(([group, rows]) => [
        group,
        ...added(rows, [5, 6]),
      ]);
      const theirs = vat.filter((row) => row[1] === direction);
      expect(unordered(sumsByMonth)).toEqual(
        unordered(theirs.map((row) => [[row[0], row[2], row[3]].join(), row[8] ?? null, row[10] ?? null])),
      );
      const inBook = (await lake.answerOf(book)).filter((row) => row[8] !== null);
      expect(added(ofConcepts, [8, 9])).toEqual(added(inBook, [21, 23]));
    }
  });

  it('reads no more than it can, and says of what', async () => {
    const usd = (number: string) => received('2026-11-02', number, { moneda: 'USD' });
    const [rated, unrated, zero] = ['A1', 'A2', 'A3'].map(usd);
    const [worded, fraction, outdated] = ['A4', 'A5', 'A6'].map((number) => received('2026-11-03', number));
    const unknown = received('2026-11-03', 'A7', { tipo_comprobante: 199 });
    const [withheld, strange] = ['B1', 'B2'].map((number) =>
      received('2026-11-04', number, { tipo_comprobante: 182 }),
    );
    const [unnamed, unread] = ['C1', 'C2'].map((number) => issued('2026-11-05', number));
    const made = [rated, unrated, zero, worded, fraction, outdated, unknown, withheld, strange];
    if (!unnamed || !unread || made.some((row) => row === undefined)) throw new Error('all were made');
    const details: MadeRow[] = [
      {
        totales:
          '{"mnt_neto_iva_tasa_basica":50,"mnt_iva_tasa_basica":22,"mnt_neto_iva_tasa_minima":9,"mnt_iva_tasa_minima":"0.10","tipo_cambio":40.1255}',
      },
      { totales: '{"mnt_neto_iva_tasa_basica":50,"mnt_iva_tasa_basica":1}' },
      { totales: '{"mnt_neto_iva_tasa_basica":50,"mnt_iva_tasa_basica":2,"tipo_cambio":0}' },
      { totales: '{"mnt_iva_tasa_basica":"1,5","mnt_neto_iva_tasa_basica":7}' },
      {
        totales:
          '{"mnt_neto_iva_tasa_basica":50,"mnt_iva_tasa_basica":0.005,"mnt_neto_iva_tasa_minima":9,"mnt_iva_tasa_minima":0.004}',
      },
      { totales: '{"mnt_neto_iva_tasa_basica":50,"mnt_iva_tasa_basica":4}', motivo: 'x' },
      { totales: '{"mnt_neto_iva_tasa_basica":50,"mnt_iva_tasa_basica":8}' },
      { items: '[{"retenciones_percepciones":[{"valor":10.5},{"valor":1}]},{"monto":1}]' },
      { items: '[{"retenciones_percepciones":[{"valor":"?"}]}]' },
    ];
    const recibidos = made.filter((row): row is MadeRow => row !== undefined);
    const recibidos_detalle = recibidos.map((row, index) => detail(row, details[index] ?? {}));
    const emitidos_detalle = [
      detail(unnamed, { totales: '{"mnt_neto_iva_tasa_basica":50,"mnt_iva_tasa_basica":22}' }),
    ];
    const emitidos = [unnamed, unread];
    const answerOf = await madeLake({ recibidos, recibidos_detalle, emitidos, emitidos_detalle });
    const answer = (await answerOf(QUERY, '2026-11-20')).map((row) => row.slice(2));
    expect(answer.filter((row) => row[1] !== 'todas')).toEqual([
      // Of two receipts without a currency nothing is added up.
      ['IVA de ventas', null, '2', null, null, null, null, null, null, null, '1', '1', '0', '0'].concat(
        'faltan detalles, falta tipo de cambio, moneda desconocida',
      ),
      // 22 · 40.1255 = 882.761 and 0.10 · 40.1255 = 4.01255.
      ['IVA de e-Facturas recibidas', 'USD', '3', '0.10', '25.00', null, '4.01', '882.76', null].concat([
        '886.77',
        '0',
        '2',
        '0',
        '0',
        'falta tipo de cambio',
      ]),
      // The sum of cents is exact; pesos are rounded receipt by receipt.
      ['IVA de e-Facturas recibidas', 'UYU', '3', '0.00', '4.01', null, '0.00', '4.01', null].concat([
        '4.01',
        '0',
        '0',
        '0',
        '3',
        'hay que revisar',
      ]),
      [
        'IVA de otros recibidos',
        'UYU',
        '1',
        null,
        '8.00',
        null,
        null,
        '8.00',
        null,
        '8.00',
        '0',
        '0',
        '0',
        '1',
        'hay que revisar',
      ],
      ['Retenciones sufridas', 'UYU', '2', null, null, '11.50', null, null, '11.50'].concat([
        '11.50',
        '0',
        '0',
        '0',
        '1',
        'hay que revisar',
      ]),
    ]);
    const totals = answer.filter((row) => row[1] === 'todas').map((row) => [row[0], row[9], row.at(-1)]);
    expect(totals).toEqual([
      ['IVA de ventas', null, 'faltan detalles, falta tipo de cambio, moneda desconocida'],
      // 886.77 and 4.01.
      ['IVA de e-Facturas recibidas', '890.78', 'falta tipo de cambio, hay que revisar'],
      // Of a type that is not known, nor its sign.
      ['IVA de otros recibidos', '8.00', 'hay que revisar'],
      ['Retenciones sufridas', '11.50', 'hay que revisar'],
      [
        'IVA de ventas menos e-Facturas',
        '-890.78',
        'faltan detalles, falta tipo de cambio, hay que revisar, moneda desconocida',
      ],
    ]);
    expect((await answerOf(QUERY, '2026-11-20'))[0]?.slice(0, 2)).toEqual([RUT, '2026-11-01']);
  });
});

describe('its workbook', () => {
  it('has headings in words and a total in pesos for each line, by either name of the query', async () => {
    for (const name of ['posicion-iva', 'vat-position']) {
      const file = join(newFolder(), 'position.xlsx');
      const asked = ['--named', name, '--rut', '219999830019', '--month', '2026-10', '--accept', 'days'];
      const { code } = await runMain('query', ...asked, '--lake', lake.folder, '--out', file);
      const [sheet, notes] = readWorkbook(readFileSync(file));
      const row = (line: number) =>
        [...'ABCDEFGHIJKLMNOP'].map((at) => sheet?.cells.get(`${at}${line}`)?.value);
      expect({ code, sheet: sheet?.name, notes: notes?.name }).toEqual({
        code: 0,
        sheet: 'IVA y retenciones',
        notes: 'Notas',
      });
      expect(row(5)).toEqual([
        'Mes',
        'Concepto',
        'Moneda',
        'Comprobantes',
        'IVA tasa mínima',
        'IVA tasa básica',
        'Retenido',
        'IVA tasa mínima en pesos',
        'IVA tasa básica en pesos',
        'Retenido en pesos',
        'Total en pesos',
        'Sin detalle',
        'Sin tipo de cambio',
        'Con cotización',
        'Por revisar',
        'Nota',
      ]);
      const lines = Array.from({ length: 40 }, (_, index) => row(6 + index)).filter(([month]) => month);
      expect(lines.length).toBeGreaterThan(4);
      // Totals stand below all else, out of the filter.
      const totals = lines.flatMap(([, concept, currency], index) =>
        currency === 'todas' ? [[concept, index]] : [],
      );
      expect(totals.at(-1)).toEqual(['IVA de ventas menos e-Facturas', lines.length - 1]);
      expect(sheet?.filter).toBe(`A5:P${5 + lines.length - totals.length}`);
      for (const line of lines) {
        const [sum, total] = [line.slice(7, 10), line.slice(10, 11)].map((amounts) =>
          amounts.reduce((cents, amount) => cents + Math.round(Number(amount) * 100), 0),
        );
        expect(total).toBe(sum);
      }
    }
  });

  it('writes values as people read them, each in its own column alone', () => {
    const columns = ['nota', 'e_ticket', 'nombre'].map((name) => ({ name, type: 'VARCHAR' }));
    const rows = [
      ['mas de dos decimales', 'bajo el limite, con la UI de 2026', 'bajo el limite'],
      [null, 'sobre el limite', 'x'],
    ];
    expect(withWrittenValues({ columns, rows }).rows).toEqual([
      ['más de dos decimales', 'por debajo del límite, con la UI de 2026', 'bajo el limite'],
      [null, 'por encima del límite', 'x'],
    ]);
  });
});
