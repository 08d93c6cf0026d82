import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textColumn } from '../../../lib/query/answer.ts';
import { bookOf, companySheets } from '../../../lib/query/vat-book.ts';
import { isValidRut } from '../../../lib/units/rut.ts';
import type { Direction } from '../../../lib/units/unit.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';
import { runLine, runMain } from '../../support/program/run-main.ts';
import {
  cellText,
  centsText,
  rowsBy,
  scaled,
  sumOf,
  type TextRow,
  unordered,
} from '../../support/query/exact-sums.ts';
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
  VAT_FIELDS,
} from '../../support/query/receipt-kinds.ts';
import { type ReadSheet, readWorkbook } from '../../support/query/workbook.ts';

const BOOKS = [
  { book: 'libro-iva-ventas', direction: 'emitidos' },
  { book: 'libro-iva-compras', direction: 'recibidos' },
] as const;

const lake = await sharedQueriedLake();

function inBooks(direction: Direction): Known[] {
  return lake.known.filter(
    ({ receipt }) => receipt.direction === direction && isTrade(receipt) && !isPurchaseSlip(receipt),
  );
}

/** The amounts by rate, as stated, with the type's sign; null where no detail was read. */
function amountsOf({ receipt, wire }: Known): (bigint | null)[] {
  return VAT_FIELDS.map((field) =>
    wire?.totales[field] === undefined ? null : signed(receipt, scaled(wire.totales[field], 2)),
  );
}

function lineOf(known: Known): TextRow {
  const { receipt, wire } = known;
  const isIssued = receipt.direction === 'emitidos';
  const other = isIssued ? receipt.receptor : receipt.emisor;
  const stated = amountsOf(known);
  const total = signed(receipt, receipt.total);
  const rest = total === null || wire === undefined ? null : total - (sumOf(stated) ?? 0n);
  const amounts = [...stated, rest, total];
  const rate = rateOf(known);
  return [
    receipt.rut,
    receipt.day,
    String(receipt.tipo_comprobante),
    receipt.serie,
    String(receipt.numero),
    other?.document ?? null,
    other === null ? null : JSON.parse(other.nameJson),
    currencyOf(known),
    rate === null ? null : `${rate / 1000n}.${String(rate % 1000n).padStart(3, '0')}000`,
    ...amounts.map(centsText),
    ...amounts.map((amount) => centsText(inPesos(amount, rate))),
    rate === null || currencyOf(known) === 'UYU' ? null : 'comprobante',
    isIssued ? receipt.estado_dgi : receipt.estado,
    noteOf(known),
    String(receipt.id),
  ];
}

function noteOf({ receipt, wire }: Known): string | null {
  const currency = currencyOf({ receipt, wire });
  const lacksRate = currency !== null && rateOf({ receipt, wire }) === null;
  const ofTotal = receipt.total === null ? ['sin total'] : [];
  const lack =
    wire === undefined ? ['sin desglose'] : exceedsTotal({ receipt, wire }) ? ['no cierra'] : ofTotal;
  return [...lack, ...(lacksRate ? ['sin tipo de cambio'] : [])].join(', ') || null;
}

describe.each(BOOKS)('$book', ({ book, direction }) => {
  it('has a line for each receipt, in its currency and in pesos', async () => {
    const answer = await lake.answerOf(book);
    const withoutName = answer.map((row) => row.toSpliced(3, 1));
    expect(unordered(withoutName)).toEqual(unordered(inBooks(direction).map(lineOf)));
    const names = new Map(answer.map((row) => [row[2], row[3]]));
    expect(names.get('112')).toBe('Nota de crédito de e-Factura');
    expect(answer.some((row) => row[8] === 'USD' && row[25] !== null)).toBe(true);
    expect(new Set(answer.map((row) => row.at(-2)))).toEqual(
      new Set([
        null,
        'sin desglose',
        'sin total',
        ...(direction === 'recibidos' ? ['sin desglose, sin tipo de cambio', 'no cierra'] : []),
      ]),
    );
  });

  it('adds up to the VAT by month', async () => {
    const answer = await lake.answerOf(book);
    const months = Map.groupBy(answer, (row) => [row[0], `${row[1]?.slice(0, 7)}-01`, row[8]].join());
    const sums = [...months].map(([key, rows]) => [
      key,
      String(rows.length),
      ...VAT_FIELDS.map((_, index) =>
        centsText(
          sumOf(rows.map((row) => (row[10 + index] == null ? null : scaled(row[10 + index] ?? '', 2)))),
        ),
      ),
    ]);
    const vat = (await lake.answerOf('vat-by-month')).filter((row) => row[1] === direction);
    expect(unordered(sums)).toEqual(
      unordered(vat.map((row) => [[row[0], row[2], row[3]].join(), ...row.slice(4, 11)])),
    );
    expect(new Set(inBooks(direction).map(({ receipt }) => monthOf(receipt))).size).toBe(3);
  });
});

describe.each(BOOKS)('the workbook of $book', ({ book, direction }) => {
  const RUT = '219999830019';
  const month = ['--rut', RUT, '--month', '2026-10'];

  async function sheetsOf(name: string): Promise<ReadSheet[]> {
    const file = join(newFolder(), 'book.xlsx');
    const words = ['query', '--named', name, ...month, '--lake', lake.folder, '--out', file];
    expect((await runMain(...words, '--accept', 'days')).code).toBe(0);
    return readWorkbook(readFileSync(file));
  }

  it('says whose it is and of when, has headings in words, and totals by currency and in pesos', async () => {
    const lines = inBooks(direction).filter(
      ({ receipt }) => receipt.rut === RUT && monthOf(receipt) === '2026-10-01',
    );
    const [toPrint, sheet, notes] = await sheetsOf(book);
    expect({ toPrint: toPrint?.name.replace(/ (ventas|compras)$/, ''), allColumns: sheet?.name }).toEqual({
      toPrint: 'Libro IVA',
      allColumns: 'Todas las columnas',
    });
    if (sheet === undefined) throw new Error('there is no sheet');
    const valueAt = (column: string, row: number) => sheet.cells.get(`${column}${row}`)?.value;
    expect([1, 2, 3, 4].map((row) => valueAt('A', row))).toEqual([
      expect.stringMatching(/^Faltan días, o hay que volver a leerlos: RUT 219999830019: recibidos /),
      direction === 'emitidos' ? 'Libro IVA ventas' : 'Libro IVA compras',
      expect.stringMatching(/^Supermercados La Ñandubaysera.* RUT 219999830019$/),
      'octubre de 2026',
    ]);
    const heading = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((column) => valueAt(column, 5));
    expect(heading.slice(0, 15)).toEqual([
      'Fecha',
      'Tipo',
      'Comprobante',
      'Serie',
      'Número',
      'RUT o documento',
      direction === 'emitidos' ? 'Cliente' : 'Proveedor',
      'Moneda',
      'Tipo de cambio',
      'No gravado',
      'Exportación',
      'Neto tasa mínima',
      'IVA tasa mínima',
      'Neto tasa básica',
      'IVA tasa básica',
    ]);
    expect(heading[22]).toBe('IVA tasa básica en pesos');
    // Twenty-nine columns need two pages side by side.
    expect({
      frozenRows: sheet.frozenRows,
      orientation: sheet.paper?.orientation,
      fitToWidth: sheet.paper?.fitToWidth,
    }).toEqual({ frozenRows: '5', orientation: 'landscape', fitToWidth: '2' });
    const last = 5 + lines.length;
    expect(sheet.filter).toMatch(new RegExp(`^A5:[A-Z]+${last}$`));
    expect(sheet.printTitles).toMatch(/!\$1:\$5$/);
    // The totals, computed here: of each currency that is known, and of all in pesos.
    const currencies = [...new Set(lines.map((known) => currencyOf(known)))];
    const totals = new Map(
      currencies.map((_, index) => {
        const row = last + 1 + index;
        return [valueAt('G', row)?.replace(/^Total (.*): .*$/, '$1'), [valueAt('O', row), valueAt('W', row)]];
      }),
    );
    const vat = (known: Known) => amountsOf(known)[5] ?? null;
    const number = (cents: bigint | null) => cellText(cents) ?? '';
    for (const currency of currencies) {
      const inCurrency = currency === null ? [] : lines.filter((known) => currencyOf(known) === currency);
      const pesos = inCurrency.map((known) => inPesos(vat(known), rateOf(known)));
      expect(totals.get(currency ?? 'sin moneda conocida'), `${currency}`).toEqual([
        number(sumOf(inCurrency.map(vat))),
        number(sumOf(pesos)),
      ]);
    }
    const all = sumOf(lines.map((known) => inPesos(vat(known), rateOf(known))));
    const end = last + currencies.length + 1;
    expect(valueAt('G', end)).toMatch(/^Total en pesos: [\d.]+ de [\d.]+ comprobantes/);
    expect({ withoutRate: valueAt('O', end) || '', total: valueAt('W', end) }).toEqual({
      withoutRate: '',
      total: number(all),
    });
    expect({ name: notes?.name, firstNote: notes?.cells.get('A3')?.value }).toEqual({
      name: 'Notas',
      firstNote: expect.stringMatching(
        /^Libro IVA (ventas|compras): los comprobantes que (emitió|recibió) una empresa/,
      ),
    });
  });

  it('begins with a sheet that A4 holds at 8 points: net, VAT and total in pesos of each receipt, and of all', async () => {
    const lines = inBooks(direction).filter(
      ({ receipt }) => receipt.rut === RUT && monthOf(receipt) === '2026-10-01',
    );
    const [sheet] = await sheetsOf(book);
    if (sheet === undefined) throw new Error('there is no sheet');
    const rowAt = (row: number) =>
      [...'ABCDEFGHIJ'].map((at) => sheet.cells.get(`${at}${row}`)?.value || null);
    expect(rowAt(5)).toEqual([
      'Fecha',
      'Comprobante',
      'Número',
      'RUT o documento',
      direction === 'emitidos' ? 'Cliente' : 'Proveedor',
      'Neto en pesos',
      'IVA en pesos',
      'Otros en pesos',
      'Total en pesos',
      'Nota',
    ]);
    const [NET, VAT] = [
      [0, 1, 2, 4],
      [3, 5],
    ];
    /** Each amount is rounded to a cent of a peso by itself. */
    const amountsInPesos = (known: Known) => {
      const [stated, total, rate] = [
        amountsOf(known),
        signed(known.receipt, known.receipt.total),
        rateOf(known),
      ];
      const rest = total === null || known.wire === undefined ? null : total - (sumOf(stated) ?? 0n);
      const added = (places: readonly number[] = []) =>
        sumOf(places.map((at) => inPesos(stated[at] ?? null, rate)));
      return [added(NET), added(VAT), inPesos(rest, rate), inPesos(total, rate)];
    };
    const read = lines.map((_, index) => rowAt(6 + index));
    const expected = lines.map((known) => {
      const { receipt } = known;
      const other = receipt.direction === 'emitidos' ? receipt.receptor : receipt.emisor;
      return [
        `${receipt.serie} ${receipt.numero}`,
        other?.document ?? null,
        other === null ? null : JSON.parse(other.nameJson),
        ...amountsInPesos(known).map(cellText),
        noteOf(known),
      ];
    });
    expect(unordered(read.map((row) => row.slice(2)))).toEqual(unordered(expected));
    const totals = [0, 1, 2, 3].map((at) =>
      cellText(sumOf(lines.map((known) => amountsInPesos(known)[at] ?? null))),
    );
    const ratedCount = lines.filter((known) => amountsInPesos(known)[3] !== null).length;
    const end = rowAt(6 + lines.length);
    const counts = [ratedCount, lines.length].map((count) => count.toLocaleString('de'));
    expect(end[4]).toMatch(new RegExp(`^Total en pesos: ${counts.join(' de ')} comprobantes`));
    expect(end.slice(5, 9)).toEqual(totals);
    // A character is 5.25 points wide at 11 points, and the margins leave 798 points.
    const points = (11 * 798) / (5.25 * sheet.widths.reduce((sum, width) => sum + width, 0));
    expect({ fitToWidth: sheet.paper?.fitToWidth, isLegible: points >= 8 }).toEqual({
      fitToWidth: '1',
      isLegible: true,
    });
  });

  it('has a sheet to print, and one of all columns, of each company, also of one without receipts', () => {
    const names = ['rut', 'fecha', 'tipo', 'serie', 'numero', 'documento', 'contraparte', 'moneda', 'total'];
    const columns = [...names, 'total_pesos', 'nota'].map(textColumn);
    const rows = ['1.10', '-0.05'].map((total) => [
      '1',
      null,
      null,
      'A',
      '7',
      null,
      'x',
      'UYU',
      total,
      total,
      null,
    ]);
    const asked = {
      ruts: ['1', '2'],
      names: new Map([['2', 'Dos']]),
      from: '2026-10-05',
      to: '2026-10-09',
    } as const;
    const sheets = companySheets({ columns, rows }, bookOf(book) ?? { title: '' }, asked);
    expect(sheets.map(({ name }) => name)).toEqual(['1', '1 completo', '2', '2 completo']);
    const [first, whole, two] = sheets;
    expect(first?.answer.rows.map((row) => [row[2], row[8]])).toEqual([
      ['A 7', '1.10'],
      ['A 7', '-0.05'],
    ]);
    expect(first?.totals?.map((row) => [row[4], row[8]])).toEqual([
      ['Total en pesos: 2 de 2 comprobantes', '1.05'],
    ]);
    expect(whole?.totals?.map((row) => row.slice(5, 9))).toEqual([
      ['Total UYU: 2 comprobantes', null, '1.05', '1.05'],
      ['Total en pesos: 2 de 2 comprobantes', null, null, '1.05'],
    ]);
    expect({ above: two?.above?.slice(1), totals: two?.totals }).toEqual({
      above: ['Dos RUT 2', '05/10/2026 a 09/10/2026'],
      totals: [],
    });
  });

  it('is the same where it is asked by its English name', async () => {
    const [, sheet, notes] = await sheetsOf(
      direction === 'emitidos' ? 'vat-book-sales' : 'vat-book-purchases',
    );
    expect({ period: sheet?.cells.get('A4')?.value, heading: sheet?.cells.get('N5')?.value }).toEqual({
      period: 'octubre de 2026',
      heading: 'Neto tasa básica',
    });
    expect({ name: notes?.name, firstNote: notes?.cells.get('A3')?.value }).toEqual({
      name: 'Notas',
      firstNote: expect.stringMatching(/^Libro IVA .* línea por línea \(las notas de crédito restan\)\.$/),
    });
  });
});

describe('formulario-2181', () => {
  const EXPORTS = [121, 122, 123, 221, 222, 223];
  const E_TICKETS = [101, 102, 103, 131, 132, 133, 201, 202, 203, 231, 232, 233];
  interface Entry {
    known: Known;
    line: string | null;
    isNotAccepted?: boolean;
    /** Cents of a peso. */
    amount: bigint;
  }
  const LINES = {
    emitidos: [
      { line: '502', field: 'mnt_iva_tasa_basica' },
      { line: '503', field: 'mnt_iva_tasa_minima' },
    ],
    recibidos: [
      { line: '504', field: 'mnt_no_gravado' },
      { line: '505', field: 'mnt_iva_tasa_basica' },
      { line: '506', field: 'mnt_iva_tasa_minima' },
    ],
  };

  function counterpart({ receipt, wire }: Known): string | null {
    const other = receipt.direction === 'emitidos' ? receipt.receptor : receipt.emisor;
    const isRut =
      other !== null && (wire === undefined ? isValidRut(other.document) : other.documentType === 2);
    return isRut ? other.document : null;
  }

  function isForeign(known: Known): boolean {
    const currency = currencyOf(known);
    return currency !== null && currency !== 'UYU' && rateOf(known) === null;
  }

  function nameOf({ receipt }: Known): string {
    const other = receipt.direction === 'emitidos' ? receipt.receptor : receipt.emisor;
    return JSON.parse(other?.nameJson ?? '""');
  }

  it('groups by month, RUT and line, and says what is in none', async () => {
    const declared = (['emitidos', 'recibidos'] as const).flatMap((direction) =>
      inBooks(direction).filter(
        (known) =>
          counterpart(known) !== null &&
          !EXPORTS.includes(known.receipt.tipo_comprobante) &&
          (direction === 'recibidos' || known.receipt.estado_dgi !== 'BE'),
      ),
    );
    const entries = declared.flatMap((known): Entry[] => {
      const rate = rateOf(known);
      const { wire, receipt } = known;
      const isNotAccepted = receipt.direction === 'emitidos' && receipt.estado_dgi !== 'AE';
      if (isNotAccepted) return [{ known, line: null, isNotAccepted, amount: 0n }];
      if (rate === null || wire === undefined || exceedsTotal(known))
        return [{ known, line: null, amount: 0n }];
      return LINES[known.receipt.direction].flatMap(({ line, field }) => {
        const amount = inPesos(signed(known.receipt, scaled(wire.totales[field], 2)), rate) ?? 0n;
        return amount === 0n ? [] : [{ known, line, amount }];
      });
    });
    const expected = rowsBy(
      entries,
      ({ known, line, isNotAccepted = false }) => [
        known.receipt.rut,
        monthOf(known.receipt),
        counterpart(known),
        isNotAccepted ? 'sin aceptar' : line,
      ],
      (members) => {
        const tickets = members.filter(({ known }) => E_TICKETS.includes(known.receipt.tipo_comprobante));
        const total = (receipts: typeof members) =>
          centsText(receipts.reduce((sum, { amount }) => sum + amount, 0n));
        const isKnown = members[0]?.line !== null;
        const lacksRate = members.some(({ known }) => isForeign(known));
        const [{ isNotAccepted } = { isNotAccepted: false }] = members;
        return [
          members
            .map(({ known }) => nameOf(known))
            .sort()
            .at(-1) ?? null,
          String(members.length),
          ...(isKnown
            ? [total(members), total(tickets), '0', null]
            : [null, null, null, isNotAccepted ? 'sin aceptar' : lacksRate ? 'falta tipo de cambio' : null]),
        ];
      },
    ).map(([rut = null, month = null, other = null, line = null, name = null, ...rest]) => [
      rut,
      month,
      other,
      name,
      line === 'sin aceptar' ? null : line,
      ...rest,
    ]);
    const answer = await lake.answerOf('formulario-2181');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(new Set(answer.map((row) => row[4]))).toEqual(new Set(['502', '503', '504', '505', '506', null]));
    expect(answer.some((row) => row[6]?.startsWith('-'))).toBe(true);
    expect(answer.some((row) => row[7] !== null && row[7] !== '0.00')).toBe(true);
    expect(answer.some((row) => row[9] === 'sin aceptar')).toBe(true);
  });
});

describe('resguardos', () => {
  it('has what was withheld by receipt and code, suffered and made', async () => {
    const expected = lake.known.flatMap((known): TextRow[] => {
      const { receipt, wire } = known;
      const { rut, direction, day, tipo_comprobante: type, serie, numero, id } = receipt;
      const isRejected = receipt.estado === 'BE' || receipt.estado_dgi === 'BE';
      if (![182, 282].includes(type) || isRejected) return [];
      const isIssued = direction === 'emitidos';
      const other = isIssued ? receipt.receptor : receipt.emisor;
      const start = [
        rut,
        isIssued ? 'efectuada' : 'sufrida',
        day,
        String(type),
        serie,
        String(numero),
        other?.document ?? null,
        other === null ? null : JSON.parse(other.nameJson),
        currencyOf(known),
      ];
      const end = isIssued ? receipt.estado_dgi : receipt.estado;
      if (wire === undefined) {
        return [[...start, null, null, null, null, null, null, end, 'sin retenciones', String(id)]];
      }
      const parts = wire.items.flatMap((item) => withheldIn(item));
      return rowsBy(
        parts,
        ({ codigo, tasa }) => [String(codigo), `${centsText(scaled(tasa, 2))}0`],
        (members) => {
          const withheld = sumOf(members.map(({ valor }) => scaled(valor, 2)));
          const base = sumOf(members.map(({ monto_sujeto: subject }) => scaled(subject, 2)));
          const cents = [base, withheld, inPesos(withheld, rateOf(known))].map(centsText);
          return [...cents, currencyOf(known) === 'UYU' ? null : 'comprobante'];
        },
      ).map((row) => [...start, ...row, end, null, String(id)]);
    });
    const answer = await lake.answerOf('resguardos');
    expect(unordered(answer)).toEqual(unordered(expected));
    expect(new Set(answer.map((row) => `${row[1]} ${row[16]}`)).size).toBe(4);
    expect(answer.some((row) => row[12] !== row[13])).toBe(true);
  });

  it('have a workbook with headings, and totals by what they are: code and currency, and pesos', async () => {
    const RUT = '219999830019';
    const file = join(newFolder(), 'resguardos.xlsx');
    const words = `query --named resguardos --rut ${RUT} --month 2026-10 --lake ${lake.folder} --out ${file}`;
    expect((await runLine(`${words} --accept days`)).code).toBe(0);
    const [sheet] = readWorkbook(readFileSync(file));
    const rowAt = (row: number) =>
      [...'ABCDEFGHIJKLMNOPQ'].map((at) => sheet?.cells.get(`${at}${row}`)?.value || null);
    expect({ name: sheet?.name, headings: rowAt(5) }).toEqual({
      name: 'Resguardos',
      headings: [
        'Retención',
        'Fecha',
        'Tipo',
        'Serie',
        'Número',
        'RUT o documento',
        'Nombre',
        'Moneda',
        'Código',
        'Tasa',
        'Monto sujeto',
        'Retenido',
        'Retenido en pesos',
        'Tipo de cambio según',
        'Estado',
        'Nota',
        'id',
      ],
    });
    const kept = lake.known.filter(
      ({ receipt }) =>
        receipt.rut === RUT &&
        monthOf(receipt) === '2026-10-01' &&
        [182, 282].includes(receipt.tipo_comprobante) &&
        receipt.estado !== 'BE' &&
        receipt.estado_dgi !== 'BE',
    );
    /** One for each receipt, code and rate; one without a detail has neither code nor amount. */
    const lines = kept.flatMap((known) => {
      const kind = known.receipt.direction === 'emitidos' ? 'efectuada' : 'sufrida';
      const parts = (known.wire?.items ?? []).flatMap((item) => withheldIn(item));
      const groups = [...Map.groupBy(parts, ({ codigo, tasa }) => `${codigo} ${tasa}`).values()];
      return (groups.length === 0 ? [[]] : groups).map((members) => {
        const cents = sumOf(members.map(({ valor }) => scaled(valor, 2)));
        return {
          kind,
          code: members[0]?.codigo,
          currency: currencyOf(known),
          cents,
          pesos: inPesos(cents, rateOf(known)),
        };
      });
    });
    const byCurrency = Map.groupBy(lines, ({ kind, code, currency }) =>
      ['Total', kind, code, currency ?? 'sin moneda conocida'].filter((word) => word !== undefined).join(' '),
    );
    const inCurrencies = [...byCurrency].map(([label, members]) => {
      const isKnown = members[0]?.currency !== null;
      const sums = [sumOf(members.map(({ cents }) => cents)), sumOf(members.map(({ pesos }) => pesos))];
      return [label, String(members.length), ...sums.map((sum) => cellText(isKnown ? sum : null))];
    });
    const all = [...Map.groupBy(lines, ({ kind }) => kind)].map(([kind, members]) => {
      const known = members.filter(({ pesos }) => pesos !== null).length;
      const sum = sumOf(members.map(({ pesos }) => pesos));
      return [`Total ${kind} en pesos`, `${known} de ${members.length}`, null, cellText(sum)];
    });
    const expected = [...inCurrencies, ...all];
    const read = expected.map((_, index) => {
      const row = rowAt(6 + lines.length + index);
      const [, label = '', count = ''] = /^(.*): ([\d de]+) retenci/.exec(row[6] ?? '') ?? [];
      return [label, count.trim(), row[11] ?? null, row[12] ?? null];
    });
    expect(unordered(read)).toEqual(unordered(expected));
    expect({ hasLines: lines.length > 4, receipts: all.length }).toEqual({ hasLines: true, receipts: 2 });
    expect(rowAt(6 + lines.length + expected.length).every((value) => value === null)).toBe(true);
  });

  type Withheld = Record<'codigo' | 'tasa' | 'monto_sujeto' | 'valor', number | string>;

  function withheldIn(item: Record<string, unknown>): Withheld[] {
    return (item.retenciones_percepciones ?? []) as Withheld[];
  }
});
