import type { Amounts } from '../generator/amounts.ts';
import { dayNumber, dayText } from '../generator/calendar.ts';
import { hashText, mix } from '../generator/hash.ts';
import { LATEST_BACK, type Numbering } from '../generator/numbering.ts';
import type { Party } from '../generator/parties.ts';
import type { SandboxReceipt } from '../generator/receipts.ts';
import {
  hasFiscalComplement,
  isCreditNote,
  isDebitNote,
  isRemito,
  ordinaryType,
} from '../generator/types.ts';
import { linesOf } from './detail-lines.ts';
import { amountText, decimal } from './summary.ts';

/**
 * A detail as JSON text (the contract, §2.4 and §2.5). The contract doesn't name the inner fields; the sandbox names
 * them after the tax authority's CFE format. Fields without a value are left out.
 * @param numbering the issuer's, for issued receipts
 */
export function detail(receipt: SandboxReceipt, numbering: Numbering | undefined): string {
  const { id, tipo_comprobante, serie, numero, fecha_emision, fecha_firma } = receipt;
  const identity = { id: decimal(id, 0), tipo_comprobante, serie, numero, fecha_emision, fecha_firma };
  const common = commonParts(receipt, numbering);
  if (receipt.direction === 'recibidos')
    return JSON.stringify({
      ...identity,
      moneda: receipt.moneda,
      forma_pago: receipt.forma_pago ?? undefined,
      ...common,
      estado_dgi: receipt.index % 3 === 0 ? { codigo: receipt.estado } : undefined,
      complemento_fiscal: hasFiscalComplement(tipo_comprobante) ? complement(receipt) : undefined,
    });
  return JSON.stringify({
    ...identity,
    id_externo: receipt.id_externo,
    fecha_vencimiento: receipt.forma_pago === 2 ? `${dayBeside(receipt, 30)}T00:00:00` : undefined,
    ...common,
    estado_receptor: { codigo: receipt.estado_receptor },
    estado_dgi: { codigo: receipt.estado_dgi },
    url_qr_dgi: qrAddress(receipt),
  });
}

function commonParts(receipt: SandboxReceipt, numbering: Numbering | undefined) {
  const { tipo_comprobante: type, emisor, receptor, chance, amounts } = receipt;
  const { items, adjustments } = linesOf(type, amounts, chance);
  const reference = referenceOf(receipt, numbering);
  const isPaid = receipt.forma_pago === 1 && receipt.index % 2 === 0;
  const total = receipt.total_pagar;
  const payment = { codigo: 1, glosa: 'Efectivo', valor: total === null ? null : decimal(total, 2) };
  return {
    totales: isRemito(type) ? { cant_lineas: items.length } : totals(receipt, amounts, items.length),
    emisor: issuer(emisor, receipt.sucursal),
    receptor: receptor === null ? null : recipient(receptor),
    items,
    descuentos_recargos: adjustments,
    referencias: reference === undefined ? [] : [reference],
    medios_pago: isPaid ? [payment] : undefined,
  };
}

/** The day that many days after the receipt's. */
function dayBeside({ day }: SandboxReceipt, days: number): string {
  return dayText((dayNumber(day) ?? 0) + days);
}

function totals(receipt: SandboxReceipt, amounts: Amounts, lineCount: number) {
  return {
    moneda: receipt.moneda,
    tipo_cambio: exchangeRate(receipt),
    mnt_no_gravado: decimal(amounts.exempt, 2),
    mnt_exportacion_y_asimilados: decimal(amounts.exported, 2),
    mnt_neto_iva_tasa_minima: decimal(amounts.netMinimum, 2),
    mnt_neto_iva_tasa_basica: decimal(amounts.netBasic, 2),
    iva_tasa_minima: 10,
    iva_tasa_basica: 22,
    mnt_iva_tasa_minima: decimal(amounts.vatMinimum, 2),
    mnt_iva_tasa_basica: decimal(amounts.vatBasic, 2),
    total: receipt.total === null ? null : decimal(receipt.total, 2),
    mnt_total_retenido: decimal(amounts.withheld, 2),
    monto_no_facturable: decimal(amounts.notBillable, 2),
    total_pagar: receipt.total_pagar === null ? null : decimal(receipt.total_pagar, 2),
    cant_lineas: lineCount,
  };
}

/** Thousandths of a peso for one unit of the currency. */
const RATES: Readonly<Record<string, number>> = {
  USD: 40_120,
  EUR: 46_350,
  UYI: 6_412,
  UYR: 1_720_500,
  BRL: 7_310,
  ARS: 28,
};

/** A rate that moves a little from day to day; undefined in pesos and without currency. */
function exchangeRate({ moneda, day }: SandboxReceipt): unknown {
  const rate = moneda === null ? undefined : RATES[moneda];
  if (rate === undefined) return undefined;
  return decimal(BigInt(rate + (hashText(day) % Math.max(2, Math.floor(rate / 50)))), 3);
}

function issuer({ document, nameJson, address, city, department }: Party, branch: number) {
  return {
    ruc: document,
    razon_social: JSON.rawJSON(nameJson),
    codigo_sucursal: branch,
    domicilio: address,
    ciudad: city,
    departamento: department,
  };
}

function recipient({ documentType, country, document, nameJson, address, city }: Party) {
  return {
    tipo_documento: documentType,
    cod_pais: country,
    nro_doc: document,
    denominacion: JSON.rawJSON(nameJson),
    direccion: address,
    ciudad: city,
  };
}

const SALT_REFERENCE = 81;

/**
 * The receipt that a credit or debit note corrects: one of the issuer's last 200 of that type, whose number is invented
 * without the issuer's numbering. One note in ten refers to none, as it happens in reality.
 */
function referenceOf(receipt: SandboxReceipt, numbering: Numbering | undefined) {
  const type = receipt.tipo_comprobante;
  const draw = mix(receipt.chance, SALT_REFERENCE);
  if (!(isCreditNote(type) || isDebitNote(type)) || draw % 10 === 0) return undefined;
  const corrected = Math.floor(ordinaryType(type) / 10) * 10 + 1;
  const number =
    numbering === undefined
      ? { serie: receipt.serie, numero: Math.max(1, receipt.numero - 1 - (draw % LATEST_BACK)) }
      : numbering.earlier(corrected, receipt.sequence, draw);
  if (number === undefined) return undefined;
  return {
    tipo_comprobante: corrected,
    ...number,
    razon: isCreditNote(type) ? 'Devolución de mercadería' : 'Diferencia de precio',
    fecha: dayBeside(receipt, -(draw % 20)),
  };
}

/** Every second complement is unreadable, as if it were encrypted for someone else. */
function complement({ index, emisor }: SandboxReceipt) {
  if (index % 2 === 0) return { encriptado: true };
  return { ruc_mandante: emisor.document, nombre_mandante: JSON.rawJSON(emisor.nameJson) };
}

function qrAddress(receipt: SandboxReceipt): string {
  const facts = [
    receipt.emisor.document,
    receipt.tipo_comprobante,
    receipt.serie,
    receipt.numero,
    amountText(receipt.total ?? 0n),
    receipt.day,
    receipt.chance.toString(16),
  ];
  return `https://www.efactura.dgi.gub.uy/consultaQR/cfe?${facts.join(',')}`;
}
