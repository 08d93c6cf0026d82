import { printableLine } from '../text/printable.ts';
import type { Printer } from './printer.ts';

const BAR_COLUMNS = 30;
/** Elsewhere than in a terminal: a line each time this share of the work is done. */
const LINE_EVERY = 0.1;

/** Shows how far long work is: a bar in a terminal, now and then a line elsewhere. Always on stderr. */
export class Progress {
  private readonly stream: Printer;
  private readonly total: number;
  private done = 0;
  private lastLineAt = 0;

  constructor(stream: Printer, total: number) {
    this.stream = stream;
    this.total = total;
  }

  /** One step more is done; `text` says what stands after it. */
  step(text: string): void {
    this.show(this.done + 1, text);
  }

  /** So many steps are done in all. */
  show(done: number, text: string): void {
    if (done === this.done) return;
    this.done = done;
    const line = printableLine(text);
    if (this.stream.isTTY) this.drawBar(line);
    else if (this.done === this.total || this.done >= this.lastLineAt + this.total * LINE_EVERY) {
      this.lastLineAt = this.done;
      this.stream.write(`${this.done}/${this.total} ${line}\n`);
    }
  }

  /** Takes the bar away. */
  end(): void {
    this.stream.eraseLine();
  }

  private drawBar(text: string): void {
    const filled = Math.round((BAR_COLUMNS * this.done) / this.total);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
    const line = `${bar} ${this.done}/${this.total} ${text}`;
    this.stream.eraseLine();
    this.stream.write(line.slice(0, (this.stream.columns ?? 80) - 1));
  }
}
