import { daysAfter } from '../generator/calendar.ts';
import {
  type Adjustment,
  detailOf,
  type Reference,
  referenceOf,
  type SandboxDetail,
} from '../generator/detail.ts';
import type { DetailLine } from '../generator/detail-lines.ts';
import type { Numbering } from '../generator/numbering.ts';
import type { Party } from '../generator/parties.ts';
import type { SandboxReceipt } from '../generator/receipt-list.ts';
import { hasFiscalComplement } from '../generator/types.ts';
import { amountText, decimalText } from './summary.ts';

/**
 * A detail as JSON text (the contract, §2.4 and §2.5). The contract doesn't name the inner fields; the sandbox names
 * them after the tax authority's CFE format.
 */
export function detail(receipt: SandboxReceipt, numbering: Numbering | undefined): string {
  const made = detailOf(receipt);
  const reference = referenceOf(receipt, numbering);
  return receipt.direction === 'recibidos'
    ? receivedDetail(receipt, made, reference)
    : issuedDetail(receipt, made, reference);
}

function receivedDetail(
  receipt: SandboxReceipt,
  made: SandboxDetail,
  reference: Reference | undefined,
): string {
  return object([
    ...identity(receipt),
    ['moneda', text(receipt.moneda)],
    ['forma_pago', receipt.forma_pago === null ? undefined : String(receipt.forma_pago)],
    ...common(receipt, made, reference),
    ['estado_dgi', receipt.index % 3 === 0 ? object([['codigo', text(receipt.estado)]]) : undefined],
    ['complemento_fiscal', hasFiscalComplement(receipt.tipo_comprobante) ? complement(receipt) : undefined],
  ]);
}

function issuedDetail(
  receipt: SandboxReceipt,
  made: SandboxDetail,
  reference: Reference | undefined,
): string {
  const dueDay = receipt.forma_pago === 2 ? daysAfter(receipt.day, 30) : null;
  return object([
    ...identity(receipt),
    ['id_externo', text(receipt.id_externo)],
    ['fecha_vencimiento', dueDay === null ? undefined : `"${dueDay}T00:00:00"`],
    ...common(receipt, made, reference),
    ['estado_receptor', object([['codigo', text(receipt.estado_receptor)]])],
    ['estado_dgi', object([['codigo', text(receipt.estado_dgi)]])],
    ['url_qr_dgi', text(qrAddress(receipt))],
  ]);
}

type Field = readonly [name: string, json: string | undefined];

function identity(receipt: SandboxReceipt): Field[] {
  return [
    ['id', String(receipt.id)],
    ['tipo_comprobante', String(receipt.tipo_comprobante)],
    ['serie', text(receipt.serie)],
    ['numero', String(receipt.numero)],
    ['fecha_emision', text(receipt.fecha_emision)],
    ['fecha_firma', text(receipt.fecha_firma)],
  ];
}

function common(receipt: SandboxReceipt, made: SandboxDetail, reference: Reference | undefined): Field[] {
  const isPaid = receipt.forma_pago === 1 && receipt.index % 2 === 0;
  const payment = object([
    ['codigo', '1'],
    ['glosa', '"Efectivo"'],
    ['valor', amountText(receipt.total_pagar)],
  ]);
  return [
    ['totales', totals(receipt, made)],
    ['emisor', issuer(receipt.emisor, receipt.sucursal)],
    ['receptor', receipt.receptor === null ? 'null' : recipient(receipt.receptor)],
    ['items', `[${made.lines.map(line).join(',')}]`],
    ['descuentos_recargos', `[${made.adjustments.map(adjustment).join(',')}]`],
    ['referencias', reference === undefined ? '[]' : `[${referred(reference)}]`],
    ['medios_pago', isPaid ? `[${payment}]` : undefined],
  ];
}

function totals(receipt: SandboxReceipt, made: SandboxDetail): string {
  const amounts = made.totals;
  if (amounts === null) return object([['cant_lineas', String(made.lines.length)]]);
  return object([
    ['moneda', text(receipt.moneda)],
    ['tipo_cambio', made.exchangeRate === null ? undefined : decimalText(made.exchangeRate, 3)],
    ['mnt_no_gravado', amountText(amounts.exempt)],
    ['mnt_exportacion_y_asimilados', amountText(amounts.exported)],
    ['mnt_neto_iva_tasa_minima', amountText(amounts.netMinimum)],
    ['mnt_neto_iva_tasa_basica', amountText(amounts.netBasic)],
    ['iva_tasa_minima', '10'],
    ['iva_tasa_basica', '22'],
    ['mnt_iva_tasa_minima', amountText(amounts.vatMinimum)],
    ['mnt_iva_tasa_basica', amountText(amounts.vatBasic)],
    ['total', amountText(receipt.total)],
    ['mnt_total_retenido', amountText(amounts.withheld)],
    ['monto_no_facturable', amountText(amounts.notBillable)],
    ['total_pagar', amountText(receipt.total_pagar)],
    ['cant_lineas', String(made.lines.length)],
  ]);
}

function issuer(party: Party, branch: number): string {
  return object([
    ['ruc', text(party.document)],
    ['razon_social', party.nameJson],
    ['codigo_sucursal', String(branch)],
    ['domicilio', text(party.address)],
    ['ciudad', text(party.city)],
    ['departamento', text(party.department)],
  ]);
}

function recipient(party: Party): string {
  return object([
    ['tipo_documento', String(party.documentType)],
    ['cod_pais', text(party.country)],
    ['nro_doc', text(party.document)],
    ['denominacion', party.nameJson],
    ['direccion', text(party.address)],
    ['ciudad', text(party.city)],
  ]);
}

function line(made: DetailLine): string {
  const { withheld } = made;
  return object([
    ['nro_linea', String(made.number)],
    ['indicador_facturacion', made.billingIndicator === null ? undefined : String(made.billingIndicator)],
    ['codigo', text(made.code)],
    ['nombre', text(made.name)],
    ['descripcion', made.description === null ? undefined : text(made.description)],
    ['cantidad', decimalText(made.quantity, 3)],
    ['unidad_medida', text(made.unit)],
    ['precio_unitario', made.unitPrice === null ? undefined : decimalText(made.unitPrice, 6)],
    ['monto', made.amount === null ? undefined : amountText(made.amount)],
    [
      'retenciones_percepciones',
      withheld === null
        ? undefined
        : `[${object([
            ['codigo', text(withheld.code)],
            ['tasa', decimalText(withheld.rate, 2)],
            ['monto_sujeto', amountText(withheld.base)],
            ['valor', amountText(withheld.amount)],
          ])}]`,
    ],
  ]);
}

function adjustment(made: Adjustment): string {
  return object([
    ['tipo', text(made.kind)],
    ['glosa', text(made.reason)],
    ['indicador_facturacion', String(made.billingIndicator)],
    ['valor', amountText(made.amount)],
  ]);
}

function referred(reference: Reference): string {
  return object([
    ['tipo_comprobante', String(reference.type)],
    ['serie', text(reference.serie)],
    ['numero', String(reference.numero)],
    ['razon', text(reference.reason)],
    ['fecha', text(reference.day)],
  ]);
}

/** Every second complement is unreadable, as if it were encrypted for someone else. */
function complement(receipt: SandboxReceipt): string {
  if (receipt.index % 2 === 0) return object([['encriptado', 'true']]);
  return object([
    ['ruc_mandante', text(receipt.emisor.document)],
    ['nombre_mandante', receipt.emisor.nameJson],
  ]);
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

function text(value: string | null): string {
  return JSON.stringify(value);
}

/** Fields without a value are left out. */
function object(fields: readonly Field[]): string {
  const present = fields.flatMap(([name, json]) => (json === undefined ? [] : [`"${name}":${json}`]));
  return `{${present.join(',')}}`;
}
