import { randomUUID } from 'node:crypto';
import { CfeLakeError, messageOf } from '../errors.ts';
import { type ParquetWriter, type Row, rowsOf } from '../lake/parquet/writer.ts';
import type { LakeStore, StoredObject } from '../lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES } from '../lake/tables.ts';
import type { Clock } from '../time/clock.ts';
import { uruguayDateTime } from '../time/days.ts';
import { dayName, type Unit, type UnitResult } from '../units.ts';
import { begunPartName, CHANGED_FROM, changesPartName, partKey, type Run, writeName } from './keys.ts';
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
        'What was stored is in the lake. Units that the audit lacks count as failed; missing --export reads them ' +
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
  name = randomUUID().slice(0, 13),
): Promise<string | undefined> {
  const sorted = results.toSorted((a, b) => (a.rut < b.rut ? -1 : Number(a.rut > b.rut)));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined) return undefined;
  const { columns } = EXPORTACIONES;
  const rows = sorted.map((result): Row => rowOf(run, result));
  const key = partKey(EXPORTACIONES, run, first.rut, name, last?.rut);
  const bytes = writer({ columns, rows: rowsOf(columns, rows), metadata: {} });
  await store.replace(key, bytes, { metadata: {}, expected: undefined });
  return key;
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
  const key = partKey(CAMBIOS, run, unit.rut, changesPartName(unit, write));
  await store.replace(key, writer({ columns, rows: rowsOf(columns, rows), metadata }), {
    metadata: {},
    expected: undefined,
  });
  return writeName(run, write);
}

/** The result of a unit that began, and of which nothing else was recorded. */
function unrecorded(run: Run, unit: Unit, nowMs: number): UnitResult {
  const moment = uruguayDateTime(nowMs);
  const error = `Run ${run.id} ended before it recorded what became of this unit. Export it again.`;
  const nothing = { misfits: 0, pages: 0, requests: 0, retries: 0, bytes: 0 };
  return { ...unit, ...nothing, state: 'fallido', error, startedAt: moment, endedAt: moment };
}

/** The most units of a part that companies share. A company with more has its own part. */
const UNITS_PER_PART = 2_000;

/** Records units of a run as failed that it has no result of, since their worker died. `units`: by RUT. */
export async function writeUnrecorded(
  tools: AuditTools,
  run: Run,
  units: readonly Unit[],
  nowMs: number,
): Promise<void> {
  for (let start = 0; start < units.length; start += UNITS_PER_PART) {
    const some = units.slice(start, start + UNITS_PER_PART);
    await writeAudit(
      tools,
      run,
      some.map((unit) => unrecorded(run, unit, nowMs)),
    );
  }
}

/** Results are written at least this often, as companies end. */
const WRITTEN_EVERY_MS = 5_000;

/** Companies that share parts. */
interface Batch {
  /** Those without a result, by their names. */
  units: Map<string, Unit>;
  companiesLeft: number;
  /** Key of the part that records the units as failed, in case the run dies before it can write their results. */
  begun: Promise<string | undefined> | undefined;
  /** Not written yet. */
  results: UnitResult[];
  writtenAtMs: number;
  /** Settles when all writes so far have. */
  writing: Promise<unknown>;
}

/**
 * Writes the audit of a run of many companies while it runs: first that units are about to begin, so that the audit
 * names them however the run ends, then their results. Companies share parts: a night of a thousand idle ones writes
 * about ten.
 */
export class RunAudit {
  private readonly tools: AuditTools;
  private readonly run: Run;
  private readonly clock: Clock;
  private readonly batchOf = new Map<string, Batch>();
  /** The error of the first write that failed. */
  private fault: unknown;

  constructor(tools: AuditTools, run: Run, clock: Clock, units: ReadonlyMap<string, readonly Unit[]>) {
    this.tools = tools;
    this.run = run;
    this.clock = clock;
    // By RUT, so that the RUTs of different batches do not interleave.
    const companies = [...units].sort(([a], [b]) => (a < b ? -1 : 1));
    let batch: Batch | undefined;
    for (const [rut, own] of companies) {
      if (batch === undefined || batch.units.size + own.length > UNITS_PER_PART) {
        batch = {
          units: new Map(),
          companiesLeft: 0,
          begun: undefined,
          results: [],
          writtenAtMs: clock.monotonicMs(),
          writing: Promise.resolve(),
        };
      }
      for (const unit of own) batch.units.set(nameOf(unit), unit);
      batch.companiesLeft += 1;
      this.batchOf.set(rut, batch);
    }
  }

  /** Call it before the first of a company's units begins. */
  async begin(rut: string): Promise<void> {
    const batch = this.batchOf.get(rut);
    if (batch === undefined) return;
    const { tools, run, clock } = this;
    const begin = () => {
      const results = batch.units.values().map((unit) => unrecorded(run, unit, clock.now()));
      return this.noted(writeAudit(tools, run, [...results], begunPartName()));
    };
    batch.begun ??= begin();
    await batch.begun;
  }

  /** Adds results of a company's units; `isDone` with the last ones. */
  async add(rut: string, results: readonly UnitResult[], isDone: boolean): Promise<void> {
    const batch = this.batchOf.get(rut);
    if (batch === undefined) return;
    batch.results.push(...results);
    for (const result of results) batch.units.delete(nameOf(result));
    if (isDone) batch.companiesLeft -= 1;
    if (batch.companiesLeft === 0) await this.end(batch);
    else if (this.clock.monotonicMs() - batch.writtenAtMs >= WRITTEN_EVERY_MS) await this.write(batch);
  }

  /**
   * Writes what is not written yet. Units that were begun and have no result count as failed, unless `isAllAdded`.
   * Throws the first error of a write.
   */
  async close(isAllAdded: boolean): Promise<void> {
    for (const batch of new Set(this.batchOf.values())) {
      if (!isAllAdded && batch.begun !== undefined) {
        for (const unit of batch.units.values()) {
          batch.results.push(unrecorded(this.run, unit, this.clock.now()));
        }
      }
      await this.end(batch).catch(() => undefined);
    }
    if (this.fault !== undefined) throw this.fault;
  }

  private async end(batch: Batch): Promise<void> {
    await this.write(batch);
    const begun = await batch.begun;
    batch.begun = undefined;
    if (begun !== undefined) await this.noted(this.tools.store.remove(begun));
  }

  private async write(batch: Batch): Promise<void> {
    const results = batch.results.splice(0);
    batch.writtenAtMs = this.clock.monotonicMs();
    batch.writing = Promise.all([batch.writing, this.noted(writeAudit(this.tools, this.run, results))]);
    await batch.writing;
  }

  private async noted<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      this.fault ??= error;
      throw error;
    }
  }
}

function nameOf(unit: Unit): string {
  return `${unit.rut} ${dayName(unit)}`;
}
