import { SMALL_BYTES } from './unit-object.ts';

const OPEN_AT_ONCE = 16;

/**
 * Opens items in turn, some ahead of the one that is asked for; each is closed when the next is asked for, and all at
 * the end. Large ones are not opened ahead: what opening takes of memory is that of one of them. Throws the first
 * failure in its turn.
 */
export async function* openedAhead<
  Item extends { byteCount: number },
  Open extends { close(): Promise<void> },
>(items: readonly Item[], open: (item: Item) => Promise<Open>): AsyncGenerator<Open, undefined, undefined> {
  const opening: { item: Item; promise: Promise<Open> }[] = [];
  let next = 0;
  try {
    for (;;) {
      let bytes = opening.reduce((sum, { item }) => sum + item.byteCount, 0);
      for (let item = items[next]; item !== undefined && opening.length < OPEN_AT_ONCE; item = items[next]) {
        bytes += item.byteCount;
        if (opening.length > 0 && bytes > SMALL_BYTES) break;
        next += 1;
        const promise = open(item);
        // Its failure is thrown when its turn comes.
        promise.catch(() => undefined);
        opening.push({ item, promise });
      }
      const first = opening.shift();
      if (first === undefined) return undefined;
      const opened = await first.promise;
      try {
        yield opened;
      } finally {
        await opened.close();
      }
    }
  } finally {
    for (const end of await Promise.allSettled(opening.map(({ promise }) => promise))) {
      if (end.status === 'fulfilled') await end.value.close();
    }
  }
}
