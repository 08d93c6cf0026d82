/** Runs one piece of work at a time, in order of arrival. */
export class Mutex {
  private last: Promise<void> = Promise.resolve();

  async runExclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.last = promise;
    await before;
    try {
      return await work();
    } finally {
      resolve();
    }
  }
}
