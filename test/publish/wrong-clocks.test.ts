import { afterEach, expect, it, vi } from 'vitest';
import { listMarks } from '../../lib/lake/marks.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { markDays } from '../support/lake/marked-days.ts';
import { threeStores } from '../support/lake/three-stores.ts';
import { dayRows, putUnit, RUTS } from '../support/units.ts';

const MINUTE_MS = 60_000;
const DAY = '2026-11-19';
const [A] = RUTS;
const { bucket } = await threeStores();
afterEach(() => vi.useRealTimers());

const MACHINES = [-25, 0, 25];
const PAIRS = MACHINES.flatMap((writer) => MACHINES.map((publisher) => [writer, publisher] as const));

it.each(PAIRS)(
  'a writer whose clock is wrong by %i minutes and a publisher’s by %i lose nothing, and leave no marks',
  async (writerMinutes, publisherMinutes) => {
    let nowMs = Date.UTC(2026, 10, 20, 9);
    const store = bucket(() => nowMs);
    const as = async <Result>(minutes: number, work: () => Promise<Result>): Promise<Result> => {
      vi.useFakeTimers({ toFake: ['Date'], now: nowMs + minutes * MINUTE_MS });
      return await work().finally(() => vi.useRealTimers());
    };
    const publish = () => as(publisherMinutes, () => publishLagging(store, writeWithHyparquet));

    await as(writerMinutes, () => markDays(store, 'run-1', [DAY], systemClock));
    await publish();
    nowMs += 14 * MINUTE_MS;
    await putUnit(store, RECIBIDOS, DAY, A, [1]);
    expect(await publish()).toMatchObject({ written: 1, problems: [] });
    expect(await dayRows(store, RECIBIDOS, DAY)).toEqual([`${A} 1 100`]);
    expect(await listMarks(store)).toHaveLength(1);
    nowMs += 3 * MINUTE_MS;
    await publish();
    expect(await listMarks(store)).toEqual([]);
  },
);
