/**
 * A sample of many numbers, evenly spread over them: every one while they are few, then every second, fourth and so
 * on. A metric takes 100 values at a time, and a large company's worker sees thousands.
 */
export class Sample {
  private readonly capacity: number;
  private kept: number[] = [];
  private seen = 0;
  private every = 1;

  constructor(capacity = 64) {
    this.capacity = capacity;
  }

  get values(): readonly number[] {
    return this.kept;
  }

  add(value: number): void {
    if (this.seen % this.every === 0) this.keep(value);
    this.seen += 1;
  }

  clear(): void {
    this.kept = [];
    this.seen = 0;
    this.every = 1;
  }

  private keep(value: number): void {
    if (this.kept.length === this.capacity) {
      this.kept = this.kept.filter((_, index) => index % 2 === 0);
      this.every *= 2;
      if (this.seen % this.every !== 0) return;
    }
    this.kept.push(value);
  }
}
