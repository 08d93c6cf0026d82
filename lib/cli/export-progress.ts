import { plural } from '../text/terminal.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { dayName, isFailed, type Unit, type UnitResult } from '../units.ts';
import { unitText } from './export-report.ts';
import { type InnerWork, type Printer, startProgress } from './printer.ts';

/** The details of a unit whose list is stored. */
interface UnitDetails {
  receipts: number;
  toRead: number;
  read: number;
}

/** Counts what an export has done, and shows it: units, their receipts, and details, which take a request each. */
export class ExportProgress {
  /** Units that did not fail. */
  kept = 0;
  private readonly progress: ReturnType<typeof startProgress>;
  private readonly unitCount: number;
  private readonly clock: Pick<Clock, 'monotonicMs'>;
  private ended = 0;
  private receipts = 0;
  private detailsRead = 0;
  private detailsBeganAtMs: number | undefined;
  private readonly underWay = new Map<string, UnitDetails>();

  constructor(stream: Printer, unitCount: number, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.progress = startProgress(stream, unitCount, clock);
    this.unitCount = unitCount;
    this.clock = clock;
  }

  /** Details that were read for units that have not ended. They are staged, so the next export goes on from them. */
  get detailsStaged(): number {
    return this.sum(({ read }) => read);
  }

  onDetailsBegin(unit: Unit, receipts: number, toRead: number): void {
    this.detailsBeganAtMs ??= this.clock.monotonicMs();
    this.underWay.set(keyOf(unit), { receipts, toRead, read: 0 });
  }

  onDetailRead(unit: Unit): void {
    const details = this.underWay.get(keyOf(unit));
    if (details === undefined) return;
    details.read += 1;
    this.detailsRead += 1;
    this.progress.part(this.text(unit), this.details());
  }

  onUnitEnd(result: UnitResult): void {
    const hasFailed = isFailed(result);
    this.underWay.delete(keyOf(result));
    this.ended += 1;
    this.receipts += result.receipts ?? 0;
    if (!hasFailed) this.kept += 1;
    this.progress.step(this.text(result), hasFailed, this.details());
  }

  /** Removes the bar. */
  end(): void {
    this.progress.end();
  }

  private text(unit: Unit): string {
    return `${plural(this.receipts + this.sum(({ receipts }) => receipts), 'receipt')} · ${unitText(unit)}`;
  }

  /** What is known of the details; units whose list is still to be read have as many as the others, on average. */
  private details(): InnerWork | undefined {
    if (this.detailsBeganAtMs === undefined) return undefined;
    const known = this.detailsRead + this.sum(({ toRead, read }) => toRead - read);
    const listed = this.ended + this.underWay.size;
    return {
      text: `${this.detailsRead.toLocaleString('en')} of ${plural(known, 'detail')}`,
      done: this.detailsRead,
      total: (known * this.unitCount) / listed,
      beganAtMs: this.detailsBeganAtMs,
      stepsBegun: this.sum(({ toRead, read }) => (toRead === 0 ? 0 : read / toRead)),
    };
  }

  private sum(count: (details: UnitDetails) => number): number {
    return this.underWay.values().reduce((total, details) => total + count(details), 0);
  }
}

function keyOf(unit: Unit): string {
  return `${unit.rut} ${dayName(unit)}`;
}
