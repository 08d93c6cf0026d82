import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Direction } from '../../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../../sandbox/generator/receipts.ts';
import { campaign } from '../../support/campaign.ts';
import { centsText, rowsBy, sumOf, type TextRow, unordered } from '../../support/query/exact-sums.ts';
import { newQueriedLake, type QueriedLake, TODAY } from '../../support/query/queried-lake.ts';
import { isCreditNote, isPurchaseSlip, isTrade, monthOf, signed } from '../../support/query/receipt-kinds.ts';
import { AHEAD_DAY, asSent, LATE_DAY } from '../../support/query/sent-receipts.ts';

/** Consecutive days, for numbers; old days, for ages; and a day in the future. */
const DAYS = [
  '2026-07-20',
  '2026-10-05',
  '2026-11-15',
  '2026-11-16',
  '2026-11-17',
  LATE_DAY,
  AHEAD_DAY,
] as const;
const DAY_AHEAD = '2026-11-21';

let lake: QueriedLake;
beforeAll(async () => {
  const days = { lists: [...DAYS, TODAY, DAY_AHEAD], details: [] } as const;
  lake = await newQueriedLake(days, campaign({ quick: 0.25, long: 1 }));
});
afterAll(() => lake.close());

function receiptsOf(direction: Direction): SandboxReceipt[] {
  return lake.known.map(({ receipt }) => receipt).filter((receipt) => receipt.direction === direction);
}

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

function signedOn({ fecha_firma: signature }: SandboxReceipt): string {
  return signature.slice(0, 10);
}

function nameOf(party: SandboxReceipt['receptor']): string | null {
  return party === null ? null : JSON.parse(party.nameJson);
}

describe('plain code finds what is owed, as the query does:', () => {
  it('payables by supplier', async () => {
    const onCredit = receiptsOf('recibidos').filter(
      (receipt) =>
        receipt.forma_pago === 2 && isTrade(receipt) && !isPurchaseSlip(receipt) && receipt.total !== 0n,
    );
    const expected = rowsBy(
      onCredit,
      (receipt) => [
        receipt.rut,
        receipt.emisor.document,
        nameOf(receipt.emisor),
        monthOf(receipt),
        receipt.moneda,
      ],
      (members) => [
        String(members.length),
        centsText(sumOf(members.map((receipt) => signed(receipt, receipt.total)))),
        centsText(sumOf(members.map((receipt) => signed(receipt, receipt.total_pagar)))),
        String(
          members.filter(({ total, total_pagar: payable }) => total === null || payable === null).length,
        ),
      ],
    );
    const answer = await lake.answerOf('payables-by-supplier');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(answer.some(([, , , , , , total, payable]) => total !== payable)).toBe(true);
    expect(answer.some((row) => row.at(-1) !== '0')).toBe(true);
    expect(answer.some(([, , , , , , total]) => total?.startsWith('-'))).toBe(true);
  });

  it('duplicate supplier invoices', async () => {
    const invoices = receiptsOf('recibidos').filter(
      (receipt) =>
        isTrade(receipt) && !isPurchaseSlip(receipt) && !isCreditNote(receipt) && (receipt.total ?? 0n) > 0n,
    );
    const alike = Map.groupBy(invoices, ({ rut, emisor, tipo_comprobante: type, moneda, total }) =>
      [rut, emisor.document, String(type).slice(1), moneda, total].join(),
    );
    const expected = [...alike.values()].flatMap((group) => {
      const ordered = group.toSorted((a, b) => a.day.localeCompare(b.day) || (a.id < b.id ? -1 : 1));
      return ordered.flatMap((later, index) => {
        const earlier = ordered[index - 1];
        if (earlier === undefined || daysBetween(earlier.day, later.day) > 15) return [];
        return [
          [
            later.rut,
            later.emisor.document,
            nameOf(later.emisor),
            String(later.tipo_comprobante),
            later.moneda,
            centsText(later.total),
            later.day,
            later.serie,
            String(later.numero),
            earlier.day,
            earlier.serie,
            String(earlier.numero),
            ...[daysBetween(earlier.day, later.day), later.id, earlier.id].map(String),
          ],
        ];
      });
    });
    const answer = await lake.answerOf('duplicate-supplier-invoices');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(answer.length).toBeGreaterThan(3);
  });
});

describe('plain code finds odd numbers and dates, as the query does:', () => {
  it('numbering gaps, against rejected numbers', async () => {
    const gone = lake.gone.filter(({ direction }) => direction === 'emitidos').map(asSent);
    const goneIds = new Set(gone.map(({ id }) => id));
    const series = Map.groupBy(
      [...receiptsOf('emitidos'), ...gone],
      ({ rut, tipo_comprobante: type, serie }) => JSON.stringify([rut, String(type), serie]),
    );
    const expected: TextRow[] = [];
    for (const [key, members] of series) {
      const byNumber = new Map(members.map((receipt) => [receipt.numero, receipt]));
      const numbers = [...byNumber.keys()];
      const whyNot = (number: number): string => {
        const receipt = byNumber.get(number);
        if (receipt === undefined) return 'falta';
        if (goneIds.has(receipt.id)) return 'desaparecido';
        return receipt.estado_dgi === 'BE' ? 'rechazado' : '';
      };
      const last = Math.max(...numbers);
      // Number by number, unlike the SQL.
      for (let number = Math.min(...numbers); number <= last; ) {
        const why = whyNot(number);
        let end = number;
        while (end < last && whyNot(end + 1) === why) end += 1;
        if (why !== '') {
          const sides = why === 'falta' ? [number - 1, end + 1] : numbersFrom(number, end);
          const days = sides.map((side) => byNumber.get(side)?.day ?? '').sort();
          expected.push([
            ...JSON.parse(key),
            why,
            ...[number, end, end - number + 1].map(String),
            why === 'falta' ? (byNumber.get(number - 1)?.day ?? null) : (days[0] ?? null),
            why === 'falta' ? (byNumber.get(end + 1)?.day ?? null) : (days.at(-1) ?? null),
          ]);
        }
        number = end + 1;
      }
    }
    const answer = await lake.answerOf('numbering-gaps');
    expect(unordered(answer)).toEqual(unordered(expected));
    const situations = Map.groupBy(answer, ([, , , situation]) => situation);
    expect([...situations.keys()].sort()).toEqual(['desaparecido', 'falta', 'rechazado']);
    // Single numbers were skipped, not only the days between.
    expect(answer.filter((row) => row[3] === 'falta' && row[6] === '1').length).toBeGreaterThan(10);
  });

  it('late-signed and future-dated receipts', async () => {
    const expected = lake.known.flatMap(({ receipt }): TextRow[] => {
      const { rut, direction, day, tipo_comprobante: type, serie, numero, moneda, total, id } = receipt;
      const days = daysBetween(day, signedOn(receipt));
      if (days === 0) return [];
      const isIssued = direction === 'emitidos';
      return [
        [
          rut,
          direction,
          days > 0 ? 'firmado tarde' : 'fechado a futuro',
          String(Math.abs(days)),
          String(day > TODAY),
          day,
          signedOn(receipt),
          String(type),
          serie,
          String(numero),
          nameOf(isIssued ? receipt.receptor : receipt.emisor),
          isIssued ? null : moneda,
          centsText(total),
          isIssued ? receipt.estado_dgi : receipt.estado,
          String(id),
        ],
      ];
    });
    const answer = await lake.answerOf('late-signed-and-future-dated');
    expect(unordered(answer)).toEqual(unordered(expected));
    const kinds = new Set(answer.map(([, direction, situation]) => `${direction} ${situation}`));
    expect(kinds.size).toBe(4);
    expect(answer.some(([, , , , isAhead]) => isAhead === 'true')).toBe(true);
  });
});

describe('plain code finds what waits, as the query does:', () => {
  it('rejected receipts by age', async () => {
    const expected = lake.known.flatMap(({ receipt }): TextRow[] => {
      const { rut, direction, day, tipo_comprobante: type, serie, numero, moneda, total, id } = receipt;
      const { estado, estado_dgi: verdict, estado_receptor: answered } = receipt;
      const isRefused = answered !== null && answered !== 'ACEPTADO';
      if (estado !== 'BE' && verdict !== 'BE' && !isRefused) return [];
      const isIssued = direction === 'emitidos';
      const other = isIssued ? receipt.receptor : receipt.emisor;
      return [
        [
          rut,
          direction,
          String(daysBetween(signedOn(receipt), TODAY)),
          day,
          String(type),
          serie,
          String(numero),
          other?.document ?? null,
          nameOf(other),
          isIssued ? null : moneda,
          centsText(total),
          estado,
          verdict,
          answered,
          String(id),
        ],
      ];
    });
    const answer = await lake.answerOf('rejected-by-age');
    expect(unordered(answer)).toEqual(unordered(expected));
    const ages = answer.map(([, , days]) => Number(days));
    expect(ages).toEqual(ages.toSorted((a, b) => b - a));
    expect({ oldest: ages.at(0), newest: ages.at(-1) }).toEqual({ oldest: 123, newest: 1 });
    expect(new Set(answer.map(([, direction]) => direction)).size).toBe(2);
    expect(answer.some((row) => row[13] === 'RECHAZADO' && row[12] !== 'BE')).toBe(true);
  });

  it('unanswered receipts by age', async () => {
    const isOpen = (status: string | null) => status === null || status === 'NE';
    const waiting = lake.known.flatMap(({ receipt }) => {
      const isIssued = receipt.direction === 'emitidos';
      const isWithCompany = /^\d{12}$/.test(receipt.receptor?.document ?? '');
      const isAwaited = isWithCompany && receipt.estado_dgi !== 'BE' && receipt.estado_receptor === null;
      const missing = [
        ...(isIssued && isOpen(receipt.estado_dgi) ? ['dgi'] : []),
        ...(isIssued && isAwaited ? ['receptor'] : []),
        ...(!isIssued && isOpen(receipt.estado) ? ['estado'] : []),
      ];
      return missing.map((whose) => ({ receipt, whose }));
    });
    const expected = rowsBy(
      waiting,
      ({ receipt, whose }) => {
        const age = daysBetween(signedOn(receipt), TODAY);
        const ageClass = age > 60 ? '61 o mayor' : age > 20 ? '21 a 60' : '0 a 20';
        return [receipt.rut, whose, ageClass, String(receipt.tipo_comprobante)];
      },
      (members) => [
        String(members.length),
        members.map(({ receipt }) => signedOn(receipt)).sort()[0] ?? null,
        members.every(({ receipt, whose }) => whose === 'dgi' && isTicket(receipt.tipo_comprobante))
          ? 'sin leer el detalle'
          : null,
        null,
        '0',
      ],
    );
    const answer = await lake.answerOf('unanswered-by-age');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(new Set(answer.map(([, whose]) => whose))).toEqual(new Set(['dgi', 'receptor', 'estado']));
    expect(new Set(answer.map(([, , age]) => age)).size).toBe(3);
  });
});

function isTicket(type: number): boolean {
  return [1, 2, 3, 31, 32, 33].includes(type % 100);
}

function numbersFrom(start: number, end: number): number[] {
  return Array.from({ length: end - start + 1 }, (_, index) => start + index);
}
