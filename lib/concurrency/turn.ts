/** Lets one piece of work run at a time, in the order in which they came. */
export class Turn {
  private last: Promise<void> = Promise.resolve();

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
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
