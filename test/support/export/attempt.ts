import { ReceiptsByDay } from '../../../lib/export/reading/receipts-by-day.ts';
import type { AskedDays } from '../../../lib/export/reading/service-facts.ts';
import { RUT, received } from './unit-world.ts';

/** A list of received receipts with these issue dates, or other fields. Their ids are counted from 1. */
export function attemptOf(
  asked: AskedDays,
  receipts: readonly (string | Record<string, unknown>)[],
): ReceiptsByDay {
  const attempt = new ReceiptsByDay({ rut: RUT, direction: 'recibidos' }, asked);
  const items = receipts.map((receipt, index) =>
    received(index + 1, typeof receipt === 'string' ? { fecha_emision: receipt } : receipt),
  );
  attempt.add({ pageNumber: 1, items, ids: items.map(({ id }) => id) }, 0);
  return attempt;
}
