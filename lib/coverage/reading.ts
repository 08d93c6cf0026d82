/** One row of the audit, as the calendar shows it; names as in `exportaciones`, counts as numbers. */
export interface Reading {
  corrida: string;
  estado: string;
  filas: number | null;
  nuevas: number | null;
  cambiadas: number | null;
  desaparecidas: number | null;
  avisos: number | null;
  estable: boolean | null;
  paginas: number | null;
  solicitudes: number | null;
  reintentos: number | null;
  bytes: number | null;
  error: string | null;
  /** When it began and ended, in whole seconds since 1970-01-01T00:00:00 of Uruguay's clock. */
  inicio: number | null;
  fin: number | null;
}

/** What a reading counted, in the order of a person's questions. */
export const READING_COUNTS = [
  'filas',
  'nuevas',
  'cambiadas',
  'desaparecidas',
  'avisos',
  'estable',
  'paginas',
  'solicitudes',
  'reintentos',
  'bytes',
] as const satisfies readonly (keyof Reading)[];

/** All fields. */
export const READING_FIELDS = ['inicio', 'fin', 'corrida', 'estado', ...READING_COUNTS, 'error'] as const;
