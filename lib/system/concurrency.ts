/**
 * Does the work for every item, at most `concurrency` at a time. Items are taken only when they are needed, so a long
 * list is never in memory. After the first failure no further work starts, and that failure is thrown.
 */
export async function forEachConcurrent<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // An async generator queues calls of next(), so that several workers may take from it.
  const queue = oneByOne(items);
  let isOver = false;
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const next = await queue.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  try {
    const workers = Array.isArray(items) ? Math.min(concurrency, items.length) : concurrency;
    await Promise.all(Array.from({ length: workers }, worker));
  } finally {
    isOver = true;
    await queue.return();
  }
}

async function* oneByOne<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  yield* items;
}

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

/** A number of permits that callers share. They are given in order of arrival. */
export class Semaphore {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(permits: number) {
    this.free = permits;
  }

  /** Takes a permit if one is free. */
  tryAcquire(): boolean {
    if (this.free === 0) return false;
    this.free -= 1;
    return true;
  }

  /** Waits for a permit; rejects with the signal's reason when it is aborted before that. */
  acquire(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.waiting.delete(take);
        reject(signal?.reason);
      };
      const take = () => {
        if (!this.tryAcquire()) {
          this.onceFree(take);
          return;
        }
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted === true) onAbort();
      else take();
    });
  }

  release(): void {
    this.free += 1;
    // A caller that still wants a permit takes it, or waits at the end of the queue.
    for (const onFree of [...this.waiting]) {
      if (this.free === 0) return;
      this.waiting.delete(onFree);
      onFree();
    }
  }

  /** Calls `onFree` once, as soon as a permit may be free. */
  onceFree(onFree: () => void): void {
    this.waiting.add(onFree);
  }
}

/** Does work with a signal that is aborted when it ends: if one of several tasks fails, the others stop too. */
export async function withScopedSignal<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  try {
    return await work(end.signal);
  } finally {
    end.abort();
  }
}

/** A signal that aborts with the first of these; undefined if there are none. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/**
 * Gives callers separate turns of the event loop, in order. Work that keeps the processor busy for milliseconds
 * waits for one, so that responses that arrive meanwhile are received before the next piece of work begins.
 */
export class Turns {
  private readonly waiting: (() => void)[] = [];

  /** Resolves in a turn that no other caller gets. */
  next(): Promise<void> {
    return new Promise((begin) => {
      this.waiting.push(begin);
      if (this.waiting.length === 1) setImmediate(this.begin);
    });
  }

  private readonly begin = (): void => {
    this.waiting.shift()?.();
    if (this.waiting.length > 0) setImmediate(this.begin);
  };
}

/** Turns for comparing, encoding and storing units. */
export const STORING_TURNS = new Turns();
