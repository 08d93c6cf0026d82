/**
 * Does the work for every item, at most `atOnce` at a time; items are taken as they are needed, so a long
 * list is never held. The first failure ends it: nothing more is begun, and it is thrown.
 */
export async function forEachAtOnce<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  atOnce: number,
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
    await Promise.all(Array.from({ length: atOnce }, worker));
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
