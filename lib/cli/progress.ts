import { printableLine, STYLES } from '../text/terminal.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Printer } from './printer.ts';

const BAR_COLUMNS = 30;
/** Outside a terminal: one line each time this share of the work is done. */
const LINE_EVERY = 0.1;
/** Before this, the pace says little. */
const PACE_AFTER_SECONDS = 3;

/** Shows the progress of long work: a bar in a terminal, a line now and then elsewhere. Always on stderr. */
export class Progress {
  private readonly stream: Printer;
  private readonly total: number;
  private readonly clock: Pick<Clock, 'monotonicMs'>;
  private readonly beganAtMs: number;
  private done = 0;
  private failed = 0;
  private lastLineAt = 0;

  constructor(stream: Printer, total: number, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.stream = stream;
    this.total = total;
    this.clock = clock;
    this.beganAtMs = clock.monotonicMs();
  }

  /** Counts one more step as done; `text` is shown after the bar. */
  step(text: string, isFailed = false): void {
    if (isFailed) this.failed += 1;
    this.show(this.done + 1, text);
  }

  /** Sets how many steps are done. */
  show(done: number, text: string): void {
    if (done === this.done) return;
    this.done = done;
    const line = [...this.pace(), ...this.failures(), printableLine(text)].join(' · ');
    if (this.stream.isInteractive) this.drawBar(line);
    else if (this.done === this.total || this.done >= this.lastLineAt + this.total * LINE_EVERY) {
      this.lastLineAt = this.done;
      this.stream.write(`${this.done}/${this.total} ${line}\n`);
    }
  }

  /** Removes the bar. */
  end(): void {
    this.stream.eraseLine();
  }

  /** The pace and the time left, once they are meaningful. */
  private pace(): string[] {
    const elapsedSeconds = (this.clock.monotonicMs() - this.beganAtMs) / 1000;
    if (elapsedSeconds < PACE_AFTER_SECONDS || this.done === this.total) return [];
    const aSecond = this.done / elapsedSeconds;
    const rate = aSecond >= 1 ? `${Math.round(aSecond)}/s` : `${(aSecond * 60).toPrecision(2)}/min`;
    return [rate, `${durationText((this.total - this.done) / aSecond)} left`];
  }

  private failures(): string[] {
    return this.failed > 0 ? [`${this.failed} failed`] : [];
  }

  private drawBar(text: string): void {
    const filled = Math.round((BAR_COLUMNS * this.done) / this.total);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
    const line = `${bar} ${this.done}/${this.total} ${text}`;
    const [failures = ''] = this.failures();
    const inRed = failures && this.stream.paint(STYLES.failure, failures);
    this.stream.replaceLine(line, (shown) => shown.replace(failures, inRed));
  }
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 90 ? `${Math.ceil(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}
