import { describe, expect, it } from 'vitest';
import { madeLake } from '../../support/made-lake.ts';
import { detail, issued, RUT, received } from '../../support/made-receipts.ts';

const TODAY = '2026-11-20';

describe('amounts that are not of cents', () => {
  it('a book notes what of a line is not whole', async () => {
    const [fraction, worded, outdated, whole] = ['A1', 'A2', 'A3', 'A4'].map((number) =>
      received('2026-11-02', number, { tipo_comprobante: 112, moneda: 'USD' }),
    );
    if (!fraction || !worded || !outdated || !whole) throw new Error('four were made');
    const recibidos_detalle = [
      detail(fraction, { totales: '{"mnt_iva_tasa_basica":0.005,"tipo_cambio":40}' }),
      detail(worded, { totales: '{"mnt_iva_tasa_basica":"1,5","mnt_no_gravado":100,"tipo_cambio":40}' }),
      detail(outdated, { totales: '{"mnt_no_gravado":90}', motivo: 'x' }),
      detail(whole, { totales: '{"mnt_no_gravado":99.5,"tipo_cambio":40.123}' }),
    ];
    const answerOf = await madeLake({ recibidos: [fraction, worded, outdated, whole], recibidos_detalle });
    const answer = await answerOf('libro-iva-compras', TODAY);
    // Not taxed, VAT at the basic rate, the rest and the total, in dollars and in pesos.
    expect(answer.map((row) => [10, 15, 16, 17, 18, 24, 25, 27].map((index) => row[index]))).toEqual([
      [null, '-0.01', '-99.99', '-100.00', null, '-3999.60', '-4000.00', 'mas de dos decimales'],
      ['-100.00', null, '0.00', '-100.00', '-4000.00', '0.00', '-4000.00', 'monto ilegible'],
      ['-90.00', null, '-10.00', '-100.00', null, null, null, 'detalle anterior'],
      ['-99.50', null, '-0.50', '-100.00', '-3992.24', '-20.06', '-4012.30', null],
    ]);
    const declared = await answerOf('formulario-2181', TODAY);
    expect(declared.map((row) => row.slice(4))).toEqual([
      ['504', '1', '-3992.24', '0.00'],
      [null, '3', null, null],
    ]);
  });

  it('a resguardo adds its lines up exactly, and notes what is no number', async () => {
    const [made, worded] = ['A1', 'A2'].map((number) =>
      received('2026-11-02', number, { tipo_comprobante: 282 }),
    );
    if (!made || !worded) throw new Error('two were made');
    const line = (value: string) =>
      `{"retenciones_percepciones":[{"codigo":"x","tasa":7,"monto_sujeto":1,"valor":${value}}]}`;
    const recibidos_detalle = [
      detail(made, { items: `[${[0.004, 0.004, 0.004].map(String).map(line).join()},{"monto":1}]` }),
      detail(worded, { items: `[${line('"?"')},{"retenciones_percepciones":"?"}]` }),
    ];
    const answer = await (await madeLake({ recibidos: [made, worded], recibidos_detalle }))(
      'resguardos',
      TODAY,
    );
    expect(answer.map((row) => row.slice(9, 16))).toEqual([
      ['x', '7.000', '3.00', '0.01', '0.01', 'AE', 'mas de dos decimales'],
      ['x', '7.000', '1.00', null, null, 'AE', 'monto ilegible'],
    ]);
  });

  it('VAT adds them up exactly, and says how many', async () => {
    const small = ['A1', 'A2', 'A3'].map((number) => received('2026-11-02', number));
    const [worded, outdated] = ['A4', 'A5'].map((number) => received('2026-11-02', number));
    if (!worded || !outdated) throw new Error('two more were made');
    const recibidos_detalle = [
      ...small.map((one) =>
        detail(one, { totales: '{"mnt_iva_tasa_basica":0.004,"mnt_neto_iva_tasa_basica":1}' }),
      ),
      detail(worded, { totales: '{"mnt_iva_tasa_basica":"1.234,56","mnt_neto_iva_tasa_basica":2}' }),
      detail(outdated, {
        totales: '{"mnt_iva_tasa_basica":4.40,"mnt_neto_iva_tasa_basica":20}',
        motivo: 'x',
      }),
    ];
    const recibidos = [...small, worded, outdated];
    const answer = await (await madeLake({ recibidos, recibidos_detalle }))('vat-by-month', TODAY);
    expect(answer.map((row) => row.slice(3))).toEqual([
      ['UYU', '5', null, null, null, null, '25.00', '4.41', '0', '5'],
    ]);
  });

  it('items sold do too', async () => {
    const one = issued('2026-11-02', 'A1');
    const line = '{"codigo":"c","nombre":"n","cantidad":0.0004,"monto":0.004}';
    const emitidos_detalle = [
      detail(one, { items: `[${line},${line},${line}]`, totales: '{"moneda":"UYU"}' }),
    ];
    const answer = await (await madeLake({ emitidos: [one], emitidos_detalle }))('items-sold', TODAY);
    expect(answer).toEqual([[RUT, 'c', 'n', null, 'UYU', '1', '0.001', '0.01', '0', '3']]);
  });
});
