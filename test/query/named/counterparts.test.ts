import { describe, expect, it } from 'vitest';
import { askedLake } from '../../support/query/lake-of-both-lists.ts';
import type { MadeRow } from '../../support/query/made-lake.ts';
import { detail, issued, received, SUPPLIER } from '../../support/query/made-receipts.ts';

/** Who cannot be read on the other side of a receipt is told: never left out as if nobody had a RUT. */

const VAT = JSON.stringify({ moneda: 'UYU', mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 22 });
const SPACED = '21 484436 0018';
/** As in the lake where the answer has a number, or something else that is no text: the column is empty. */
const numbered = (value: unknown) => ({ otros: JSON.stringify({ 'receptor.ruc': value }) });

type Case = readonly [row: MadeRow, receptor?: unknown];

/** What the form says of receipts, each of a company of its own, and the notes of the book. */
async function declared(direction: 'emitidos' | 'recibidos', cases: readonly Case[]) {
  const [made, document] =
    direction === 'emitidos' ? ([issued, 'receptor_ruc'] as const) : ([received, 'emisor_ruc'] as const);
  const ofCase = cases.map(([row, receptor], index) => {
    const { [document]: _, ...unnamed } = made('2026-11-02', 'A1');
    const receipt = { ...unnamed, ...row, rut: String(index) };
    const read: MadeRow = receptor === undefined ? {} : { receptor: JSON.stringify(receptor) };
    return { receipt, detail: { ...detail(receipt, { totales: VAT, ...read }), rut: receipt.rut } };
  });
  const ask = await askedLake({
    [direction]: ofCase.map(({ receipt }) => receipt),
    [`${direction}_detalle`]: ofCase.map((one) => one.detail),
  });
  const form = await ask('formulario-2181', 0, 2, 4, 5, 9);
  const book = await ask(direction === 'emitidos' ? 'libro-iva-ventas' : 'libro-iva-compras', 28);
  return { form, notes: book.flat() };
}

/** The form's row of each case: counterpart, line, receipts and remark. */
function rowsOf(cases: readonly Case[], document: string, line: string | null, note: string | null) {
  return cases.map(([row], index) => [String(index), row[document] ?? null, line, '1', note]);
}

describe('who issued a received receipt', () => {
  it('is in no line and told, in the book too, where it is no RUT', async () => {
    const documents = ['', SPACED, '12 457683 0015', '210303670014', '12345678'];
    const cases: Case[] = [...documents.map((emisor_ruc) => [{ emisor_ruc }] as const), [{}]];
    expect(await declared('recibidos', cases)).toEqual({
      form: rowsOf(cases, 'emisor_ruc', null, 'documento ilegible'),
      notes: cases.map(() => 'documento ilegible'),
    });
  });

  it('is a line where it is a RUT, whatever the detail calls the company itself', async () => {
    const cases: Case[] = [[{ emisor_ruc: SUPPLIER }, { tipo_documento: 3 }]];
    expect(await declared('recibidos', cases)).toEqual({
      form: rowsOf(cases, 'emisor_ruc', '505', null),
      notes: [null],
    });
  });
});

describe('to whom a receipt was issued', () => {
  it('is a RUT by its form, or because the detail says so', async () => {
    const sayNothing = [undefined, {}, null, 'RUT', '', 0, { codigo: 3 }];
    const cases: Case[] = [
      ...sayNothing.map(
        (kind) => [{ receptor_ruc: SUPPLIER }, kind === undefined ? {} : { tipo_documento: kind }] as const,
      ),
      [{ receptor_ruc: SUPPLIER }],
      [{ receptor_ruc: SUPPLIER }, { tipo_documento: '2' }],
      [{ receptor_ruc: '210303670014' }, { tipo_documento: 2 }],
    ];
    expect((await declared('emitidos', cases)).form).toEqual(rowsOf(cases, 'receptor_ruc', '502', null));
  });

  it('is one RUT that the detail calls so, with or without its leading zero, or something between its digits', async () => {
    const spelt = ['91638660010', '091638660010', '09.163866.001-0', ' 9163866 0010'];
    const cases = spelt.map(
      (receptor_ruc, index) => [{ receptor_ruc, numero: index + 1 }, { tipo_documento: 2 }] as const,
    );
    const made = cases.map(([row]) => issued('2026-11-02', 'A1', row));
    const receptor = JSON.stringify({ tipo_documento: 2 });
    const ask = await askedLake({
      emitidos: made,
      emitidos_detalle: made.map((row) => detail(row, { totales: VAT, receptor })),
    });
    expect(await ask('formulario-2181', 2, 4, 5, 6, 9)).toEqual([
      ['091638660010', '502', '4', '88.00', null],
    ]);
  });

  it.each([111, 112, 113, 141, 142, 143, 211, 243])(
    'is a RUT where it is a receipt of type %i, or cannot be read',
    async (tipo_comprobante) => {
      const told: Case[] = [
        ...[1, 3, 4, 5, 6, 7].map((kind) => [{ receptor_ruc: SUPPLIER }, { tipo_documento: kind }] as const),
        [{ receptor_ruc: SPACED }, { tipo_documento: 4 }],
        [numbered(214844360018), { tipo_documento: 3 }],
        [{ receptor_ruc: '12345678' }],
        [{ receptor_ruc: '2148443600181' }, {}],
        [{ receptor_ruc: '91638660010' }, {}],
        [{ receptor_ruc: '12345678' }, { tipo_documento: '' }],
        [{ receptor_ruc: '' }, { tipo_documento: 'CI' }],
        [{ receptor_ruc: ' ' }, { tipo_documento: 2 }],
        [{}, { tipo_documento: 2, nro_doc: SUPPLIER }],
        [{}],
      ];
      const cases = told.map(([row, receptor]) => [{ ...row, tipo_comprobante }, receptor] as const);
      const { form } = await declared('emitidos', cases);
      const byCompany = form.toSorted(([a], [b]) => Number(a) - Number(b));
      expect(byCompany).toEqual(rowsOf(cases, 'receptor_ruc', null, 'documento ilegible'));
    },
  );

  it.each([101, 111, 199])(
    'is in no line and told where the detail calls a RUT what is none, as of type %i',
    async (tipo_comprobante) => {
      const documents = [
        '0',
        '000000000000',
        ' ',
        '',
        '2148443600',
        '000214844360018',
        'RUT 214844360018',
        '٢١٤',
      ];
      const cases: Case[] = [
        ...documents.map(
          (receptor_ruc) => [{ receptor_ruc, tipo_comprobante }, { tipo_documento: 2 }] as const,
        ),
        [{ tipo_comprobante }, { tipo_documento: 2, nro_doc: SUPPLIER }],
      ];
      const { form } = await declared('emitidos', cases);
      expect(form).toEqual(rowsOf(cases, 'receptor_ruc', null, 'documento ilegible'));
    },
  );

  it('is in no line and told where nobody can say whether it is a RUT, or which', async () => {
    const cases: Case[] = [
      [{ receptor_ruc: SPACED }],
      [{ receptor_ruc: '21.484436.001-8' }, {}],
      [{ receptor_ruc: `RUT ${SUPPLIER}` }, { tipo_documento: null }],
      [numbered(214844360018)],
      [numbered(['x']), {}],
      [{ receptor_ruc: '12345678' }, { tipo_documento: 'CI' }],
      [{ receptor_ruc: '12345678' }, { tipo_documento: [3] }],
      [{ receptor_ruc: '12345678' }, { tipo_documento: 8 }],
    ];
    expect(await declared('emitidos', cases)).toEqual({
      form: rowsOf(cases, 'receptor_ruc', null, 'documento ilegible'),
      notes: cases.map(() => null),
    });
  });

  it('is in no line and told where the detail alone has a RUT, and does not say what it is', async () => {
    const cases: Case[] = [
      [{ tipo_comprobante: 101 }, { nro_doc: SUPPLIER }],
      [{ tipo_comprobante: 101 }, { ruc: SUPPLIER }],
      [{ tipo_comprobante: 101 }, { ruc: SUPPLIER, nro_doc: 0 }],
      [
        { tipo_comprobante: 102, receptor_ruc: '0' },
        { nro_doc: 214844360018, tipo_documento: 8 },
      ],
      [{ tipo_comprobante: 101, receptor_ruc: '' }, { nro_doc: '21.484436.001-8' }],
    ];
    expect(await declared('emitidos', cases)).toEqual({
      form: rowsOf(cases, 'receptor_ruc', null, 'documento ilegible'),
      notes: cases.map(() => null),
    });
  });

  it.each([101, 102, 103, 131, 133, 201])(
    'is a consumer, and left out, where the document of an e-Ticket (%i) is another or none',
    async (type) => {
      const others: Case[] = [
        [{ receptor_ruc: SUPPLIER }, { tipo_documento: 5 }],
        [{ receptor_ruc: SPACED }, { tipo_documento: 4 }],
        [numbered(214844360018), { tipo_documento: 3 }],
        [{ receptor_ruc: '12345678' }],
        [{ receptor_ruc: '2148443600181' }, {}],
        [{ receptor_ruc: '12345678' }, { tipo_documento: '' }],
        [{ receptor_ruc: '' }, { tipo_documento: 'CI' }],
        [{}, { nro_doc: SUPPLIER, tipo_documento: 4 }],
        [{}, { nro_doc: '214844360017' }],
        [{}, { nro_doc: '41234567' }],
        [{}, { nro_doc: 0, ruc: '' }],
        [{ receptor_ruc: '41234567' }, { nro_doc: '41234567' }],
        [{}],
      ];
      const cases = others.map(([row, receptor]) => [{ ...row, tipo_comprobante: type }, receptor] as const);
      expect((await declared('emitidos', cases)).form).toEqual([]);
    },
  );

  it('is of no account of what is exported', async () => {
    const cases = [121, 122, 123, 221].map(
      (tipo_comprobante) => [{ receptor_ruc: '12345678', tipo_comprobante }, { tipo_documento: 4 }] as const,
    );
    expect((await declared('emitidos', cases)).form).toEqual([]);
  });
});

it('a counterpart that cannot be read is told beside a rate that is not there', async () => {
  const usd = received('2026-11-02', 'A1', { moneda: 'USD', emisor_ruc: SPACED });
  const totales = VAT.replace('UYU', 'USD');
  const ask = await askedLake({ recibidos: [usd], recibidos_detalle: [detail(usd, { totales })] });
  expect(await ask('formulario-2181', 4, 9)).toEqual([[null, 'falta tipo de cambio, documento ilegible']]);
});
