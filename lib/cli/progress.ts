import type { TableDay } from '../publish/publish-day.ts';
import { plural, printableLine, STYLES } from '../text/terminal.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { dayName, isFailed, type Unit, type UnitResult } from '../units/unit.ts';
import { unitText } from './export-report.ts';
import type { Printer } from './printer.ts';

const BAR_COLUMNS = 30;
/** Outside a terminal: one line each time this share of the work is done. */
const LINE_EVERY = 0.1;
/** Before this, the pace says little. */
const PACE_AFTER_SECONDS = 3;
/** Parts of a step may be done a thousand times a second. */
const DRAW_EVERY_MS = 100;

/** Work within the steps, which takes most of the time, so that its pace tells the time left. */
interface InnerWork {
  /** Shown after the steps: `560 of 3,000 details`. */
  text: string;
  done: number;
  total: number;
  beganAtMs: number;
  /** How much of the steps that have not ended is done: 0.5 for half a step. */
  stepsBegun: number;
}

type Stopwatch = Pick<Clock, 'monotonicMs'>;

/**
 * Shows the progress of long work: a bar in a terminal, a line now and then elsewhere. Always on stderr. `innerWork`:
 * how far the work within the steps is.
 */
export function startProgress(
  stream: Printer,
  total: number,
  clock: Stopwatch = systemClock,
  innerWork: () => InnerWork | undefined = () => undefined,
) {
  const beganAtMs = clock.monotonicMs();
  let doneCount = 0;
  let failedCount = 0;
  let lastLineAt = 0;
  let drawnAtMs = Number.NEGATIVE_INFINITY;

  /** The pace and the time left, once they are meaningful. */
  function pace(inner: InnerWork | undefined): string[] {
    const work = inner ?? { done: doneCount, total, beganAtMs };
    const elapsedSeconds = (clock.monotonicMs() - work.beganAtMs) / 1000;
    if (elapsedSeconds < PACE_AFTER_SECONDS || work.done === 0 || doneCount === total) return [];
    const aSecond = work.done / elapsedSeconds;
    const rate = aSecond >= 1 ? `${Math.round(aSecond)}/s` : `${(aSecond * 60).toPrecision(2)}/min`;
    return [rate, `${durationText((work.total - work.done) / aSecond)} left`];
  }

  function draw(text: string): void {
    const inner = innerWork();
    const begunCount = doneCount + (inner?.stepsBegun ?? 0);
    const failures = failedCount > 0 ? `${failedCount} failed` : '';
    const parts = [inner?.text ?? '', ...pace(inner), failures, printableLine(text)];
    const line = `${doneCount}/${total} ${parts.filter((part) => part !== '').join(' · ')}`;
    drawnAtMs = clock.monotonicMs();
    if (stream.isInteractive) {
      const filled = Math.round((BAR_COLUMNS * begunCount) / total);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
      const inRed = failures && stream.paint(STYLES.failure, failures);
      stream.replaceLine(`${bar} ${line}`, (shown) => shown.replace(failures, inRed));
    } else if (doneCount === total || begunCount >= lastLineAt + total * LINE_EVERY) {
      lastLineAt = begunCount;
      stream.write(`${line}\n`);
    }
  }

  function show(done: number, text: string): void {
    if (done === doneCount) return;
    doneCount = done;
    draw(text);
  }

  return {
    show,
    /** Counts one more step as done; `text` is shown after the bar. */
    step(text: string, isFailed = false): void {
      if (isFailed) failedCount += 1;
      show(doneCount + 1, text);
    },
    /** Shows how far the work within the steps is. */
    part(text: string): void {
      if (clock.monotonicMs() - drawnAtMs >= DRAW_EVERY_MS) draw(text);
    },
    /** Removes the bar. */
    end: (): void => stream.eraseLine(),
  };
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 90 ? `${Math.ceil(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** Fewer days are published before anybody wonders what takes so long. */
const DAYS_WORTH_SHOWING = 50;

/** Shows the progress of publishing many days; `end` removes the bar. */
export function publishingProgress(stream: Printer) {
  let progress: ReturnType<typeof startProgress> | undefined;
  return {
    onDayEnd: ({ table, day }: TableDay, dayCount: number): void => {
      if (dayCount < DAYS_WORTH_SHOWING) return;
      progress ??= startProgress(stream, dayCount);
      progress.step(`days of tables · ${table.name} ${day}`);
    },
    end: (): void => progress?.end(),
  };
}

/** The details of a unit whose list is stored. */
interface UnitDetails {
  receipts: number;
  toRead: number;
  read: number;
}

/** Counts what an export has done, and shows it: units, their receipts, and details, which take a request each. */
export function exportProgress(stream: Printer, unitCount: number, clock: Stopwatch = systemClock) {
  const progress = startProgress(stream, unitCount, clock, details);
  const underWay = new Map<string, UnitDetails>();
  let [ended, kept, receiptCount, detailsRead] = [0, 0, 0, 0];
  let detailsBeganAtMs: number | undefined;

  function sum(count: (details: UnitDetails) => number): number {
    return underWay.values().reduce((total, details) => total + count(details), 0);
  }

  function text(unit: Unit): string {
    return `${plural(receiptCount + sum(({ receipts }) => receipts), 'receipt')} so far · ${unitText(unit)}`;
  }

  /** What is known of the details; units whose list is still to be read have as many as the others, on average. */
  function details(): InnerWork | undefined {
    if (detailsBeganAtMs === undefined) return undefined;
    const known = detailsRead + sum(({ toRead, read }) => toRead - read);
    return {
      text: `${detailsRead.toLocaleString('en')} of ${plural(known, 'detail')}`,
      done: detailsRead,
      total: (known * unitCount) / (ended + underWay.size),
      beganAtMs: detailsBeganAtMs,
      stepsBegun: sum(({ toRead, read }) => (toRead === 0 ? 0 : read / toRead)),
    };
  }

  return {
    onDetailsBegin(unit: Unit, receipts: number, toRead: number): void {
      detailsBeganAtMs ??= clock.monotonicMs();
      underWay.set(keyOf(unit), { receipts, toRead, read: 0 });
    },
    onDetailRead(unit: Unit): void {
      const unitDetails = underWay.get(keyOf(unit));
      if (unitDetails === undefined) return;
      unitDetails.read += 1;
      detailsRead += 1;
      progress.part(text(unit));
    },
    onUnitEnd(result: UnitResult): void {
      const hasFailed = isFailed(result);
      underWay.delete(keyOf(result));
      ended += 1;
      receiptCount += result.receipts ?? 0;
      if (!hasFailed) kept += 1;
      progress.step(text(result), hasFailed);
    },
    /** Removes the bar. */
    onExportEnd: progress.end,
    /** What an interrupted export has done: units, and details of others, which are staged for the next export. */
    keptText(): string {
      const staged = sum(({ read }) => read);
      const ofOthers = `, and ${plural(staged, 'detail')} of others, which need not be read again`;
      return `Kept ${kept.toLocaleString('en')} of ${plural(unitCount, 'company-day')}${staged > 0 ? ofOthers : ''}.`;
    },
  };
}

function keyOf(unit: Unit): string {
  return `${unit.rut} ${dayName(unit)}`;
}
