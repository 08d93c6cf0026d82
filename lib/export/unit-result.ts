import type { Unit } from './unit-plan.ts';

/**
 * exportado: the object was written. sin_cambios: it held the same content already. vacio: the list has no
 * receipts and there is no object. fallido: see `error`; the object is what it was.
 */
export type UnitState = 'exportado' | 'sin_cambios' | 'vacio' | 'fallido';

/** What became of a unit in one run; the audit keeps one row of it. */
export interface UnitResult extends Unit {
  estado: UnitState;
  /** Receipts that the API lists; undefined when it failed. */
  filas?: number;
  /** Against what was stored: receipts that came, that changed, and that are gone from the list. */
  nuevas?: number;
  cambiadas?: number;
  desaparecidas?: number;
  /** Values that did not fit their column. */
  avisos: number;
  /** Whether the list was proved to hold just these receipts at one moment; undefined when it failed. */
  estable?: boolean;
  paginas: number;
  solicitudes: number;
  reintentos: number;
  /** Size of the object written; 0 when none was. */
  bytes: number;
  sha256?: string;
  error?: string;
  /** Local date-times of Uruguay. */
  inicio: string;
  fin: string;
}
