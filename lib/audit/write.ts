import { randomUUID } from 'node:crypto';
import { CfeLakeError } from '../errors.ts';
import type { Unit, UnitResult } from '../export/units.ts';
import type { ParquetWriter } from '../lake/parquet/writer.ts';
import { type Row, rowsOf } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';
import { uruguayDateTime } from '../time/days.ts';
import { partKey, type Run } from './keys.ts';
import { rowOf } from './row.ts';

/** What writing the audit needs. */
export interface AuditTools {
  store: LakeStore;
  writer: ParquetWriter;
}

/** The audit could not be written, though receipts of the run may be stored. */
export class AuditNotWrittenError extends CfeLakeError {
  override name = 'AuditNotWrittenError';
  readonly results: readonly UnitResult[];
  constructor(run: Run, results: readonly UnitResult[], cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The audit of run ${run.id} could not be written: ${reason}`, {
      advice:
        'What is stored is in the lake; units that the audit lacks count as failed, and missing --export reads them ' +
        'again.',
      cause,
    });
    this.results = results;
  }
}

/** Writes results as a part of the run, one row per unit, by RUT. Returns its key; undefined if there are none. */
export async function writeAudit(
  { store, writer }: AuditTools,
  run: Run,
  results: readonly UnitResult[],
): Promise<string | undefined> {
  const sorted = results.toSorted((a, b) => (a.rut < b.rut ? -1 : Number(a.rut > b.rut)));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined) return undefined;
  const { columns } = EXPORTACIONES;
  const rows = sorted.map((result): Row => rowOf(run, result));
  const key = partKey(EXPORTACIONES, run, first.rut, randomUUID().slice(0, 13), last?.rut);
  const bytes = writer({ columns, rows: rowsOf(columns, rows), metadata: {} });
  await store.replace(key, bytes, { metadata: {}, expected: undefined });
  return key;
}

/**
 * Writes these units as failed before they begin, in case the run dies before it can write their results. Returns the
 * key of the part, to be removed once the results are written.
 */
export async function writeBegun(
  tools: AuditTools,
  run: Run,
  units: readonly Unit[],
  nowMs: number,
): Promise<string | undefined> {
  const moment = uruguayDateTime(nowMs);
  const error = `Run ${run.id} was to export this unit, and ended before it wrote what became of it. Export it again.`;
  const nothing = { avisos: 0, paginas: 0, solicitudes: 0, reintentos: 0, bytes: 0 };
  const results = units.map(
    (unit): UnitResult => ({
      ...unit,
      ...nothing,
      estado: 'fallido',
      error,
      inicio: moment,
      fin: moment,
    }),
  );
  return await writeAudit(tools, run, results);
}
