import type { SandboxReceipt } from '../../../sandbox/generator/receipts.ts';
import { rewritten } from '../api/faults.ts';

/**
 * Puts rare cases into the bodies that the sandbox sends: issued receipts signed on another day than their issue day,
 * totals that fit no column, received receipts with the same total, and rejected boletas de entrada. A receipt's day,
 * type and number decide which it is.
 */

export const LATE_DAY = '2026-11-18';
export const AHEAD_DAY = '2026-11-19';
const LATE_SIGNATURE = '2026-11-19';
const EARLY_SIGNATURE = '2026-11-16';

/** Receipts whose numbers end like this are changed. */
const OTHER_SIGNATURE = '7';
const NO_COLUMN_TAKES = '33';
const SAME_TOTAL = '[246]';

/** Any characters of the same receipt. */
const WITHIN = '(?:(?!"numero":).)*?';
const AMOUNT = '-?\\d[\\d.]*';

function totalAfter(numberEnd: string): RegExp {
  return new RegExp(`("numero":\\d*${numberEnd},${WITHIN}"totales":\\{"total":)${AMOUNT}`, 'g');
}

/** In a detail, other amounts come before the total. */
const SAME_TOTAL_OF_DETAIL = new RegExp(`("numero":\\d*${SAME_TOTAL},${WITHIN}"total":)${AMOUNT}`);

const REJECTED_SLIP = new RegExp(
  `("tipo_comprobante":15\\d,"serie":"[^"]*","numero":\\d*[02468],${WITHIN}"estado":\\{"codigo":)(?:null|"\\w+")`,
  'g',
);

export const rewriteReceipts = rewritten((body, { direction, endpoint }) => {
  if (direction === 'recibidos') {
    return endpoint === 'list'
      ? body
          .replace(totalAfter(NO_COLUMN_TAKES), '$10.125')
          .replace(totalAfter(SAME_TOTAL), '$11000')
          .replace(REJECTED_SLIP, '$1"BE"')
      : body.replace(SAME_TOTAL_OF_DETAIL, '$11000');
  }
  const signed = withSignature(withSignature(body, LATE_DAY, LATE_SIGNATURE), AHEAD_DAY, EARLY_SIGNATURE);
  return endpoint === 'list' ? signed.replace(totalAfter(NO_COLUMN_TAKES), '$10.125') : signed;
});

function withSignature(body: string, day: string, signedDay: string): string {
  const pattern = new RegExp(
    `("numero":\\d*${OTHER_SIGNATURE},"fecha_emision":"${day}T[^"]*","fecha_firma":")${day}`,
    'g',
  );
  return body.replace(pattern, `$1${signedDay}`);
}

/** The receipt as a list sends it. A total that fits no column is null. */
export function asSent(receipt: SandboxReceipt): SandboxReceipt {
  return {
    ...receipt,
    fecha_firma: signedDayOf(receipt) + receipt.fecha_firma.slice(10),
    total: totalOf(receipt),
    estado: statusOf(receipt),
  };
}

function signedDayOf({ direction, numero, day, fecha_firma: signature }: SandboxReceipt): string {
  const hasOther = direction === 'emitidos' && String(numero).endsWith(OTHER_SIGNATURE);
  if (hasOther && day === LATE_DAY) return LATE_SIGNATURE;
  if (hasOther && day === AHEAD_DAY) return EARLY_SIGNATURE;
  return signature.slice(0, 10);
}

function totalOf({ direction, numero, total }: SandboxReceipt): bigint | null {
  if (total === null || String(numero).endsWith(NO_COLUMN_TAKES)) return null;
  return direction === 'recibidos' && new RegExp(`${SAME_TOTAL}$`).test(String(numero)) ? 100_000n : total;
}

function statusOf({
  direction,
  tipo_comprobante: type,
  numero,
  index,
  estado,
}: SandboxReceipt): string | null {
  const isSlip = direction === 'recibidos' && type >= 150 && type < 160;
  // Without a status, only even rows have the field at all.
  const hasField = estado !== null || index % 2 === 0;
  return isSlip && numero % 2 === 0 && hasField ? 'BE' : estado;
}
