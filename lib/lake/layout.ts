/** Where objects stand in the lake. The partition is in the key, as `name=value`, for Athena and DuckDB alike. */

/** The one object of a unit: a company's receipts of one issue date. */
export function unitKey(table: string, fecha: string, rut: string): string {
  return `${table}/fecha=${fecha}/${rut}.parquet`;
}

/** Audit rows of one company in one run; `part` counts the invocations that the run took. */
export function auditKey(table: string, runDay: string, runId: string, rut: string, part: number): string {
  return `${table}/fecha_corrida=${runDay}/${runId}-${rut}-${part}.parquet`;
}

/** What changed in one unit in one run. */
export function changesKey(
  table: string,
  runDay: string,
  runId: string,
  unit: { rut: string; direccion: string; fecha: string },
): string {
  return `${table}/fecha_corrida=${runDay}/${runId}-${unit.rut}-${unit.direccion}-${unit.fecha}.parquet`;
}

/** What was read so far of a unit that one invocation could not finish; no table's folder. */
export function stagedKey(runId: string, unit: { rut: string; direccion: string; fecha: string }): string {
  return `.staging/${runId}/${unit.rut}-${unit.direccion}-${unit.fecha}.parquet`;
}
