const OPEN_AT_ONCE = 16;

/**
 * Opens items in turn, some ahead of the one that is asked for; each is closed when the next is asked for, and all at
 * the end. Throws the first failure in its turn.
 */
export async function* openedAhead<Item, Open extends { close(): Promise<void> }>(
  items: readonly Item[],
  open: (item: Item) => Promise<Open>,
): AsyncGenerator<Open, undefined, undefined> {
  const opening: Promise<Open>[] = [];
  let next = 0;
  try {
    for (;;) {
      while (next < items.length && opening.length < OPEN_AT_ONCE) {
        const item = items[next];
        next += 1;
        if (item === undefined) break;
        const promise = open(item);
        // Its failure is thrown when its turn comes.
        promise.catch(() => undefined);
        opening.push(promise);
      }
      const first = opening.shift();
      if (first === undefined) return undefined;
      const opened = await first;
      try {
        yield opened;
      } finally {
        await opened.close();
      }
    }
  } finally {
    for (const end of await Promise.allSettled(opening)) {
      if (end.status === 'fulfilled') await end.value.close();
    }
  }
}
