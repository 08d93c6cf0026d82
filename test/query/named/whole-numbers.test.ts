import { expect, it } from 'vitest';
import { askedLake } from '../../support/query/lake-of-both-lists.ts';
import type { MadeRow } from '../../support/query/made-lake.ts';
import { detail, issued, received, SUPPLIER } from '../../support/query/made-receipts.ts';

/** What is declared twice is told: by numbers-under-two-ids where the number is whole, else by a note of each line. */

const [BOOK, RESGUARDO] = [111, 182];
const READ = {
  totales: JSON.stringify({ moneda: 'UYU', mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 22 }),
  items: '[{"retenciones_percepciones":[{"codigo":"x","tasa":7,"monto_sujeto":9,"valor":5}]}]',
};
/** What a receipt has in place of its own: undefined is not there. */
type Part = Readonly<Record<string, string | number | undefined>>;

/** Each receipt under two ids, in a company of its own, and what is told of it: by the query, and by its lines. */
async function toldOf(direction: 'emitidos' | 'recibidos', parts: readonly Part[], read: MadeRow = READ) {
  const made = direction === 'emitidos' ? issued : received;
  const rows = parts.map((part, at) =>
    [1, 2].map((): MadeRow => {
      const entries = Object.entries({ ...made('2026-11-02', 'A1'), ...part, rut: String(at) });
      return Object.fromEntries(
        entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
    }),
  );
  const details = rows.flat().map((row) => ({ ...detail(row, read), rut: row.rut ?? '' }));
  const ask = await askedLake({ [direction]: rows.flat(), [`${direction}_detalle`]: details });
  const book = direction === 'emitidos' ? 'libro-iva-ventas' : 'libro-iva-compras';
  const [listed, lines] = [
    await ask('numbers-under-two-ids', 0, 11),
    [...(await ask(book, 0, 28)), ...(await ask('resguardos', 0, 16))],
  ];
  return parts.map((_, at) => ({
    listed: listed.filter(([company]) => company === String(at)).length,
    notes: lines.filter(([company]) => company === String(at)).map(([, note]) => note),
  }));
}

const LISTED = { listed: 2, notes: [null, null] };
const noted = (note: string) => ({ listed: 0, notes: [note, note] });

it.each([BOOK, RESGUARDO])(
  'a receipt of type %i under two ids is listed, or each line of it says why not',
  async (type) => {
    const parts: Part[] = [
      {},
      { serie: ' ' },
      { numero: undefined },
      { numero: undefined, otros: '{"numero":"1"}' },
      { serie: undefined },
      { serie: '' },
      { serie: undefined, numero: undefined },
    ].map((part) => ({ ...part, tipo_comprobante: type }));
    const expected = parts.map((_, at) => (at < 2 ? LISTED : noted('sin numero')));
    for (const direction of ['emitidos', 'recibidos'] as const)
      expect(await toldOf(direction, parts)).toEqual(expected);
  },
);

it.each([BOOK, RESGUARDO])(
  'so is one of type %i whose issuer is not known, or written in another way',
  async (type) => {
    const issuers = [SUPPLIER, undefined, '', '21 484436 0018', '210303670014'];
    const parts = issuers.map((emisor_ruc) => ({ emisor_ruc, tipo_comprobante: type }));
    const told = await toldOf('recibidos', parts);
    expect(told.map(({ notes }) => notes)).toEqual(
      parts.map((_, at) => (at === 0 ? [null, null] : ['documento ilegible', 'documento ilegible'])),
    );
    const both = await toldOf('recibidos', [{ emisor_ruc: '', serie: '', tipo_comprobante: type }]);
    expect(both).toEqual([noted('documento ilegible, sin numero')]);
  },
);

it('so is one whose type is not known', async () => {
  for (const direction of ['emitidos', 'recibidos'] as const)
    expect(await toldOf(direction, [{ tipo_comprobante: undefined }])).toEqual([noted('tipo desconocido')]);
});

it('a resguardo whose lines are not known says so, too', async () => {
  const part = { tipo_comprobante: RESGUARDO, numero: undefined };
  expect(await toldOf('recibidos', [{ ...part, emisor_ruc: '' }], { ...READ, items: '[]' })).toEqual([
    noted('sin retenciones, documento ilegible, sin numero'),
  ]);
});

it('the sums have what has no number, and the form its line', async () => {
  const { numero: _, ...row } = received('2026-11-02', 'A1');
  const ask = await askedLake({ recibidos: [row], recibidos_detalle: [detail(row, READ)] });
  expect(await ask('formulario-2181', 4, 5, 6, 9)).toEqual([['505', '1', '22.00', null]]);
  expect((await ask('posicion-iva', 3, 6, 15))[0]).toEqual(['UYU', '22.00', '0']);
});
