import type { Amounts } from '../generator/amounts.ts';
import { dayNumber, dayText } from '../generator/calendar.ts';
import { rateOf } from '../generator/currencies.ts';
import { fractionOf, hashText, mix, pick } from '../generator/hash.ts';
import type { Party } from '../generator/parties.ts';
import type { SandboxReceipt } from '../generator/receipts.ts';
import { hasFiscalComplement, isCreditNote, isRemito, isResguardo } from '../generator/types.ts';
import { amountText, decimal } from './summary.ts';

/**
 * A detail as JSON text (the contract, §2.4 and §2.5). The contract doesn't name the inner fields; the sandbox names
 * them after the tax authority's CFE format. Fields without a value are left out.
 */
export function detail(receipt: SandboxReceipt): string {
  const { id, tipo_comprobante, serie, numero, fecha_emision, fecha_firma } = receipt;
  const identity = { id: decimal(id, 0), tipo_comprobante, serie, numero, fecha_emision, fecha_firma };
  const common = commonParts(receipt);
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

function commonParts(receipt: SandboxReceipt) {
  const { tipo_comprobante: type, emisor, receptor, chance, amounts } = receipt;
  const { items, adjustments } = linesOf(type, amounts, chance);
  const isPaid = receipt.forma_pago === 1 && receipt.index % 2 === 0;
  const total = receipt.total_pagar;
  const payment = { codigo: 1, glosa: 'Efectivo', valor: total === null ? null : decimal(total, 2) };
  return {
    totales: isRemito(type) ? { cant_lineas: items.length } : totals(receipt, amounts, items.length),
    emisor: issuer(emisor, receipt.sucursal),
    receptor: receptor === null ? null : recipient(receptor),
    items,
    descuentos_recargos: adjustments,
    referencias: referenceOf(receipt),
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

/** A rate that moves a little from day to day; undefined in pesos and without currency. */
function exchangeRate({ moneda, day }: SandboxReceipt): unknown {
  const rate = rateOf(moneda);
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

/** What a note corrects. */
function referenceOf({ tipo_comprobante, corrected }: SandboxReceipt) {
  if (corrected === undefined) return [];
  const { type, serie, numero, day } = corrected;
  const razon = isCreditNote(tipo_comprobante) ? 'Devolución de mercadería' : 'Diferencia de precio';
  return [{ tipo_comprobante: type, serie, numero, razon, fecha: day }];
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

/** The billing indicators of the tax authority. */
const EXEMPT = 1;
const MINIMUM_RATE = 2;
const BASIC_RATE = 3;
const NOT_BILLABLE = 6;
const NEGATIVE_NOT_BILLABLE = 7;
const REMITO = 8;
const EXPORT = 10;

/** What a line is made from. Amounts are cents; quantities thousandths and prices millionths, as the law allows. */
interface Part {
  draw: number;
  quantity: bigint;
  indicator?: number;
  price?: bigint;
  amount?: bigint;
  withheld?: bigint;
}

/**
 * Lines and adjustments, as they are sent. They add up to the net amounts. The lines of a remito have no amounts, those
 * of a resguardo only withheld ones.
 */
export function linesOf(type: number, totals: Amounts, chance: number) {
  const count = lineCount(chance);
  if (isRemito(type)) return { items: goods(count, chance).map(line), adjustments: [] };
  if (isResguardo(type)) {
    const parts = partsOf(totals.withheld, count, undefined, chance);
    const items = parts.map(({ draw, quantity, amount }) => ({ draw, quantity, withheld: amount }));
    return { items: items.map(line), adjustments: [] };
  }
  const adjustment = adjustmentOf(totals.netBasic, chance);
  const unbilled = totals.notBillable < 0n ? NEGATIVE_NOT_BILLABLE : NOT_BILLABLE;
  const [first, ...moreParts] = [
    ...partsOf(totals.netBasic - (adjustment?.signed ?? 0n), count, BASIC_RATE, chance),
    ...partsOf(totals.netMinimum, Math.min(count, 3), MINIMUM_RATE, mix(chance, 2)),
    ...partsOf(totals.exempt, Math.min(count, 2), EXEMPT, mix(chance, 1)),
    ...partsOf(totals.exported, count, EXPORT, mix(chance, 10)),
    ...partsOf(totals.notBillable, 1, unbilled, mix(chance, 6)),
  ];
  const parts = first === undefined ? [] : [{ ...first, withheld: totals.withheld }, ...moreParts];
  return { items: parts.map(line), adjustments: adjustment === undefined ? [] : [adjustment.sent] };
}

const SALT_LINES = 71;
const SALT_ADJUSTMENT = 72;

/** Mostly 1 to 4 lines of each rate; one receipt in 200 has 60 and one in 3,000 some 690, near the law's 700. */
function lineCount(chance: number): number {
  const draw = mix(chance, SALT_LINES);
  if (draw % 3000 === 7) return 690;
  return draw % 200 === 1 ? 60 : 1 + ((draw >>> 8) % 4);
}

/** A discount (`D`) or surcharge (`R`) on the lines of the basic rate. */
function adjustmentOf(netBasic: bigint, chance: number) {
  const draw = mix(chance, SALT_ADJUSTMENT);
  if (draw % 12 !== 0 || netBasic < 1000n) return undefined;
  const isSurcharge = (draw >>> 4) % 3 === 0;
  const amount = isSurcharge ? netBasic / 20n : netBasic / 10n;
  const sent = {
    tipo: isSurcharge ? 'R' : 'D',
    glosa: isSurcharge ? 'Recargo por envío' : 'Descuento por pago contado',
    indicador_facturacion: BASIC_RATE,
    valor: decimal(amount, 2),
  };
  return { signed: isSurcharge ? amount : -amount, sent };
}

/** Lines from this amount on have a quantity of 100,000, so that the price has no more than 11 digits. */
const LARGE_AMOUNT = 10n ** 12n;
const LARGE_QUANTITY = 100_000n;
/** A large part may take two lines, and a receipt has at most 700. */
const LARGE_PARTS_MAX = 300;

/** Parts whose amounts add up to `amount` exactly. Each part's amount is its quantity × price. */
function partsOf(amount: bigint, most: number, indicator: number | undefined, chance: number): Part[] {
  if (amount === 0n) return [];
  const count = isLarge(amount) ? Math.min(most, LARGE_PARTS_MAX) : most;
  const weights = Array.from({ length: count }, (_, i) => BigInt(1 + (mix(chance, 100 + i) % 9)));
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0n);
  let leftover = amount;
  return weights.flatMap((weight, i) => {
    const share = i === count - 1 ? leftover : (amount * weight) / weightSum;
    leftover -= share;
    const draw = mix(chance, 1000 + i);
    if (share === 0n) return [];
    if (!isLarge(share)) return [smallPart(share, indicator, draw)];
    const price = share / LARGE_QUANTITY;
    const large = {
      draw,
      indicator,
      quantity: LARGE_QUANTITY * 1000n,
      price: price * 10_000n,
      amount: price * LARGE_QUANTITY,
    };
    const remainder = share - large.amount;
    return remainder === 0n ? [large] : [large, smallPart(remainder, indicator, mix(draw, 1))];
  });
}

function isLarge(amount: bigint): boolean {
  return amount >= LARGE_AMOUNT || amount <= -LARGE_AMOUNT;
}

function smallPart(amount: bigint, indicator: number | undefined, draw: number): Part {
  const quantity =
    draw % 5 === 0
      ? BigInt(125 + Math.floor(fractionOf(mix(draw, 2)) * 9000))
      : BigInt(1 + (draw % 12)) * 1000n;
  // With six digits, the price's rounding error times a quantity below 13 is far below half a cent.
  const half = amount < 0n ? -quantity / 2n : quantity / 2n;
  return { draw, indicator, quantity, price: (amount * 10_000_000n + half) / quantity, amount };
}

function goods(count: number, chance: number): Part[] {
  return Array.from({ length: count }, (_, i) => {
    const draw = mix(chance, 1000 + i);
    return { draw, indicator: REMITO, quantity: BigInt(1 + (draw % 500)) * 1000n };
  });
}

const ARTICLES = [
  'Yerba mate 1 kg',
  'Leche entera',
  'Cañería PVC ½"',
  'Harina 0000',
  'Servicio técnico',
  'Tornillos 3/8" x 100',
  'Asado con hueso',
  'Vino Tannat 750 ml',
  'Resma A4 75 g/m²',
  'Gasoil 50-S',
  'Dulce de leche «casero»',
  'Flete Montevideo–Salto',
] as const;
const UNITS = ['N/A', 'UN', 'KG', 'LT', 'HR', 'M2'] as const;

function line({ draw, indicator, quantity, price, amount, withheld = 0n }: Part, index: number) {
  const withholding = {
    codigo: '2183121',
    tasa: decimal(500n, 2),
    monto_sujeto: decimal(withheld * 20n, 2),
    valor: decimal(withheld, 2),
  };
  return {
    nro_linea: index + 1,
    indicador_facturacion: indicator,
    codigo: `ART-${draw % 9973}`,
    nombre: pick(ARTICLES, draw),
    descripcion:
      draw % 6 === 0 ? `Lote ${draw % 1000}\n«${pick(ARTICLES, draw >>> 5)}»\t\\ partida` : undefined,
    cantidad: decimal(quantity, 3),
    unidad_medida: pick(UNITS, draw >>> 8),
    precio_unitario: price === undefined ? undefined : decimal(price, 6),
    monto: amount === undefined ? undefined : decimal(amount, 2),
    retenciones_percepciones: withheld === 0n ? undefined : [withholding],
  };
}
