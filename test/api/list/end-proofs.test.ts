import { describe, expect, it } from 'vitest';
import { PagingFaultError } from '../../../lib/api/errors.ts';
import type { ListPage, PageSource, PageWindow } from '../../../lib/api/list/page.ts';
import { readListing } from '../../../lib/api/list/read-listing.ts';
import { settled } from '../../support/fake-clock.ts';
import { FakeList, IdSink, unionOf } from './fake-list.ts';

interface Asked {
  window: PageWindow;
  give: (page: ListPage) => void;
}

/** A list whose requests wait until the test answers them. No page is read ahead. */
class HeldList implements PageSource {
  readonly context = { rut: '219999830019', direction: 'recibidos', day: '2026-11-19' } as const;
  readonly maxInFlight = 0;
  readonly isDivisible = true;
  /** Requests that are not answered yet. */
  readonly waiting: Asked[] = [];
  askedCount = 0;

  read(window: PageWindow): Promise<ListPage> {
    this.askedCount += 1;
    return new Promise((give) => this.waiting.push({ window, give }));
  }

  /** Answers the oldest request from a list of these ids, and lets the reading go on. */
  async answer(ids: readonly number[]): Promise<void> {
    const { window, give } = this.waiting.shift() ?? {};
    const { pageNumber = 0, pageSize = 0, start = 0 } = window ?? {};
    const found = ids.slice(start, start + pageSize);
    give?.({ pageNumber, ids: found, items: found.map((id) => ({ id })) });
    await settled();
  }
}

const IDS = Array.from({ length: 150 }, (_, position) => position);

/** Reads a list from its second page on. */
async function readOn() {
  const list = new HeldList();
  const sink = new IdSink();
  const reading = readListing(list, {}, () => sink).catch((error: unknown) => error);
  await settled();
  await list.answer(IDS);
  return { list, sink, reading };
}

/** Reads a list of 150 rows up to the point where all have arrived and only the end is unproved. */
async function upToTheEnd() {
  const { list, sink, reading } = await readOn();
  await list.answer(IDS);
  expect(sink.ids).toEqual(IDS);
  return { list, sink, reading };
}

describe('the end of a list', () => {
  it('that moves with every request is not followed for ever', async () => {
    const { list, reading } = await upToTheEnd();
    let isOver = false;
    reading.then(() => {
      isOver = true;
    });
    const ids = [...IDS];
    while (!isOver && list.askedCount < 500) {
      ids.push(ids.length);
      await list.answer(ids);
    }
    expect(list.askedCount).toBeLessThan(60);
    expect(await reading).toBeInstanceOf(PagingFaultError);
  });

  it('is looked at twice after a full page: one page is cut, the next one empty, and no row is lost', async () => {
    const events = [
      { kind: 'shortPage', at: 0.99, atRequest: 5 },
      { kind: 'emptyPage', at: 0, atRequest: 6 },
    ] as const;
    const list = new FakeList(39, { pageCap: 20 }, events);
    const facts = { longestPage: 20, isAnyPageSizeHonoured: true };
    const reading = await readListing(list, facts, () => new IdSink());
    expect(unionOf(reading?.attempts ?? []).size).toBe(39);
  });

  it('is proved by two requests, as soon as a page is not full', async () => {
    const { list, sink, reading } = await upToTheEnd();
    await list.answer(IDS);
    await list.answer(IDS);
    expect(await reading).toEqual({ attempts: [sink], isStable: true });
    expect(list.askedCount).toBe(4);
  });
});
