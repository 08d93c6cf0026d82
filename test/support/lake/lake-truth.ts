import { unitKey } from '../../../lib/lake/layout.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { EMITIDOS, RECIBIDOS } from '../../../lib/lake/tables.ts';
import type { Unit } from '../../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../../sandbox/generator/receipts.ts';
import { foundRows, type Row } from './text-rows.ts';

/** The row that the lake should hold for a receipt of the sandbox, made without the exporter's decoding. */
export function expectedRow(receipt: SandboxReceipt): Row {
  const common = {
    id: receipt.id,
    rut: receipt.rut,
    tipo_comprobante: receipt.tipo_comprobante,
    serie: receipt.serie,
    numero: receipt.numero,
    fecha_emision: micros(receipt.fecha_emision),
    fecha_firma: micros(receipt.fecha_firma),
    totales_total: receipt.total,
    totales_total_pagar: receipt.total_pagar,
    visto_por_ultima_vez: null,
  };
  const receptorName = receipt.receptor === null ? null : JSON.parse(receipt.receptor.nameJson);
  const receptorDocument = receipt.receptor?.document ?? null;
  const otros = seventhDigits(receipt);
  if (receipt.direction === 'emitidos') {
    return {
      ...common,
      receptor_ruc: receptorDocument,
      receptor_razon_social: receptorName,
      estado_receptor_codigo: receipt.estado_receptor,
      estado_dgi_codigo: receipt.estado_dgi,
      otros,
    };
  }
  return {
    ...common,
    forma_pago: receipt.forma_pago,
    moneda: receipt.moneda,
    emisor_ruc: receipt.emisor.document,
    emisor_razon_social: JSON.parse(receipt.emisor.nameJson),
    receptor_nro_doc: receptorDocument,
    receptor_denominacion: receptorName,
    estado_codigo: receipt.estado,
    otros,
  };
}

/** The rows of a unit in the lake, in order of id; undefined if it has no object. */
export async function lakeRows(store: LakeStore, unit: Unit): Promise<Row[] | undefined> {
  const table = unit.direction === 'recibidos' ? RECIBIDOS : EMITIDOS;
  return await foundRows(store, unitKey(table.name, unit.day, unit.rut), table);
}

function micros(dateTime: string): bigint {
  // Converted to microseconds here, so that the exporter's own code does not check itself.
  const [seconds = '', fraction = ''] = dateTime.split('.');
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

function seventhDigits({ fecha_emision, fecha_firma }: SandboxReceipt): string | null {
  const long = Object.entries({ fecha_emision, fecha_firma }).filter(([, text]) =>
    /\.\d{6}[1-9]$/.test(text),
  );
  return long.length === 0 ? null : JSON.stringify(Object.fromEntries(long));
}
