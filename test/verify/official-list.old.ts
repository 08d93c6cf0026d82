import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileCell, officialList } from '../../lib/verify/official-list.ts';

const TITLE: FileCell[][] = [['CFE Recibidos'], ['Fecha desde', '01/10/2026'], ['Fecha hasta', '31/10/2026']];
/** The received list, as one program reads it, in its order. */
const FULL = [
  ...['Fecha', 'Tipo', 'Serie', 'Número', 'RUT Emisor', 'Moneda', 'Monto Neto', 'Monto IVA', 'Monto Total'],
  ...['Monto Ret/Per', 'Monto Cred. Fiscal'],
];

function listOf(...rows: FileCell[][]) {
  return officialList('lista.xlsx', rows);
}

describe('the authority’s list', () => {
  it('is read below its title, by the words of its heading', () => {
    const row = ['19/10/2026', 'e-Factura', 'A', 12, '211003420017', 'USD', 100, 22, 122, 0, 0];
    const { receipts, columns, direction, days, unread } = listOf(...TITLE, FULL, row, []);
    expect([direction, days, unread]).toEqual(['recibidos', { from: '2026-10-01', to: '2026-10-31' }, []]);
    expect(Object.fromEntries(columns)).toEqual({
      ...{ fecha: 'Fecha', tipo: 'Tipo', serie: 'Serie', numero: 'Número', emisor: 'RUT Emisor' },
      ...{ moneda: 'Moneda', neto: 'Monto Neto', iva: 'Monto IVA', total: 'Monto Total' },
    });
    expect(receipts).toEqual([
      {
        ...{ row: 5, type: 111, series: 'A', number: 12, issuer: '211003420017', day: '2026-10-19' },
        ...{ currency: 'USD', net: 10_000n, vat: 2_200n, total: 12_200n },
      },
    ]);
  });

  it.each([
    [['Fecha Comprobante', 'Tipo CFE', 'Serie', 'Nro.', 'RUT emisor', 'RUT receptor', 'Monto total']],
    [['FECHA', 'CFE', 'SERIE', 'NUMERO', 'RUT', 'TOTAL']],
    [['Fecha de emisión', 'Tipo de comprobante', 'Serie', 'N°', 'Documento del emisor', 'Importe total']],
  ])('is known by other words: %j', (heading) => {
    const cells: FileCell[] = heading.map((name) => (/(rut|documento)/i.test(name) ? '211003420017' : null));
    const at = (form: RegExp) => heading.findIndex((name) => form.test(name));
    cells[at(/tipo|cfe/i)] = '101';
    cells[at(/^serie/i)] = 'b';
    cells[at(/^n/i)] = '7';
    cells[at(/total/i)] = '1.234,50';
    expect(listOf(heading, cells).receipts).toMatchObject([
      { type: 101, series: 'B', number: 7, issuer: '211003420017', total: 123_450n },
    ]);
  });

  it.each([
    ['101', 101],
    ['111 - e-Factura', 111],
    ['e-Ticket', 101],
    ['Nota de Crédito de e-Factura', 112],
    ['e-Factura Nota de Débito', 113],
    ['NC e-Ticket', 102],
    ['e-Resguardo', 182],
    ['e-Factura, contingencia', 211],
  ])('takes %s for the type %i', (text, code) => {
    expect(listOf(FULL, ['19/10/2026', text, 'A', '1']).receipts[0]?.type).toBe(code);
  });

  it('names the rows that are no receipt, and leaves out empty ones and totals', () => {
    const rows = [
      ['19/10/2026', 'papel', 'A', 1],
      ['', 111, 'A', 'doce'],
      ['Totales', '', '', '', '', '', 5],
      [],
    ];
    expect(listOf(FULL, ...rows).unread).toEqual([
      { row: 2, reason: 'its type is unknown' },
      { row: 3, reason: 'its number is no number' },
    ]);
  });

  it('is refused without a heading in its first rows', () => {
    expect(() => listOf(['Fecha', 'Importe'], ['19/10/2026', 5])).toThrow(
      'lista.xlsx is no list of receipts that this program can read: none of its first 30 rows is a heading',
    );
  });

  it('has amounts to the cent, however they are written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 14n - 1n }), (cents) => {
        const [whole, fraction] = [cents / 100n, String(cents % 100n).padStart(2, '0')];
        const grouped = whole.toLocaleString('en').replaceAll(',', '.');
        const forms = [
          `${whole},${fraction}`,
          `${whole}.${fraction}`,
          `${grouped},${fraction}`,
          `-${whole}.${fraction}`,
        ];
        for (const form of [...forms, `$ ${grouped},${fraction}`, Number(`${whole}.${fraction}`)]) {
          const row = ['19/10/2026', 111, 'A', 1, '', '', null, null, form];
          expect([form, listOf(FULL, row).receipts[0]?.total]).toEqual([form, cents]);
        }
      }),
    );
  });
});
