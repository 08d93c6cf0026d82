/**
 * Does the work for every item, at most `concurrency` at a time. Items are taken only as they are needed, so a long
 * list is never held in memory. After the first failure no further work starts, and that failure is thrown.
 */
export async function forEachConcurrent<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // An async generator queues what is asked of it, so that several may take from it.
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
    await Promise.all(Array.from({ length: concurrency }, worker));
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
