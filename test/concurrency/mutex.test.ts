import { expect, it } from 'vitest';
import { Mutex } from '../../lib/concurrency/mutex.ts';
import { settled } from '../support/fake-clock.ts';

it('lets one piece of work run at a time, in the order in which they came, failures too', async () => {
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
