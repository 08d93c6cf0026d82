import { describe, expect, it } from 'vitest';
import type { Direction } from '../../../lib/units/unit.ts';
import { centsText, millisText, rowsBy, scaled, sumOf, unordered } from '../../support/query/exact-sums.ts';
import { type Known, sharedQueriedLake } from '../../support/query/queried-lake.ts';
import {
  currencyOf,
  exceedsTotal,
  isCreditNote,
  isPurchaseSlip,
  isTrade,
  monthOf,
  signed,
  VAT_FIELDS,
} from '../../support/query/receipt-kinds.ts';

const lake = await sharedQueriedLake();

function knownOf(direction: Direction): Known[] {
  return lake.known.filter(({ receipt }) => receipt.direction === direction);
}

function totalOf(members: readonly Known[]): string | null {
  return centsText(sumOf(members.map(({ receipt }) => signed(receipt, receipt.total))));
}

/** Company, month, type and currency; the number of receipts, their total, and the number without a total. */
function tradeByMonth(receipts: readonly Known[]): (string | null)[][] {
  return rowsBy(
    receipts.filter(({ receipt }) => isTrade(receipt)),
    (known) => [
      known.receipt.rut,
      monthOf(known.receipt),
      String(known.receipt.tipo_comprobante),
      currencyOf(known),
    ],
    (members) => [
      String(members.length),
      totalOf(members),
      String(members.filter(({ receipt }) => receipt.total === null).length),
    ],
  );
}

describe('plain code adds up what was sold and bought, as the query does:', () => {
  it('sales by month, type and currency', async () => {
    const issued = knownOf('emitidos').filter(({ receipt }) => !isPurchaseSlip(receipt));
    const slips = knownOf('recibidos').filter(({ receipt }) => isPurchaseSlip(receipt));
    const expected = tradeByMonth([...issued, ...slips]);
    const answer = await lake.answerOf('sales-by-month');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(new Set(answer.map(([, month]) => month))).toEqual(
      new Set(['2026-09-01', '2026-10-01', '2026-11-01']),
    );
    expect(answer.some(([, , , currency]) => currency === null)).toBe(true);
    expect(answer.some(([, , , , , , lacking]) => lacking !== '0')).toBe(true);
    expect(answer.some(([, , type]) => type === '151')).toBe(true);
    // One receipt has an amount that no double holds.
    expect(answer.some(([, , , , , total]) => /^\d{15}\.\d\d$/.test(total ?? ''))).toBe(true);
    expect(answer.some(([, , type, , , total]) => type === '112' && total?.startsWith('-'))).toBe(true);
  });

  it('purchases by month, type and currency', async () => {
    const received = knownOf('recibidos').filter(({ receipt }) => !isPurchaseSlip(receipt));
    const slips = knownOf('emitidos').filter(({ receipt }) => isPurchaseSlip(receipt));
    const expected = tradeByMonth([...received, ...slips]);
    const answer = await lake.answerOf('purchases-by-month');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(answer.some(([, , type, currency]) => type === '112' && currency === 'USD')).toBe(true);
    expect(answer.some(([, , type]) => type === '151')).toBe(true);
    expect(answer.some(([, , , , , , lacking]) => lacking !== '0')).toBe(true);
  });

  it('items sold', async () => {
    const lines = knownOf('emitidos').flatMap((known) => {
      const { receipt, wire } = known;
      if (wire === undefined || !isTrade(receipt) || isPurchaseSlip(receipt)) return [];
      const billable = wire.items.filter(({ indicador_facturacion: code }) => code !== 6 && code !== 7);
      return billable.map((line) => ({ receipt, line, currency: currencyOf(known) }));
    });
    const expected = rowsBy(
      lines,
      ({ receipt, line, currency }) => [
        receipt.rut,
        ...[line.codigo, line.nombre, line.unidad_medida].map((text) => String(text ?? null)),
        currency,
      ],
      (members) => [
        String(new Set(members.map(({ receipt }) => receipt.id)).size),
        millisText(sumOf(members.map(({ receipt, line }) => signed(receipt, scaled(line.cantidad, 3))))),
        centsText(sumOf(members.map(({ receipt, line }) => signed(receipt, scaled(line.monto, 2))))),
        '0',
        '0',
      ],
    );
    expect(expected.length).toBeGreaterThan(100);
    expect(unordered(await lake.answerOf('items-sold'))).toEqual(unordered(expected));
  });

  it('receivables by due date', async () => {
    const due = knownOf('emitidos').filter(
      ({ receipt, wire }) =>
        wire?.fecha_vencimiento !== undefined &&
        isTrade(receipt) &&
        !isPurchaseSlip(receipt) &&
        receipt.total !== 0n,
    );
    const expected = rowsBy(
      due,
      (known) => [known.receipt.rut, known.wire?.fecha_vencimiento?.slice(0, 10) ?? null, currencyOf(known)],
      (members) => [
        String(members.length),
        centsText(sumOf(members.map(({ receipt }) => signed(receipt, receipt.total_pagar)))),
        '0',
      ],
    );
    expect(expected.length).toBeGreaterThan(10);
    const answer = await lake.answerOf('receivables-by-due-date');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(answer).toEqual(answer.toSorted((a, b) => (a.slice(0, 3).join() < b.slice(0, 3).join() ? -1 : 1)));
  });
});

describe('plain code adds up what the tax authority asks for, as the query does:', () => {
  it('VAT by month', async () => {
    const expected = rowsBy(
      lake.known.filter(({ receipt }) => isTrade(receipt) && !isPurchaseSlip(receipt)),
      (known) => [known.receipt.rut, known.receipt.direction, monthOf(known.receipt), currencyOf(known)],
      (members) => [
        String(members.length),
        ...VAT_FIELDS.map((field) =>
          centsText(
            sumOf(
              members.map(({ receipt, wire }) =>
                wire === undefined ? null : signed(receipt, scaled(wire.totales[field], 2)),
              ),
            ),
          ),
        ),
        String(members.filter(({ wire }) => wire === undefined).length),
        String(members.filter(exceedsTotal).length),
      ],
    );
    const answer = await lake.answerOf('vat-by-month');
    expect(unordered(answer)).toEqual(unordered(expected));
    const [whole, lacking] = [true, false].map((isWhole) =>
      answer.filter((row) => (row[11] === '0') === isWhole && row[9] !== null),
    );
    expect(whole?.length).toBeGreaterThan(0);
    expect(lacking?.length).toBeGreaterThan(0);
  });

  it('the daily report', async () => {
    const expected = rowsBy(
      knownOf('emitidos').filter(({ receipt }) => receipt.fecha_firma >= '2026-10-01'),
      (known) => [
        known.receipt.rut,
        known.receipt.fecha_firma.slice(0, 10),
        String(known.receipt.tipo_comprobante),
        known.receipt.day,
        known.wire === undefined ? null : String(known.wire.emisor.codigo_sucursal),
        currencyOf(known),
      ],
      (members) => {
        const standing = members.filter(({ receipt }) => receipt.estado_dgi !== 'BE');
        return [
          String(members.length),
          String(members.length - standing.length),
          centsText(sumOf(standing.map(({ receipt }) => receipt.total))),
          String(standing.filter(({ receipt }) => receipt.total === null).length),
        ];
      },
    );
    const answer = await lake.answerOf('daily-report');
    expect(unordered(answer)).toEqual(unordered(expected));
    // Several branches, rejected receipts, and receipts that were signed on another day.
    expect(new Set(answer.map(([, , , , branch]) => branch)).size).toBeGreaterThan(2);
    expect(answer.some((row) => row[7] !== '0')).toBe(true);
    expect(answer.some(([, signedDay, , day]) => signedDay !== day)).toBe(true);
  });

  it('credit notes without a reference', async () => {
    const expected = lake.known
      .filter(({ receipt, wire }) => isCreditNote(receipt) && wire?.referencias.length === 0)
      .map((known) => {
        const { receipt } = known;
        const status = receipt.direction === 'emitidos' ? receipt.estado_dgi : receipt.estado;
        const { rut, direction, day, tipo_comprobante: type, serie, numero, total, id } = receipt;
        const amount = centsText(total);
        return [
          rut,
          direction,
          day,
          String(type),
          serie,
          String(numero),
          currencyOf(known),
          amount,
          status,
          String(id),
        ];
      });
    expect(new Set(expected.map(([, direction]) => direction)).size).toBe(2);
    expect(unordered(await lake.answerOf('credit-notes-without-reference'))).toEqual(unordered(expected));
  });
});
