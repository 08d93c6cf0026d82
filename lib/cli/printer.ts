import type { TableDay } from '../publish/publish-day.ts';
import {
  type Environment,
  isInteractive,
  type Paint,
  paintFor,
  printable,
  printableLine,
  STYLES,
  wrapped,
} from '../text/terminal.ts';
import { type Clock, systemClock } from '../time/clock.ts';

/** A stream of the process, or one like it. */
export type OutputStream = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

const ESCAPE = '\u001b';
/** The colours that this program writes (ECMA-48, SGR). */
const COLOUR = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`);
const ERASED_LINE = `\r${ESCAPE}[2K`;
/** The width when the terminal's is unknown. */
export const DEFAULT_COLUMNS = 80;

/**
 * All text leaves the program here. Names and messages come from suppliers, services and file systems: whatever they
 * hold, none of it can control the terminal. JSON keeps its meaning: such characters become escapes.
 */
export class Printer {
  /** Colours text for `writeColoured` (node:util's styleText); leaves it plain if the stream takes no colour. */
  readonly paint: Paint;
  private readonly stream: OutputStream;
  private readonly environment: Environment;
  private readonly widthElsewhere: number | undefined;

  /** `widthElsewhere`: the width of tables if the stream is not a terminal; default: no limit. */
  constructor(stream: OutputStream, environment: Environment = process.env, widthElsewhere?: number) {
    this.stream = stream;
    this.environment = environment;
    this.widthElsewhere = widthElsewhere;
    this.paint = paintFor(stream, environment);
  }

  /** The same stream, with tables no wider than this if it is not a terminal. */
  withWidthElsewhere(columns: number): Printer {
    return new Printer(this.stream, this.environment, columns);
  }

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  /** The maximum width of a table; undefined for no limit. */
  get columns(): number | undefined {
    return this.stream.columns ?? this.widthElsewhere;
  }

  write(text: string): void {
    this.stream.write(printable(text));
  }

  /** Sentences for people: in a terminal no line breaks within a word. */
  writeProse(text: string): void {
    this.write(this.isTTY && this.columns !== undefined ? wrapped(text, this.columns) : text);
  }

  /** A text with this program's colours around parts of it. Text from outside must be made printable first. */
  writeColoured(text: string): void {
    const parts = text.split(COLOUR);
    this.stream.write(parts.map((part, index) => (index % 2 === 1 ? part : printable(part))).join(''));
  }

  /** A line about something that went wrong. It replaces the progress that is shown. */
  writeProblem(text: string, first = 'cfe-lake:', style: keyof typeof STYLES = 'failure'): void {
    this.eraseLine();
    this.writeColoured(this.paint(STYLES[style], first));
    this.write(` ${text}\n`);
  }

  /** Data: byte for byte for a program that reads it, made printable in a terminal. */
  writeData(text: string): void {
    if (this.isTTY) this.write(text.replaceAll('\r\n', '\n'));
    else this.stream.write(text);
  }

  /** Binary data, for a program or a file; never for a terminal. */
  writeBytes(bytes: Uint8Array): void {
    this.stream.write(bytes);
  }

  /** Whether a line can be written over: a terminal that a person watches, not a pipe, a file or CI. */
  get isInteractive(): boolean {
    return isInteractive(this.stream, this.environment);
  }

  /** Shows a text, such as progress, in place of a terminal's last line. Does nothing elsewhere. */
  replaceLine(text: string, paint: (shown: string) => string = (shown) => shown): void {
    if (!this.isInteractive) return;
    this.eraseLine();
    // Coloured after it was cut: a colour has no width.
    this.writeColoured(paint(printableLine(text).slice(0, (this.columns ?? DEFAULT_COLUMNS) - 1)));
  }

  /** Clears a terminal's last line, such as a progress bar. */
  eraseLine(): void {
    if (this.isInteractive) this.stream.write(ERASED_LINE);
  }
}

const BAR_COLUMNS = 30;
/** Outside a terminal: one line each time this share of the work is done. */
const LINE_EVERY = 0.1;
/** Before this, the pace says little. */
const PACE_AFTER_SECONDS = 3;
/** Parts of a step may be done a thousand times a second. */
const DRAW_EVERY_MS = 100;

/** Work within the steps, which takes most of the time, so that its pace tells the time left. */
export interface InnerWork {
  /** Shown after the steps: `560 of 3,000 details`. */
  text: string;
  done: number;
  total: number;
  beganAtMs: number;
  /** How much of the steps that have not ended is done: 0.5 for half a step. */
  stepsBegun: number;
}

/** Shows the progress of long work: a bar in a terminal, a line now and then elsewhere. Always on stderr. */
export function startProgress(
  stream: Printer,
  total: number,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
) {
  const beganAtMs = clock.monotonicMs();
  let doneCount = 0;
  let failedCount = 0;
  let lastLineAt = 0;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let inner: InnerWork | undefined;

  /** The pace and the time left, once they are meaningful. */
  function pace(): string[] {
    const work = inner ?? { done: doneCount, total, beganAtMs };
    const elapsedSeconds = (clock.monotonicMs() - work.beganAtMs) / 1000;
    if (elapsedSeconds < PACE_AFTER_SECONDS || work.done === 0 || doneCount === total) return [];
    const aSecond = work.done / elapsedSeconds;
    const rate = aSecond >= 1 ? `${Math.round(aSecond)}/s` : `${(aSecond * 60).toPrecision(2)}/min`;
    return [rate, `${durationText((work.total - work.done) / aSecond)} left`];
  }

  function drawBar(text: string, failures: string): void {
    const filled = Math.round((BAR_COLUMNS * begunCount()) / total);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
    const line = `${bar} ${doneCount}/${total} ${text}`;
    const inRed = failures && stream.paint(STYLES.failure, failures);
    stream.replaceLine(line, (shown) => shown.replace(failures, inRed));
  }

  /** The steps that are done, and parts of others. */
  function begunCount(): number {
    return doneCount + (inner?.stepsBegun ?? 0);
  }

  function draw(text: string): void {
    const failures = failedCount > 0 ? `${failedCount} failed` : '';
    const parts = [inner?.text ?? '', ...pace(), failures, printableLine(text)];
    const line = parts.filter((part) => part !== '').join(' · ');
    drawnAtMs = clock.monotonicMs();
    if (stream.isInteractive) drawBar(line, failures);
    else if (doneCount === total || begunCount() >= lastLineAt + total * LINE_EVERY) {
      lastLineAt = begunCount();
      stream.write(`${doneCount}/${total} ${line}\n`);
    }
  }

  function show(done: number, text: string): void {
    if (done === doneCount) return;
    doneCount = done;
    draw(text);
  }

  return {
    /** Counts one more step as done; `text` is shown after the bar. */
    step(text: string, isFailed = false, work?: InnerWork): void {
      if (isFailed) failedCount += 1;
      inner = work;
      show(doneCount + 1, text);
    },
    /** Shows how far the work within the steps is. */
    part(text: string, work: InnerWork | undefined): void {
      inner = work;
      if (clock.monotonicMs() - drawnAtMs >= DRAW_EVERY_MS) draw(text);
    },
    show,
    /** Removes the bar. */
    end: (): void => stream.eraseLine(),
  };
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

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 90 ? `${Math.ceil(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}
