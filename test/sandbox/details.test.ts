import { describe, expect, it } from 'vitest';
import { campaign } from '../support/campaign.ts';
import { scaled } from '../support/query/exact-sums.ts';
import { sharedSandbox } from '../support/sandbox.ts';
import { ask, DAY, LIST, NOW, parseExactly, rutOf, truthOf } from './support.ts';

/** The parts of a detail that are added up here; numbers are texts. */
interface Detail {
  totales: Record<string, string>;
  items: { indicador_facturacion?: string; monto?: string }[];
  descuentos_recargos: { tipo: 'D' | 'R'; valor: string; indicador_facturacion: string }[];
}

const sandbox = await sharedSandbox({
  now: NOW,
  receiptsPerDay: campaign({ quick: 1500, long: 6000 }),
  longAmounts: true,
});
const details = campaign({ quick: [0], long: [0, 1] }).flatMap((company) =>
  (['recibidos', 'emitidos'] as const).flatMap((direction) =>
    truthOf(sandbox, direction, company).map((receipt) => ({
      receipt,
      json: parseExactly(sandbox.detail(receipt)) as Detail,
    })),
  ),
);

const cents = (text: string | undefined): bigint => scaled(text ?? '', 2);

/** The sum of the lines with these billing indicators, adjustments included. */
function sumOf(json: Detail, ...indicators: string[]): bigint {
  const isOne = (line: { indicador_facturacion?: string }): boolean =>
    indicators.includes(line.indicador_facturacion ?? '');
  const lines = json.items.filter(isOne).map((item) => cents(item.monto));
  const adjusted = json.descuentos_recargos
    .filter(isOne)
    .map((discount) => (discount.tipo === 'D' ? -cents(discount.valor) : cents(discount.valor)));
  return [...lines, ...adjusted].reduce((sum, value) => sum + value, 0n);
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
    expect(compared.length).toBeGreaterThan(details.length / 2);
    expect(compared.map(({ sent }) => sent)).toEqual(compared.map(({ added }) => added));
  });

  it.each(['recibidos', 'emitidos'] as const)('of %s is sent as the summary has it', async (direction) => {
    for (const index of [0, 1, 17, 1000]) {
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
