import type { MadeRow } from './made-lake.ts';

/** Handmade receipts of one company, each with its own id. */

export const RUT = '211003420017';
export const SUPPLIER = '214844360018';
export const GONE = { visto_por_ultima_vez: '2026-11-12T03:00:00' };

let ids = 0;

/** What the receipts of both lists have. `number`: series and number. */
function receipt(fecha: string, number: string): MadeRow {
  ids += 1;
  return {
    fecha,
    id: ids,
    rut: RUT,
    tipo_comprobante: 111,
    serie: number.slice(0, 1),
    numero: number.slice(1),
    totales_total: '100',
    totales_total_pagar: '100',
    fecha_firma: `${fecha}T10:00:00`,
  };
}

export function received(fecha: string, number: string, rest: MadeRow = {}): MadeRow {
  return {
    ...receipt(fecha, number),
    emisor_ruc: SUPPLIER,
    emisor_razon_social: 'Proveedor',
    moneda: 'UYU',
    forma_pago: 2,
    estado_codigo: 'AE',
    ...rest,
  };
}

export function issued(fecha: string, number: string, rest: MadeRow = {}): MadeRow {
  return {
    ...receipt(fecha, number),
    receptor_ruc: SUPPLIER,
    estado_dgi_codigo: 'AE',
    estado_receptor_codigo: 'ACEPTADO',
    ...rest,
  };
}

/** The detail of a receipt in the list. */
export function detail({ fecha = '', id = 0, tipo_comprobante: type = 0 }: MadeRow, rest: MadeRow): MadeRow {
  return { fecha, id, rut: RUT, tipo_comprobante: type, leido: '2026-11-19T03:00:00', ...rest };
}
