import { describe, expect, it } from 'vitest';
import { forEachConcurrent, Mutex, Turns, withScopedSignal } from '../../lib/system/concurrency.ts';
import { settled } from '../support/fake-clock.ts';

/** Yields to whatever is waiting. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function* counting(to: number, taken: number[]): AsyncGenerator<number> {
  for (let item = 1; item <= to; item += 1) {
    taken.push(item);
    yield item;
  }
}

describe('work for each item, some at a time', () => {
  it.each([1, 3, 8])('never has more than %i under way, and does all of it', async (atOnce) => {
    const done: number[] = [];
    let underWay = 0;
    let most = 0;
    await forEachConcurrent(counting(20, []), atOnce, async (item) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await turn();
      underWay -= 1;
      done.push(item);
    });
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(most).toBe(atOnce);
  });

  it('takes an item only when a worker is free', async () => {
    const taken: number[] = [];
    let isChecked = false;
    await forEachConcurrent(counting(10, taken), 2, async () => {
      if (!isChecked) expect(taken.length).toBeLessThanOrEqual(2);
      isChecked = true;
      await turn();
    });
    expect(taken).toHaveLength(10);
  });

  it('begins nothing more after a failure, and throws it', async () => {
    const begun: number[] = [];
    const work = forEachConcurrent([1, 2, 3, 4, 5, 6], 2, async (item) => {
      begun.push(item);
      await turn();
      if (item === 2) throw new Error('two is too many');
    });
    await expect(work).rejects.toThrow('two is too many');
    await turn();
    expect(begun.length).toBeLessThanOrEqual(3);
  });

  it('throws what the list throws', async () => {
    const failing = async function* (): AsyncGenerator<number> {
      yield 1;
      throw new Error('no more');
    };
    await expect(forEachConcurrent(failing(), 4, turn)).rejects.toThrow('no more');
  });
});

it('lets one piece of work run at a time, in order of arrival, even after failures', async () => {
  const mutex = new Mutex();
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string, isFailing = false) =>
    mutex.runExclusive(async () => {
      log.push(`${name} begins`);
      await new Promise<void>((end) => ends.push(end));
      log.push(`${name} ends`);
      if (isFailing) throw new Error(name);
      return name;
    });
  const results = [work('a'), work('b', true), work('c')];
  const outcome = Promise.allSettled(results);
  for (let index = 0; index < 3; index += 1) {
    await settled();
    expect(log).toHaveLength(index * 2 + 1);
    ends[index]?.();
  }
  expect((await outcome).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await results[2]).toBe('c');
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('gives every piece of work a turn of the event loop of its own, in order', async () => {
  let isOver = false;
  let turn = 0;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const log: string[] = [];
  const taken = new Set<number>();
  const turns = new Turns();
  const work = async (name: string) => {
    await turns.next();
    log.push(name);
    taken.add(turn);
  };
  await Promise.all([work('a'), work('b'), work('c'), work('d'), work('e')]);
  isOver = true;
  expect(log).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(taken.size).toBe(5);
});

it.each([
  ['has its result', async () => 'done'],
  ['fails', () => Promise.reject(new Error('not done'))],
])('the signal of work is aborted once it %s', async (_end, end) => {
  let signal: AbortSignal | undefined;
  const work = withScopedSignal((given) => {
    signal = given;
    return end();
  });
  expect(signal?.aborted).toBe(false);
  await work.catch(() => undefined);
  expect(signal?.aborted).toBe(true);
});
