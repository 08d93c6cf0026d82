import { dayNumber, dayText } from './calendar.ts';
import { mix } from './hash.ts';
import type { Numbering } from './numbering.ts';
import type { SandboxReceipt } from './receipt.ts';
import { isCreditNote, isDebitNote, ordinaryType } from './types.ts';

/** The receipt that a note corrects. */
export interface Reference {
  type: number;
  serie: string;
  numero: number;
  reason: string;
  day: string;
}

const SALT_REFERENCE = 81;
const LATEST_BACK = 200;

/**
 * What a credit or debit note refers to: one of the issuer's last 200 receipts of the type it corrects.
 * One note in ten refers to nothing, as happens.
 * @param numbering the issuer's, for issued receipts; a supplier's earlier number is invented
 */
export function referenceOf(
  receipt: SandboxReceipt,
  numbering: Numbering | undefined,
): Reference | undefined {
  const type = receipt.tipo_comprobante;
  const draw = mix(receipt.chance, SALT_REFERENCE);
  if (!(isCreditNote(type) || isDebitNote(type)) || draw % 10 === 0) return undefined;
  const corrected = Math.floor(ordinaryType(type) / 10) * 10 + 1;
  const number =
    numbering === undefined
      ? { serie: receipt.serie, numero: Math.max(1, receipt.numero - 1 - (draw % LATEST_BACK)) }
      : issuedBefore(receipt, corrected, draw, numbering);
  if (number === undefined) return undefined;
  const reason = isCreditNote(type) ? 'Devolución de mercadería' : 'Diferencia de precio';
  return { type: corrected, ...number, reason, day: dayText((dayNumber(receipt.day) ?? 0) - (draw % 20)) };
}

function issuedBefore(
  receipt: SandboxReceipt,
  type: number,
  draw: number,
  numbering: Numbering,
): { serie: string; numero: number } | undefined {
  const { branchIndex } = numbering.streamOf(receipt.sequence);
  const earlier = numbering.earlier(type, branchIndex, receipt.sequence);
  if (earlier === 0) return undefined;
  return numbering.nth(type, branchIndex, earlier - 1 - (draw % Math.min(earlier, LATEST_BACK)));
}
