import { centsText } from '../query/exact-sums.ts';
import type { MadeRow } from '../query/made-lake.ts';
import { AMOUNT_NAMES, type Rates, type Stated } from './declared-oracle.ts';

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

export function listRow(one: Stated): MadeRow {
  const { rut, fecha, id, serie, numero, documento, nombre, direction } = one;
  const isIssued = direction === 'emitidos';
  return known({
    rut,
    fecha,
    id,
    tipo_comprobante: one.type,
    serie,
    numero,
    totales_total: centsText(one.total),
    fecha_firma: one.signed,
    otros: one.note,
    ...(isIssued
      ? { receptor_ruc: documento, receptor_razon_social: nombre, estado_dgi_codigo: one.estado }
      : {
          emisor_ruc: documento,
          emisor_razon_social: nombre,
          estado_codigo: one.estado,
          moneda: one.moneda,
        }),
    visto_por_ultima_vez: one.isGone ? '2026-11-12T03:00:00' : null,
  });
}

const number = (cents: bigint | null) => (cents === null ? undefined : Number(centsText(cents)));

export function detailRow(one: Stated): MadeRow {
  const { rut, fecha, id, type } = one;
  const totales = {
    moneda: one.currency ?? undefined,
    tipo_cambio: one.rate === null ? undefined : Number(one.rate) / 1000,
    total: number(one.detailTotal),
    ...Object.fromEntries(AMOUNT_NAMES.map((name) => [WIRE_NAMES[name], number(one.amounts[name])])),
  };
  const items = [
    {
      retenciones_percepciones: one.withheld.map(({ codigo, tasa, sujeto, valor }) => ({
        codigo,
        tasa: Number(tasa) / 1000,
        monto_sujeto: number(sujeto),
        valor: number(valor),
      })),
    },
  ];
  const recipient = one.documentType === null ? {} : { tipo_documento: one.documentType };
  return known({
    rut,
    fecha,
    id,
    tipo_comprobante: type,
    leido: one.readAt,
    resumen_sha256: one.readAt,
    visto_por_ultima_vez: one.isOutdated ? one.readAt : null,
    otros: one.detailNote,
    totales: JSON.stringify(totales),
    items: JSON.stringify(items),
    receptor: one.direction === 'emitidos' ? JSON.stringify(recipient) : null,
    motivo: one.isOutdated ? 'x' : null,
  });
}

/** The rows of all tables. */
export function tablesOf(all: readonly Stated[], rates: Rates): Record<string, MadeRow[]> {
  const of = (direction: Stated['direction']) => all.filter((one) => one.direction === direction);
  const withDetail = (some: readonly Stated[]) => some.filter(({ hasDetail }) => hasDetail).map(detailRow);
  const cotizaciones = [...rates].flatMap(([moneda, days]) =>
    [...days].map(([fecha, value]) => ({ moneda, fecha, valor: `${Number(value) / 1e6}`, fuente: 'x' })),
  );
  return {
    emitidos: of('emitidos').map(listRow),
    emitidos_detalle: withDetail(of('emitidos')),
    recibidos: of('recibidos').map(listRow),
    recibidos_detalle: withDetail(of('recibidos')),
    cotizaciones,
  };
}
