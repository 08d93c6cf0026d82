import { describe, expect, it } from 'vitest';
import type { Direction } from '../../lib/api/directions.ts';
import { type ListHabits, noteExclusive } from '../../lib/api/list/habits.ts';
import { ServiceHabits } from '../../lib/export/service-habits.ts';
import { HABITS_KEY } from '../../lib/lake/layout.ts';
import { addDays, type Day } from '../../lib/time/days.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const TODAY = '2026-11-20';

function noHabits(): Record<Direction, ListHabits> {
  return { recibidos: {}, emitidos: {} };
}

/** The habits that a process knows after learning from the lake on a day, starting from `own`. */
async function learned(store: MemoryStore, today: Day = TODAY, own: ListHabits = {}): Promise<ListHabits> {
  const habits = { ...noHabits(), recibidos: own };
  await new ServiceHabits(store, habits, today).learn();
  return Object.fromEntries(Object.entries(habits.recibidos).filter(([, value]) => value !== undefined));
}

async function keep(store: MemoryStore, own: ListHabits, today: Day = TODAY): Promise<void> {
  await new ServiceHabits(store, { ...noHabits(), recibidos: own }, today).keep();
}

describe('what was proved of a service', () => {
  it('is learned by the next process', async () => {
    const store = new MemoryStore(() => 0);
    expect(await learned(store)).toEqual({});
    const proved = { upperBound: 'inclusive', provedWidthDays: 65, isAnyPageSizeHonoured: true } as const;
    await keep(store, proved);
    expect(await learned(store)).toEqual(proved);
  });

  it('adds up: the widest list, the longest page, the deepest row of all', async () => {
    const store = new MemoryStore(() => 0);
    await keep(store, { provedWidthDays: 65, deepestRow: 100 });
    await keep(store, { provedWidthDays: 3, deepestRow: 8_000, longestPage: 100 });
    expect(await learned(store)).toEqual({ provedWidthDays: 65, deepestRow: 8_000, longestPage: 100 });
  });

  it('has to be proved again after 30 days', async () => {
    const store = new MemoryStore(() => 0);
    await keep(store, { provedWidthDays: 65 });
    await keep(store, { provedWidthDays: 65 }, addDays(TODAY, 20));
    expect(await learned(store, addDays(TODAY, 30))).toEqual({ provedWidthDays: 65 });
    expect(await learned(store, addDays(TODAY, 31))).toEqual({});
  });

  it('is taken back by a process that found a wide list cut', async () => {
    const store = new MemoryStore(() => 0);
    await keep(store, { provedWidthDays: 65 });
    await keep(store, { provedWidthDays: 1, refusedWidthDays: 40 });
    expect(await learned(store)).toEqual({ provedWidthDays: 39, refusedWidthDays: 40 });
  });

  it('is replaced by that of a process that found what was proved no longer true', async () => {
    const store = new MemoryStore(() => 0);
    await keep(store, { provedWidthDays: 65, deepestRow: 8_000 });
    await keep(store, { provedWidthDays: 3, refusedWidthDays: 40, isProofWithdrawn: true });
    expect(await learned(store)).toEqual({ provedWidthDays: 3, refusedWidthDays: 40 });
  });

  it('is not brought back by a process that only learned it, nor believed by it any longer', async () => {
    const store = new MemoryStore(() => 0);
    await keep(store, { provedWidthDays: 65, deepestRow: 8_000 });
    const habits = noHabits();
    const atWork = new ServiceHabits(store, habits, TODAY);
    await atWork.begin();
    await keep(store, { provedWidthDays: 3, refusedWidthDays: 40, isProofWithdrawn: true });
    await atWork.learn();
    expect(habits.recibidos).toMatchObject({
      provedWidthDays: 3,
      refusedWidthDays: 40,
      deepestRow: undefined,
    });
    await atWork.keep();
    expect(await learned(store)).toEqual({ provedWidthDays: 3, refusedWidthDays: 40 });
  });

  it('is a day less for a process that finds that bounds exclude their day, and is not brought back by it', async () => {
    const store = new MemoryStore(() => 0);
    await keep(store, { upperBound: 'inclusive', provedWidthDays: 65 });
    const habits = noHabits();
    const atWork = new ServiceHabits(store, habits, TODAY);
    await atWork.begin();
    noteExclusive(habits.recibidos);
    await atWork.keep();
    await atWork.keep();
    expect(await learned(store)).toEqual({ upperBound: 'exclusive', provedWidthDays: 64 });
    await keep(store, { provedWidthDays: 3, refusedWidthDays: 40, isProofWithdrawn: true });
    await atWork.keep();
    const withdrawn = { upperBound: 'exclusive', provedWidthDays: 3, refusedWidthDays: 40 };
    expect(await learned(store)).toEqual(withdrawn);
  });

  it('is not brought back by the next invocation of a process that proved it, nor kept past its time', async () => {
    const store = new MemoryStore(() => 0);
    const habits = noHabits();
    habits.recibidos.provedWidthDays = 65;
    habits.recibidos.isProofWithdrawn = true;
    await new ServiceHabits(store, habits, TODAY).keep();
    await keep(store, { provedWidthDays: 3, refusedWidthDays: 40, isProofWithdrawn: true });
    const next = new ServiceHabits(store, habits, TODAY);
    await next.begin();
    expect(habits.recibidos).toMatchObject({ provedWidthDays: 3, refusedWidthDays: 40 });
    await next.keep();
    expect(await learned(store)).toEqual({ provedWidthDays: 3, refusedWidthDays: 40 });
    await new ServiceHabits(store, habits, addDays(TODAY, 31)).begin();
    expect(habits.recibidos.provedWidthDays).toBeUndefined();
  });

  it('is not written again when nothing is new, and one of two at the same time loses nothing', async () => {
    const store = new MemoryStore(() => 0);
    await Promise.all([keep(store, { provedWidthDays: 65 }), keep(store, { deepestRow: 8_000 })]);
    expect(await learned(store)).toEqual({ provedWidthDays: 65, deepestRow: 8_000 });
    const { version } = (await store.find(HABITS_KEY)) ?? {};
    await keep(store, { provedWidthDays: 3 });
    expect((await store.find(HABITS_KEY))?.version).toBe(version);
  });

  it('is nothing where what is kept can’t be read, and that fails no export', async () => {
    const store = new MemoryStore(() => 0);
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('{"version":1,"recibidos":{"provedWidthDays":{"value":"all"');
    }
    await store.replace(HABITS_KEY, bytes(), { metadata: {}, expected: undefined });
    expect(await learned(store)).toEqual({});
    await keep(store, { provedWidthDays: 3 });
    expect(await learned(store)).toEqual({ provedWidthDays: 3 });
    store.replace = () => Promise.reject(new Error('the disk is full'));
    await keep(store, { provedWidthDays: 65 });
  });
});
