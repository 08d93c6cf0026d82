import { centsText } from '../query/exact-sums.ts';
import type { MadeRow } from '../query/made-lake.ts';
import { AMOUNT_NAMES, isUnreadable, type Rates, type Stated, type Unreadable } from './declared-oracle.ts';

/** Receipts as rows of the lake's tables. */

const WIRE_NAMES: Readonly<Record<string, string>> = {
  no_gravado: 'mnt_no_gravado',
  exportacion: 'mnt_exportacion_y_asimilados',
  neto_minima: 'mnt_neto_iva_tasa_minima',
  iva_minima: 'mnt_iva_tasa_minima',
  neto_basica: 'mnt_neto_iva_tasa_basica',
  iva_basica: 'mnt_iva_tasa_basica',
};

/** Without what is null. */
function known(row: Readonly<Record<string, string | number | null>>): MadeRow {
  const entries = Object.entries(row).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

/** A code of a status, or one that is no text. */
const state = (code: string | Unreadable) => ({ codigo: isUnreadable(code) ? code.json : code });

function othersOf({ direction, note, strayStatus }: Stated): string | null {
  if (strayStatus === null) return note;
  const name = direction === 'emitidos' ? 'estado' : 'estado_dgi';
  return JSON.stringify({ ...JSON.parse(note ?? '{}'), [name]: strayStatus.json });
}

export function listRow(receipt: Stated): MadeRow {
  const { rut, fecha, id, serie, numero, documento, nombre, direction } = receipt;
  const isIssued = direction === 'emitidos';
  return known({
    rut,
    fecha,
    id,
    tipo_comprobante: receipt.type,
    serie,
    numero,
    totales_total: centsText(receipt.total),
    fecha_firma: receipt.signed,
    otros: othersOf(receipt),
    ...(isIssued
      ? { receptor_ruc: documento, receptor_razon_social: nombre, estado_dgi_codigo: receipt.estado }
      : {
          emisor_ruc: documento,
          emisor_razon_social: nombre,
          estado_codigo: receipt.estado,
          moneda: receipt.moneda,
        }),
    visto_por_ultima_vez: receipt.isGone ? '2026-11-12T03:00:00' : null,
  });
}

const number = (cents: bigint | Unreadable | null) =>
  isUnreadable(cents) ? cents.json : cents === null ? undefined : Number(centsText(cents));

export function detailRow(receipt: Stated): MadeRow {
  const { rut, fecha, id, type } = receipt;
  const totales = {
    moneda: receipt.currency ?? undefined,
    tipo_cambio: typeof receipt.rate === 'bigint' ? Number(receipt.rate) / 1000 : receipt.rate?.json,
    total: number(receipt.detailTotal),
    mnt_total_retenido: number(receipt.withheldInAll),
    ...Object.fromEntries(AMOUNT_NAMES.map((name) => [WIRE_NAMES[name], number(receipt.amounts[name])])),
  };
  const readable = receipt.withheld.flatMap((part) => ('json' in part ? [] : [part]));
  const items = [
    {
      retenciones_percepciones: readable.map(({ codigo, tasa, sujeto, valor }) => ({
        codigo,
        tasa: Number(tasa) / 1000,
        monto_sujeto: number(sujeto),
        valor: number(valor),
      })),
    },
    ...receipt.withheld.flatMap((part) => ('json' in part ? [{ retenciones_percepciones: part.json }] : [])),
  ];
  const recipient = receipt.documentType === null ? {} : { tipo_documento: receipt.documentType };
  return known({
    rut,
    fecha,
    id,
    tipo_comprobante: type,
    leido: receipt.readAt,
    resumen_sha256: receipt.readAt,
    visto_por_ultima_vez: receipt.isOutdated ? receipt.readAt : null,
    otros: receipt.detailNote,
    totales: JSON.stringify(totales),
    items: JSON.stringify(items),
    estado_dgi: receipt.detailStatus === null ? null : JSON.stringify(state(receipt.detailStatus)),
    receptor: receipt.direction === 'emitidos' ? JSON.stringify(recipient) : null,
    motivo: receipt.isOutdated ? 'x' : null,
  });
}

/** The rows of all tables. */
export function tablesOf(all: readonly Stated[], rates: Rates): Record<string, MadeRow[]> {
  const receiptsOf = (direction: Stated['direction']) =>
    all.filter((receipt) => receipt.direction === direction);
  const withDetail = (receipts: readonly Stated[]) =>
    receipts.filter(({ hasDetail }) => hasDetail).map(detailRow);
  const cotizaciones = [...rates].flatMap(([moneda, days]) =>
    [...days].map(([fecha, value]) => ({ moneda, fecha, valor: `${Number(value) / 1e6}`, fuente: 'x' })),
  );
  return {
    emitidos: receiptsOf('emitidos').map(listRow),
    emitidos_detalle: withDetail(receiptsOf('emitidos')),
    recibidos: receiptsOf('recibidos').map(listRow),
    recibidos_detalle: withDetail(receiptsOf('recibidos')),
    cotizaciones,
  };
}
