import type { Unit, UnitResult } from '../export/units.ts';
import type { Clock } from '../time/clock.ts';
import type { Run } from './keys.ts';
import { type AuditTools, writeAudit, writeBegun } from './write.ts';

/** Of all companies of one part; a company with more has parts of its own. */
const UNITS_PER_PART = 2_000;
/** What became of units is written at least this often, as companies end. */
const WRITTEN_EVERY_MS = 5_000;

/** Companies whose units stand in the same parts. */
interface Batch {
  units: Unit[];
  companiesLeft: number;
  /** The part that says that its units were begun. */
  begun: Promise<string | undefined> | undefined;
  /** What is not written yet. */
  results: UnitResult[];
  writtenAtMs: number;
  /** Ends when all that was given to be written is. */
  writing: Promise<unknown>;
}

/**
 * Writes the audit of a run of many companies, while it runs: that units were begun before they are, so that no end of
 * the run leaves them unsaid, and what became of them. Companies share parts, so that a night of a thousand idle ones
 * writes some ten of them.
 */
export class RunAudit {
  private readonly tools: AuditTools;
  private readonly run: Run;
  private readonly clock: Clock;
  private readonly batches = new Set<Batch>();
  private readonly batchOf = new Map<string, Batch>();
  /** Why the audit can't be written: of the first attempt that failed. */
  private fault: unknown;

  constructor(tools: AuditTools, run: Run, clock: Clock, units: ReadonlyMap<string, readonly Unit[]>) {
    this.tools = tools;
    this.run = run;
    this.clock = clock;
    // By RUT: so parts that share no company have none between each other's.
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
        this.batches.add(batch);
      }
      batch.units.push(...own);
      batch.companiesLeft += 1;
      this.batchOf.set(rut, batch);
    }
  }

  /** To be called before the first of a company's units is begun. */
  async begin(rut: string): Promise<void> {
    const batch = this.batchOf.get(rut);
    if (batch === undefined) return;
    const { tools, run, clock } = this;
    batch.begun ??= this.noted(writeBegun(tools, run, batch.units, clock.now()));
    await batch.begun;
  }

  /** What became of a company's units; `isDone` when nothing more comes of it. */
  async add(rut: string, results: readonly UnitResult[], isDone: boolean): Promise<void> {
    const batch = this.batchOf.get(rut);
    if (batch === undefined) return;
    batch.results.push(...results);
    if (isDone) batch.companiesLeft -= 1;
    if (batch.companiesLeft === 0) await this.end(batch);
    else if (this.clock.monotonicMs() - batch.writtenAtMs >= WRITTEN_EVERY_MS) await this.write(batch);
  }

  /**
   * Writes all that is not written yet. Unless all that was begun was added, what was not counts as failed. Throws
   * what the audit could not be written for.
   */
  async close(isAllAdded: boolean): Promise<void> {
    for (const batch of this.batches) {
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
