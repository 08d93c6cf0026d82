import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { campaign } from '../support/campaign.ts';
import { ask, DAY, LIST, NOW, parseExactly, rutOf, truthOf } from './support.ts';

/** The parts of a detail that are added up here; numbers are texts. */
interface Detail {
  totales: Record<string, string>;
  items: Line[];
  descuentos_recargos: { tipo: 'D' | 'R'; valor: string; indicador_facturacion: string }[];
  referencias: { tipo_comprobante: string; serie: string; numero: string }[];
}

interface Line {
  nro_linea: string;
  indicador_facturacion?: string;
  cantidad: string;
  precio_unitario?: string;
  monto?: string;
  retenciones_percepciones?: { valor: string }[];
}

let sandbox: Sandbox;
let details: { receipt: SandboxReceipt; json: Detail }[];
beforeAll(async () => {
  sandbox = await startSandbox({ now: NOW, receiptsPerDay: 6000, longAmounts: true });
  details = campaign({ quick: [0], long: [0, 1] }).flatMap((company) =>
    (['recibidos', 'emitidos'] as const).flatMap((direction) =>
      truthOf(sandbox, direction, company).map((receipt) => ({
        receipt,
        json: parseExactly(sandbox.detail(receipt)) as Detail,
      })),
    ),
  );
});
afterAll(() => sandbox.close());

/** A decimal text as an integer, in units of its last digit. */
function scaled(text: string, digits: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || fraction.length > digits)
    throw new RangeError(`${text} is no decimal of ${digits} digits`);
  return BigInt(sign + whole + fraction.padEnd(digits, '0'));
}

const cents = (text: string | undefined): bigint => scaled(text ?? '', 2);

/** The sum of the lines with these billing indicators, adjustments included. */
function sumOf(json: Detail, ...indicators: string[]): bigint {
  const isOne = (one: { indicador_facturacion?: string }): boolean =>
    indicators.includes(one.indicador_facturacion ?? '');
  const lines = json.items.filter(isOne).map((item) => cents(item.monto));
  const adjusted = json.descuentos_recargos
    .filter(isOne)
    .map((one) => (one.tipo === 'D' ? -cents(one.valor) : cents(one.valor)));
  return [...lines, ...adjusted].reduce((sum, value) => sum + value, 0n);
}

/** Rounds half up, as the law requires. */
function percentOf(amount: bigint, percent: bigint): bigint {
  return (amount * percent + 50n) / 100n;
}

describe('a detail', () => {
  it('adds up to the cent: lines and adjustments to the nets, nets and VAT to the total', () => {
    const compared = details
      .filter(({ receipt }) => receipt.total !== null)
      .map(({ json }) => {
        const { totales } = json;
        const nets = [sumOf(json, '1'), sumOf(json, '2'), sumOf(json, '3'), sumOf(json, '10')];
        const unbilled = sumOf(json, '6', '7');
        const vat = [cents(totales.mnt_iva_tasa_minima), cents(totales.mnt_iva_tasa_basica)];
        const total = [...nets, ...vat].reduce((sum, value) => sum + value, 0n);
        const payable = total + cents(totales.mnt_total_retenido) + unbilled;
        const sent = [
          totales.mnt_no_gravado,
          totales.mnt_neto_iva_tasa_minima,
          totales.mnt_neto_iva_tasa_basica,
          totales.mnt_exportacion_y_asimilados,
          totales.monto_no_facturable,
          totales.total,
          totales.total_pagar,
        ].map(cents);
        return { sent, added: [...nets, unbilled, total, payable] };
      });
    expect(compared.length).toBeGreaterThan(10_000);
    expect(compared.map(({ sent }) => sent)).toEqual(compared.map(({ added }) => added));
  });

  it('has the VAT of 10 and 22 per cent', () => {
    const totals = details
      .filter(({ receipt }) => receipt.total !== null)
      .map(({ json: { totales } }) => ({
        sent: [cents(totales.mnt_iva_tasa_minima), cents(totales.mnt_iva_tasa_basica)],
        computed: [
          percentOf(cents(totales.mnt_neto_iva_tasa_minima), 10n),
          percentOf(cents(totales.mnt_neto_iva_tasa_basica), 22n),
        ],
      }));
    expect(totals.map(({ sent }) => sent)).toEqual(totals.map(({ computed }) => computed));
  });

  it('has lines whose quantity times price is their amount, in the digits that the law allows', () => {
    const wrong = details
      .flatMap(({ json }) => json.items)
      .filter(({ cantidad, precio_unitario, monto }) => {
        if (precio_unitario === undefined) return false;
        const [quantity, price] = [scaled(cantidad, 3), scaled(precio_unitario, 6)];
        const product = quantity * price;
        const exact = cents(monto) * 10_000_000n;
        const isRounded = 2n * (product > exact ? product - exact : exact - product) < 10_000_000n;
        return !isRounded || price >= 10n ** 17n || quantity >= 10n ** 17n;
      });
    expect(wrong).toEqual([]);
  });

  it('has 1 to 700 numbered lines, and now and then many', () => {
    const counts = details.map(({ json }) => json.items.length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(700);
    const numbers = details.map(({ json }) => json.items.map((item) => item.nro_linea));
    expect(numbers).toEqual(counts.map((count) => Array.from({ length: count }, (_, i) => String(i + 1))));
    expect(details.map(({ json }) => json.totales.cant_lineas)).toEqual(counts.map(String));
    expect(Math.min(...counts)).toBe(1);
    expect(Math.max(...counts)).toBeGreaterThan(600);
  });

  it('of a resguardo has withheld amounts that add up, of a remito none', () => {
    const resguardos = details.filter(({ receipt }) => receipt.tipo_comprobante % 100 === 82);
    const remitos = details.filter(({ receipt }) => receipt.tipo_comprobante % 100 === 81);
    expect(Math.min(resguardos.length, remitos.length)).toBeGreaterThan(10);
    for (const { json } of resguardos) {
      const withheld = json.items.map((item) => cents(item.retenciones_percepciones?.[0]?.valor));
      expect(withheld.reduce((sum, value) => sum + value, 0n)).toBe(cents(json.totales.mnt_total_retenido));
    }
    for (const { json } of remitos) expect(json.items.every((item) => item.monto === undefined)).toBe(true);
  });

  it('of an issued note refers to a receipt that was issued before it; one in ten to none', () => {
    const notes = details.filter(
      ({ receipt }) =>
        receipt.direction === 'emitidos' && [102, 103, 112, 113].includes(receipt.tipo_comprobante),
    );
    const issued = new Map(
      details
        .filter(({ receipt }) => receipt.direction === 'emitidos')
        .map(({ receipt: r }) => [`${r.rut} ${r.tipo_comprobante} ${r.serie} ${r.numero}`, r]),
    );
    const referring = notes.filter(({ json }) => json.referencias.length > 0);
    expect(referring.length / notes.length).toBeGreaterThan(0.8);
    expect(referring.length).toBeLessThan(notes.length);
    const found = referring.flatMap(({ receipt, json }) => {
      const [to] = json.referencias;
      const original = issued.get(`${receipt.rut} ${to?.tipo_comprobante} ${to?.serie} ${to?.numero}`);
      return original === undefined ? [] : [{ receipt, original }];
    });
    expect(found.length).toBeGreaterThan(referring.length / 2);
    for (const { receipt, original } of found) {
      expect(original.index).toBeLessThan(receipt.index);
      expect(original.tipo_comprobante).toBe(Math.floor(receipt.tipo_comprobante / 10) * 10 + 1);
    }
  });

  it.each(['recibidos', 'emitidos'] as const)('of %s is sent as the summary has it', async (direction) => {
    for (const index of [0, 1, 17, 4000]) {
      const receipt = truthOf(sandbox, direction, 1)[index];
      const { status, text, json } = await ask(sandbox, `${LIST[direction]}/${receipt?.id}`, { company: 1 });
      expect(status).toBe(200);
      expect(text).toBe(receipt === undefined ? '' : sandbox.detail(receipt));
      expect(json.id).toBe(String(receipt?.id));
      expect(json.fecha_firma).toBe(receipt?.fecha_firma);
    }
  });
});

describe('an id', () => {
  const path = `${LIST.emitidos}/`;

  it('that is unknown, of another company, of the other direction or not listed yet is 404', async () => {
    const foreign = truthOf(sandbox, 'emitidos', 1)[0]?.id;
    const otherSide = truthOf(sandbox, 'recibidos')[0]?.id;
    const tooHigh = (truthOf(sandbox, 'emitidos').at(-1)?.id ?? 0n) + 1n;
    for (const id of [0, 1, foreign, otherSide, tooHigh, 2n ** 63n - 1n]) {
      const { status, json } = await ask(sandbox, path + id);
      expect(status).toBe(404);
      expect(json.message).toBeTypeOf('string');
    }
    const last = [...sandbox.truth(rutOf(sandbox), 'recibidos', DAY)].at(-1);
    expect((await ask(sandbox, `${LIST.recibidos}/${(last?.id ?? 0n) + 1n}`)).status).toBe(404);
  });

  it('that is no 64-bit integer is 400', async () => {
    for (const id of ['abc', '-1', '1.5', '1e3', 2n ** 63n, '99999999999999999999', '%20'])
      expect((await ask(sandbox, path + id)).status).toBe(400);
  });
});
