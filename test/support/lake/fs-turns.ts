import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Lets writers take their steps one at a time, in the order that the test gives. A step is taken only once every writer
 * waits to take one, so that the same order always gives the same interleaving.
 */
export class Turns {
  private readonly waiting = new Map<number, () => void>();
  private readonly writers = new AsyncLocalStorage<number>();
  private readonly active = new Set<number>();
  private readonly steps = new Map<number, number>();
  private readonly kills = new Map<number, () => void>();
  private order: readonly number[] = [];
  private killAt: ReadonlyMap<number, number> = new Map();
  private taken = 0;

  /**
   * Runs the writers. `order` names the next one among those that wait, and is repeated. `killAt` kills writers, by
   * their index, before the step of that number. Returns their results; undefined for the killed ones.
   */
  async run<T>(
    writers: readonly (() => Promise<T>)[],
    order: readonly number[],
    killAt: ReadonlyMap<number, number> = new Map(),
  ): Promise<(T | undefined)[]> {
    this.order = order;
    this.killAt = killAt;
    this.taken = 0;
    this.steps.clear();
    for (const number of writers.keys()) this.active.add(number);
    return await Promise.all(
      writers.map((write, number) => {
        const killed = new Promise<undefined>((resolve) => {
          this.kills.set(number, () => resolve(undefined));
        });
        const done = this.writers.run(number, write).finally(() => this.end(number));
        return Promise.race([done, killed]);
      }),
    );
  }

  /** Waits for the calling writer's turn. Outside of `run` it resolves immediately. */
  async turn(): Promise<void> {
    const number = this.writers.getStore();
    if (number === undefined || !this.active.has(number)) return;
    const step = (this.steps.get(number) ?? 0) + 1;
    this.steps.set(number, step);
    if (this.killAt.get(number) === step) {
      this.end(number);
      this.kills.get(number)?.();
      return await new Promise<never>(() => undefined);
    }
    await new Promise<void>((resolve) => {
      this.waiting.set(number, resolve);
      this.next();
    });
  }

  private end(number: number): void {
    this.active.delete(number);
    this.next();
  }

  private next(): void {
    if (this.waiting.size === 0 || this.waiting.size < this.active.size) return;
    const choice = this.order[this.taken % Math.max(1, this.order.length)] ?? 0;
    this.taken += 1;
    const entry = [...this.waiting].sort(([a], [b]) => a - b)[choice % this.waiting.size];
    if (entry === undefined) return;
    this.waiting.delete(entry[0]);
    entry[1]();
  }
}
