import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain, wordsOf } from '../support/program/run-main.ts';
import { type MadeRow, madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, issued, RUT, received, SUPPLIER } from '../support/query/made-receipts.ts';

/** Whatever receipts hold: their company can be closed, and what its close has written is read. */

const OTHER = '219999830019';
const DAY = '2026-10-05';
const VAT = '{"moneda":"UYU","mnt_neto_iva_tasa_basica":100,"mnt_iva_tasa_basica":22}';
const sound = { ...issued(DAY, 'B1', { totales_total: '122.00' }), rut: OTHER };
const ofSound = { ...detail(sound, { totales: VAT }), rut: OTHER };

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') }));

/** Closes October of a lake with one more sound company. */
async function closer(rows: Readonly<Record<string, readonly MadeRow[]>>) {
  const [out, folder] = [newFolder(), newFolder()];
  const { emitidos = [], emitidos_detalle = [], ...others } = rows;
  const lists = { emitidos: [...emitidos, sound], emitidos_detalle: [...emitidos_detalle, ofSound] };
  await madeLakeFolder({ ...others, ...lists }, folder);
  const close = (accepted: string) => {
    const words = wordsOf(`close --month 2026-10 --rut ${RUT} --rut ${OTHER} --accept ${accepted}`);
    return runMain(...words, '--out', out, '--lake', folder);
  };
  const asked = (...words: string[]) => runMain('query', ...words, '--close', out, '--month', '2026-10');
  return { out, close, asked };
}

it('a currency that a receipt calls “todas” is not known, and its row no total', async () => {
  const odd = issued(DAY, 'A1', { totales_total: '122.00' });
  const { close, asked } = await closer({
    emitidos: [odd],
    emitidos_detalle: [detail(odd, { totales: VAT.replace('UYU', 'todas') })],
  });
  const refused = await close('days');
  expect(refused.stdout).toMatch(
    new RegExp(`^${RUT}: refused\\. details: 1 línea de los libros.*; rates: 1 comprobante sin tipo`, 'm'),
  );
  expect((await close('days,details,rates')).stdout).toMatch(new RegExp(`^${RUT}: closed`, 'm'));
  const { code, stdout } = await asked('--named', 'posicion-iva', '--rut', RUT, '--format', 'csv');
  expect({ code, moneda: stdout.split('\r\n').map((line) => line.split(',')[3]) }).toEqual({
    code: 0,
    moneda: ['moneda', '', 'todas', 'todas'],
  });
  const again = await close('days,details,rates');
  expect(again.stdout).toMatch(new RegExp(`^${RUT}: nothing differs`, 'm'));
});

it.each([
  [
    'exports',
    issued(DAY, 'A1', { tipo_comprobante: 121 }),
    { totales: '{"moneda":"UYU","mnt_no_gravado":5,"mnt_exportacion_y_asimilados":{}}' },
  ],
  [
    'what is withheld',
    received(DAY, 'A1', { tipo_comprobante: 182, totales_total: '0' }),
    {
      totales: '{"moneda":"UYU"}',
      items: '[{"retenciones_percepciones":[{"codigo":"2183211","tasa":5,"monto_sujeto":{},"valor":5}]}]',
    },
  ],
])('needs --accept details where a book cannot read %s', async (_what, row, detailed) => {
  const table = row.tipo_comprobante === 182 ? 'recibidos' : 'emitidos';
  const { close } = await closer({ [table]: [row], [`${table}_detalle`]: [detail(row, detailed)] });
  expect((await close('days,gaps,rejected,rates')).stdout).toMatch(
    new RegExp(`^${RUT}: refused\\. details: 1 línea de los libros o de los resguardos con una nota`, 'm'),
  );
  expect((await close('days,gaps,rejected,rates,details')).stdout).toMatch(
    new RegExp(`^${RUT}: closed`, 'm'),
  );
});

it.each([
  ['emitidos', 111, 'numero'],
  ['recibidos', 111, 'serie'],
  ['recibidos', 182, 'numero'],
  ['recibidos', 182, 'emisor_ruc'],
] as const)(
  'needs --accept details for two lines of %s, of type %i, without %s',
  async (list, type, part) => {
    const made = list === 'emitidos' ? issued : received;
    const totales_total = type === 182 ? '5.00' : '122.00';
    const rows = [1, 2].map(() => {
      const whole: MadeRow = made(DAY, 'A1', { totales_total, tipo_comprobante: type });
      return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== part));
    });
    const totales = type === 182 ? '{"moneda":"UYU"}' : VAT;
    const items =
      '[{"retenciones_percepciones":[{"codigo":"2183211","tasa":5,"monto_sujeto":100,"valor":5}]}]';
    const { close } = await closer({
      [list]: rows,
      [`${list}_detalle`]: rows.map((row) => detail(row, { totales, items })),
    });
    expect((await close('days,gaps,twice')).stdout).toMatch(
      new RegExp(
        `^${RUT}: refused\\. details: 2 líneas de los libros o de los resguardos con una nota$`,
        'm',
      ),
    );
    expect((await close('days,gaps,details')).stdout).toMatch(new RegExp(`^${RUT}: closed`, 'm'));
  },
);

it('needs --accept details where what a receipt states contradicts itself', async () => {
  const whole = { totales_total: '122.00' };
  const recibidos = [
    received(DAY, 'A1', { ...whole, moneda: 'USD' }),
    received(DAY, 'A2', { totales_total: '100.00' }),
    received(DAY, 'A3', whole),
    received(DAY, 'A4', { ...whole, tipo_comprobante: 112 }),
    received(DAY, 'A5', { tipo_comprobante: 182, totales_total: '0' }),
  ];
  const held = '[{"retenciones_percepciones":[{"codigo":"2183211","tasa":5,"monto_sujeto":9,"valor":5}]},{}]';
  const details: readonly MadeRow[] = [
    { totales: VAT },
    { totales: VAT },
    { totales: '{"moneda":"UYU","mnt_iva_tasa_basica":22}' },
    { totales: VAT.replaceAll(/(\d+)/g, '-$1') },
    { totales: '{"moneda":"UYU","mnt_total_retenido":12}', items: held },
  ];
  const recibidos_detalle = recibidos.map((row, at) => detail(row, details[at] ?? {}));
  const { close } = await closer({ recibidos, recibidos_detalle });
  const point = 'details: 5 comprobantes sin montos conocidos o por revisar';
  expect((await close('days,gaps,rejected,rates')).stdout).toMatch(
    new RegExp(`^${RUT}: refused\\. ${point}$`, 'm'),
  );
  expect((await close('days,gaps,rejected,rates,details')).stdout).toMatch(
    new RegExp(`^${RUT}: closed`, 'm'),
  );
});

it('is not kept where its reader would refuse it: the company fails by name, and no other', async () => {
  // Most of 64 MB are of one text, which compresses.
  const receipts = Array.from({ length: 34 }, (_, at) => issued(DAY, `A${at}`, { totales_total: '122.00' }));
  const items = JSON.stringify([{ nombre: 'x'.repeat(2 * 2 ** 20) }]);
  const { out, close, asked } = await closer({
    emitidos: receipts,
    emitidos_detalle: receipts.map((receipt) => detail(receipt, { totales: VAT, items })),
  });
  vi.stubEnv('TMPDIR', newFolder());
  const { code, stdout } = await close('days,gaps');
  expect(code).toBe(1);
  expect(stdout).toMatch(
    new RegExp(
      `^${RUT}: failed\\. The close was not kept, because nothing could ask it later: emitidos_detalle\\.parquet has texts of 68\\.\\d MB, .*query --named`,
      'm',
    ),
  );
  expect(stdout).toMatch(new RegExp(`^${OTHER}: closed`, 'm'));
  expect(readdirSync(join(out, RUT))).toEqual([]);
  expect(readdirSync(process.env.TMPDIR ?? '')).toEqual([]);
  expect((await asked('--named', 'libro-iva-ventas')).code).toBe(0);
});

it('has a name that is no longer than names are', async () => {
  const named = { ...sound, rut: RUT };
  const empresa = `Almacén ${'Ñ'.repeat(150_000)}`;
  const read = {
    rut: RUT,
    estado: 'exportado',
    filas: 1,
    direccion: 'emitidos',
    fecha: DAY,
    fecha_corrida: '2026-11-10',
    corrida: 'night',
    inicio: '2026-11-10T02:00:00',
    fin: '2026-11-10T02:00:00',
    empresa,
  };
  const { out, close, asked } = await closer({
    emitidos: [named],
    emitidos_detalle: [{ ...ofSound, rut: RUT }],
    exportaciones: [read],
  });
  const { stdout } = await close('days');
  expect(stdout.slice(0, 300)).toMatch(new RegExp(`^${RUT} Almacén Ñ+…: closed`, 'm'));
  const { name } = JSON.parse(readFileSync(join(out, RUT, '2026-10', 'cierre.json'), 'utf8'));
  expect(name).toHaveLength(200);
  expect(empresa.startsWith(name.slice(0, -1))).toBe(true);
  expect((await asked('--named', 'libro-iva-ventas', '--rut', RUT)).code).toBe(0);
});

/** The amounts of a file's lines, in cents. */
function centsOf(file: string): number {
  const amounts = [...file.matchAll(/;([-\d.]{15});\r\n/g)].map(([, amount]) => Number(amount) * 100);
  return Math.round(amounts.reduce((sum, cents) => sum + cents, 0));
}

it.each([
  ['ABC', 'ABC'],
  ['none', ''],
  ['one of 100,000 letters', `"${'x'.repeat(100_000)}`],
])(
  'a counterpart whose document is no number is in no line of the form, an open point, and in the book: %s',
  async (_, documento) => {
    const invoice = (number: string, rest: MadeRow) =>
      issued(DAY, number, { totales_total: '122.00', ...rest });
    const [odd, plain] = [invoice('A1', { receptor_ruc: documento }), invoice('A2', {})];
    const rows = { totales: VAT, receptor: '{"tipo_documento":2}' };
    const { out, close, asked } = await closer({
      emitidos: [odd, plain],
      emitidos_detalle: [detail(odd, rows), detail(plain, rows)],
    });
    const refused = await close('days');
    const point =
      '1 fila del formulario 2181 sin línea: comprobantes que no se declaran (documento ilegible)';
    expect(refused.stdout.slice(0, 500).split('\n')).toContain(`${RUT}: refused. details: ${point}`);
    expect(readdirSync(out)).not.toContain(RUT);
    expect((await close('days,details')).stdout).toMatch(new RegExp(`^${RUT}: closed`, 'm'));
    const inClose = (name: string) => readFileSync(join(out, RUT, '2026-10', name), 'utf8');
    const { accepted, form2181 } = JSON.parse(inClose('cierre.json'));
    expect(accepted.at(-1)).toEqual({ name: 'details', text: point });
    expect(form2181).toEqual({
      lineCount: 1,
      leftOut: '1 receipt of 1 counterpart are in no line',
      notAccepted: 0,
    });
    const sql = `SELECT sum(iva_basica_pesos) FROM libro_iva_ventas WHERE rut = '${RUT}'`;
    const book = Number((await asked(sql, '--format', 'csv')).stdout.split('\r\n')[1]) * 100;
    const inForm = centsOf(inClose('formulario-2181.txt'));
    expect({ inForm, book }).toEqual({ inForm: 2200, book: 4400 });
    expect(await close('days,details')).toMatchObject({
      stdout: expect.stringMatching(new RegExp(`^${RUT}: nothing differs`, 'm')),
    });
  },
);

it.each([
  ['recibidos', { ...received(DAY, 'A1'), emisor_ruc: '12 457683 0015' }],
  ['emitidos', { ...issued(DAY, 'A1'), receptor_ruc: '21 484436 0018' }],
])('a counterpart of %s that cannot be read is an open point, whatever rates lack', async (list, odd) => {
  const bought = received(DAY, 'C1', { totales_total: '122.00', moneda: 'USD' });
  const receipt = { ...odd, totales_total: '122.00' };
  const rows = { [list]: [receipt], [`${list}_detalle`]: [detail(receipt, { totales: VAT })] };
  const { recibidos = [], recibidos_detalle = [], ...others } = rows;
  const { close } = await closer({
    ...others,
    recibidos: [...recibidos, bought],
    recibidos_detalle: [...recibidos_detalle, detail(bought, { totales: VAT.replace('UYU', 'USD') })],
  });
  const point = 'details: 1 fila del formulario 2181 sin línea: .* \\(documento ilegible\\)';
  expect((await close('days,rates')).stdout).toMatch(new RegExp(`^${RUT}: refused\\. .*${point}$`, 'm'));
  expect((await close('days,rates,details')).stdout).toMatch(new RegExp(`^${RUT}: closed`, 'm'));
});

it.each([
  ['far off the lake’s', [{ fecha: '2026-10-02', moneda: 'USD', valor: '40', fuente: 'x' }]],
  ['none that a dollar can have', []],
])(
  'a stated exchange rate that is %s is an open point, and in no line of the form',
  async (_, cotizaciones) => {
    const bought = received(DAY, 'A1', { totales_total: '122.00', moneda: 'USD' });
    const { out, close } = await closer({
      recibidos: [bought],
      recibidos_detalle: [detail(bought, { totales: VAT.replace('"UYU"', '"USD","tipo_cambio":1') })],
      cotizaciones,
    });
    expect((await close('days')).stdout).toMatch(new RegExp(`^${RUT}: refused\\. details: `, 'm'));
    expect((await close('days,details')).stdout).toMatch(new RegExp(`^${RUT}: closed`, 'm'));
    const { form2181 } = JSON.parse(readFileSync(join(out, RUT, '2026-10', 'cierre.json'), 'utf8'));
    expect(form2181).toMatchObject({ lineCount: 0, leftOut: '1 receipt of 1 counterpart are in no line' });
    expect((await close('days,details')).stdout).toMatch(new RegExp(`^${RUT}: nothing differs`, 'm'));
  },
);

it('an amount that the form has no room for is in no line of it', async () => {
  const bought = received(DAY, 'A1', { totales_total: '122.00', moneda: 'IDR' });
  const totales = VAT.replace('"UYU"', '"IDR","tipo_cambio":99999999999');
  const { out, close } = await closer({
    recibidos: [bought],
    recibidos_detalle: [detail(bought, { totales })],
  });
  const point = `details: Formulario 2181: 1 línea que no entra en el archivo y se declara a mano, de ${SUPPLIER}`;
  expect((await close('days')).stdout).toMatch(new RegExp(`^${RUT}: refused\\. ${point}$`, 'm'));
  expect((await close('days,details')).stdout).toMatch(new RegExp(`^${RUT}: closed`, 'm'));
  const files = readdirSync(join(out, RUT, '2026-10'));
  expect(files).toContain('informe.html');
  expect(files).not.toContain('formulario-2181.txt');
});
