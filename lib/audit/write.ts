import { randomUUID } from 'node:crypto';
import { type ParquetWriter, type Row, rowsOf } from '../lake/parquet/writer.ts';
import type { LakeStore, StoredObject } from '../lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES } from '../lake/tables.ts';
import { CfeLakeError, messageOf } from '../system/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Unit, UnitResult } from '../units/unit.ts';
import { auditPartKey, CHANGED_FROM, changesPartKey, type Run, writeName } from './keys.ts';
import { rowOf } from './row.ts';

export interface AuditTools {
  store: LakeStore;
  writer: ParquetWriter;
}

/** The audit could not be written, though receipts of the run may be stored. */
export class AuditNotWrittenError extends CfeLakeError {
  override name = 'AuditNotWrittenError';
  readonly results: readonly UnitResult[];
  constructor(run: Run, results: readonly UnitResult[], cause: unknown) {
    const reason = messageOf(cause);
    super(`The audit of run ${run.id} could not be written: ${reason}`, {
      advice:
        'What was stored is in the lake. Units that the audit lacks count as never exported; missing --export reads ' +
        'them again.',
      cause,
    });
    this.results = results;
  }
}

/** Writes results, if there are any, as a part of the run: one row per unit, by RUT. */
export async function writeAudit(
  { store, writer }: AuditTools,
  run: Run,
  results: readonly UnitResult[],
): Promise<void> {
  const sorted = results.toSorted((a, b) => (a.rut < b.rut ? -1 : Number(a.rut > b.rut)));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined) return;
  const { columns } = EXPORTACIONES;
  const rows = sorted.map((result): Row => rowOf(run, result));
  const key = auditPartKey(run, randomUUID().slice(0, 13), first.rut, last?.rut);
  const bytes = writer({ columns, rows: rowsOf(columns, rows), metadata: {} });
  await store.replace(key, bytes, { metadata: {}, expected: undefined });
}

/**
 * Stages the rows of `cambios` that come with a write of a unit, and returns the name of that write. They count once
 * the unit's object has this name in its footer, and are dropped if it can no longer get it.
 */
export async function stageChanges(
  { store, writer }: AuditTools,
  run: Run,
  unit: Unit,
  stored: StoredObject | undefined,
  rows: readonly Row[],
): Promise<string> {
  const write = randomUUID().replaceAll('-', '');
  const { columns } = CAMBIOS;
  const metadata = { [CHANGED_FROM]: stored?.version ?? '' };
  const key = changesPartKey(run, unit, write);
  await store.replace(key, writer({ columns, rows: rowsOf(columns, rows), metadata }), {
    metadata: {},
    expected: undefined,
  });
  return writeName(run, write);
}

/** Results are written as a part once there are so many, or that long after the last, as companies end. */
const UNITS_PER_PART = 2_000;
const WRITTEN_EVERY_MS = 5_000;

/**
 * Writes the audit of a run of many companies while it runs. Companies share parts: a night of a thousand idle ones
 * writes some five.
 */
export class RunAudit {
  private readonly tools: AuditTools;
  private readonly run: Run;
  private readonly clock: Clock;
  /** Results that are not written yet. */
  private readonly results: UnitResult[] = [];
  private writtenAtMs: number;

  constructor(tools: AuditTools, run: Run, clock: Clock) {
    this.tools = tools;
    this.run = run;
    this.clock = clock;
    this.writtenAtMs = clock.monotonicMs();
  }

  async add(results: readonly UnitResult[]): Promise<void> {
    this.results.push(...results);
    const isDue = this.clock.monotonicMs() - this.writtenAtMs >= WRITTEN_EVERY_MS;
    if (this.results.length >= UNITS_PER_PART || isDue) await this.close();
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    this.writtenAtMs = this.clock.monotonicMs();
    await writeAudit(this.tools, this.run, this.results.splice(0));
  }
}
