import type { PageFault, SandboxBehaviour, Target } from '../behaviour.ts';
import { isTargeted } from '../behaviour.ts';
import { localCompany } from '../generator/parties.ts';
import type { SandboxReceipt } from '../generator/receipt.ts';

/** What goes wrong on one page. */
export interface PageDefects {
  isEmpty: boolean;
  isShort: boolean;
  lacksId: boolean;
  isForeign: boolean;
}

export interface PageFaults {
  /**
   * The defects of a page this time, or undefined for none; asking uses up a fault that happens once.
   * @param listKey the same for all pages of a list
   */
  next(listKey: string, pageNumber: number, target: Target): PageDefects | undefined;
}

/** A company that is not among the sandbox's. */
const FOREIGN_RECIPIENT = localCompany('211003420017', 'Otra Empresa S.A.');

export function pageFaults(behaviour: Readonly<SandboxBehaviour>): PageFaults {
  const { emptyPage, shortPage, idsMissing, foreignRecipient, faultTarget } = behaviour;
  const isOff = [emptyPage, shortPage, idsMissing, foreignRecipient].every((fault) => fault === null);
  const happened = new Set<string>();

  const happens = (fault: PageFault | null, name: string, listKey: string, pageNumber: number): boolean => {
    if (fault === null || fault.page !== pageNumber) return false;
    const key = `${name} ${listKey}`;
    if (fault.when === 'once' && happened.has(key)) return false;
    happened.add(key);
    return true;
  };

  return {
    next(listKey, pageNumber, target) {
      if (isOff || !isTargeted(faultTarget, target)) return undefined;
      const defects = {
        isEmpty: happens(emptyPage, 'empty', listKey, pageNumber),
        isShort: happens(shortPage, 'short', listKey, pageNumber),
        lacksId: happens(idsMissing, 'id', listKey, pageNumber),
        isForeign: happens(foreignRecipient, 'foreign', listKey, pageNumber),
      };
      return Object.values(defects).includes(true) ? defects : undefined;
    },
  };
}

/** How many rows a defective page still has. */
export function rowsLeft(defects: PageDefects | undefined, rows: number): number {
  if (defects?.isEmpty) return 0;
  return defects?.isShort ? Math.floor(rows / 2) : rows;
}

/** The receipt as a defective page shows it in its first row. */
export function misaddressed(receipt: SandboxReceipt): SandboxReceipt {
  return receipt.direction === 'recibidos' ? { ...receipt, receptor: FOREIGN_RECIPIENT } : receipt;
}

export function withoutId(row: string): string {
  return row.replace(/^\{"id":\d+,/, '{');
}
