import { inBoth } from '../text/language.ts';
import { counted } from '../text/spanish.ts';
import { plural } from '../text/terminal.ts';
import type { Direction } from '../units/unit.ts';

type Gap = 'never' | 'early' | 'failed';

const ENGLISH_GAPS: Readonly<Record<Gap, string>> = {
  never: 'never exported',
  early: 'last read before their end, and may have more receipts',
  failed: 'not exported, because their export failed',
};

const SPANISH_GAPS: Readonly<Record<Gap, string>> = {
  never: 'no se exportaron nunca',
  early: 'se leyeron por última vez antes de terminar, y pueden tener más comprobantes',
  failed: 'no se exportaron, porque su exportación falló',
};

/** What the answer to a question says besides its rows. */
export const SAY = inBoth(
  {
    gap: (reason: Gap, days: number, direction: Direction) =>
      `${plural(days, 'day')} of ${direction} in this period ${days === 1 ? 'was' : 'were'} ${ENGLISH_GAPS[reason]}`,
    ofCompanies: (companies: number, of: number) => ` (${companies} of ${of} companies)`,
    noDetails: (receipts: number) => `${plural(receipts, 'receipt has', 'receipts have')} no details`,
    and: () => ', and ',
    toReadThem: (command: string) => `. To read them:\n  ${command}`,
    nothingYet: (table: string, direction?: string) =>
      `Nothing in ${table} yet${direction === undefined ? '' : `: export --details ${direction} reads it`}.`,
  },
  {
    gap: (reason: Gap, days: number, direction: Direction) =>
      `${counted(days, ['día', 'días'])} de ${direction} de este período ${SPANISH_GAPS[reason]}`,
    ofCompanies: (companies: number, of: number) => ` (${companies} de ${of} empresas)`,
    noDetails: (receipts: number) =>
      `${counted(receipts, ['comprobante no tiene', 'comprobantes no tienen'])} su detalle leído`,
    and: () => ', y ',
    toReadThem: (command: string) => `. Para leerlos:\n  ${command}`,
    nothingYet: (table: string, direction?: string) =>
      `Todavía no hay nada en ${table}${direction === undefined ? '' : `: lo lee export --details ${direction}`}.`,
  },
);
