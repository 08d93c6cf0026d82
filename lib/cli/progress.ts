import type { TableDay } from '../publish/publish-day.ts';
import { printableLine, STYLES } from '../text/terminal.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { dayName, isFailed, type Unit, type UnitResult } from '../units/unit.ts';
import { unitText } from './export-report.ts';
import { EXPORT } from './phrases/export.ts';
import type { Printer } from './printer.ts';

const BAR_COLUMNS = 30;
/** Outside a terminal: one line each time this share of the work is done. */
const LINE_EVERY = 0.1;
/** Before this, the pace says little. */
const PACE_AFTER_SECONDS = 3;
/** Parts of a step may be done a thousand times a second. */
const DRAW_EVERY_MS = 100;

/** Shows the progress of long work: a bar in a terminal, a line now and then elsewhere. Always on stderr. */
export function startProgress(
  stream: Printer,
  total: number,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
) {
  const say = EXPORT[stream.language];
  const beganAtMs = clock.monotonicMs();
  let [doneCount, failedCount, lastLineAt] = [0, 0, 0];
  let drawnAtMs = Number.NEGATIVE_INFINITY;

  /** The pace and the time left, once they are meaningful. */
  function pace(): string[] {
    const elapsedSeconds = (clock.monotonicMs() - beganAtMs) / 1000;
    if (elapsedSeconds < PACE_AFTER_SECONDS || doneCount === 0 || doneCount === total) return [];
    const aSecond = doneCount / elapsedSeconds;
    const rate = aSecond >= 1 ? `${Math.round(aSecond)}/s` : `${(aSecond * 60).toPrecision(2)}/min`;
    return [rate, say.left(durationText((total - doneCount) / aSecond))];
  }

  function draw(text: string): void {
    const failures = failedCount > 0 ? say.failures(failedCount) : '';
    const parts = [...pace(), failures, printableLine(text)].filter((part) => part !== '');
    const line = `${doneCount}/${total} ${parts.join(' · ')}`;
    drawnAtMs = clock.monotonicMs();
    if (stream.isInteractive) {
      const filled = Math.round((BAR_COLUMNS * doneCount) / total);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
      const inRed = failures && stream.paint(STYLES.failure, failures);
      stream.replaceLine(`${bar} ${line}`, (shown) => shown.replace(failures, inRed));
    } else if (doneCount === total || doneCount >= lastLineAt + total * LINE_EVERY) {
      lastLineAt = doneCount;
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
    /** Shows in a terminal how far the work within the steps is. */
    part(text: string): void {
      if (stream.isInteractive && clock.monotonicMs() - drawnAtMs >= DRAW_EVERY_MS) draw(text);
    },
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
      progress.step(EXPORT[stream.language].publishing(table.name, day));
    },
    end: (): void => progress?.end(),
  };
}

/** Counts what an export has done, and shows it: units, their receipts, and details, which take a request each. */
export function exportProgress(stream: Printer, unitCount: number, clock?: Pick<Clock, 'monotonicMs'>) {
  const progress = startProgress(stream, unitCount, clock);
  const say = EXPORT[stream.language];
  /** Details read of units that have not ended. */
  const underWay = new Map<string, number>();
  let [kept, receiptCount, detailCount] = [0, 0, 0];

  function text(unit: Unit): string {
    return say.soFar(receiptCount, detailCount, unitText(unit, stream.language));
  }

  return {
    onDetailRead(unit: Unit): void {
      const key = `${unit.rut} ${dayName(unit)}`;
      underWay.set(key, (underWay.get(key) ?? 0) + 1);
      detailCount += 1;
      progress.part(text(unit));
    },
    onUnitEnd(result: UnitResult): void {
      const hasFailed = isFailed(result);
      underWay.delete(`${result.rut} ${dayName(result)}`);
      receiptCount += result.receipts ?? 0;
      if (!hasFailed) kept += 1;
      progress.step(text(result), hasFailed);
    },
    onExportEnd: progress.end,
    /** What an interrupted export has done: units, and details of others, which are stored for the next export. */
    keptText(): string {
      const staged = underWay.values().reduce((sum, count) => sum + count, 0);
      return say.kept(kept, unitCount, staged);
    },
  };
}
