import { readInt64 } from '../json/exact-json.ts';
import type { Direction } from './directions.ts';
import { ForeignReceiptError } from './errors.ts';

export const OTHER_RECIPIENT = 'has another company as its recipient';

/**
 * Throws ForeignReceiptError if a received receipt's recipient is another company: the API did not honour the request
 * then.
 */
export function assertOwn(direction: Direction, receipts: readonly unknown[], rut: string): void {
  if (direction !== 'recibidos') return;
  for (const receipt of receipts) {
    if (typeof receipt !== 'object' || receipt === null || !hasOtherRecipient(receipt, rut)) continue;
    const id = 'id' in receipt ? readInt64(receipt.id) : undefined;
    throw new ForeignReceiptError({ rut, direction }, id ?? 0, OTHER_RECIPIENT);
  }
}

export function hasOtherRecipient(receipt: object, rut: string): boolean {
  const recipient = 'receptor' in receipt ? receipt.receptor : undefined;
  if (typeof recipient !== 'object' || recipient === null || !('nro_doc' in recipient)) return false;
  const document = recipient.nro_doc;
  if (document === rut) return false;
  if (typeof document !== 'string' && typeof document !== 'number') return false;
  const digits = String(document).replace(/\D/g, '');
  // A RUT that came as a number has lost a leading zero.
  return digits !== '' && digits.padStart(rut.length, '0') !== rut;
}
