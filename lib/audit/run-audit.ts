import type { Unit, UnitResult } from '../export/units.ts';
import type { Clock } from '../time/clock.ts';
import type { Run } from './keys.ts';
import { type AuditTools, writeAudit, writeBegun } from './write.ts';

/** Units of one part. A company with more has parts of its own. */
const UNITS_PER_PART = 2_000;
/** Results are written at least this often, as companies end. */
const WRITTEN_EVERY_MS = 5_000;

/** Companies that share parts. */
interface Batch {
  units: Unit[];
  companiesLeft: number;
  /** Key of the part that says that the units were begun. */
  begun: Promise<string | undefined> | undefined;
  /** Not written yet. */
  results: UnitResult[];
  writtenAtMs: number;
  /** Settles when all writes so far have. */
  writing: Promise<unknown>;
}

/**
 * Writes the audit of a run of many companies while it runs: first that its units are about to begin, so that the audit
 * names them however the run ends, then what became of them. Companies share parts: a night of a thousand idle ones
 * writes about ten.
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
      if (batch === undefined || batch.units.length + own.length > UNITS_PER_PART) {
        batch = {
          units: [],
          companiesLeft: 0,
          begun: undefined,
          results: [],
          writtenAtMs: clock.monotonicMs(),
          writing: Promise.resolve(),
        };
      }
      batch.units.push(...own);
      batch.companiesLeft += 1;
      this.batchOf.set(rut, batch);
    }
  }

  /** Call it before the first of a company's units begins. */
  async begin(rut: string): Promise<void> {
    const batch = this.batchOf.get(rut);
    if (batch === undefined) return;
    const { tools, run, clock } = this;
    batch.begun ??= this.noted(writeBegun(tools, run, batch.units, clock.now()));
    await batch.begun;
  }

  /** Adds results of a company's units; `isDone` with the last ones. */
  async add(rut: string, results: readonly UnitResult[], isDone: boolean): Promise<void> {
    const batch = this.batchOf.get(rut);
    if (batch === undefined) return;
    batch.results.push(...results);
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
      const end = isAllAdded ? this.end(batch) : this.write(batch);
      await end.catch(() => undefined);
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
