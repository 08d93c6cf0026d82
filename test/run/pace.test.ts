import { expect, it } from 'vitest';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishDays } from '../../lib/publish/publish-days.ts';
import { slowDays } from '../../lib/run/pace.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { putUnit } from '../support/units.ts';

const RUT = '219999830019';
const DAY = '2026-11-19';

it('tells, with the arithmetic, which of the lake’s days no worker can read in one invocation at its pace', async () => {
  const store = new MemoryStore(() => 0);
  const ids = Array.from({ length: 1_000 }, (_, index) => index + 1);
  await putUnit(store, RECIBIDOS, DAY, RUT, ids);
  await publishDays(store, writeWithHyparquet, [{ table: RECIBIDOS, day: DAY }]);
  // 1,000 receipts are some twelve pages that overlap; a place of ten sends six in a minute at one a second.
  const slow = { requestsPerSecond: 1, places: 10, readingMs: 60_000 };
  expect(await slowDays(store, [RUT], DAY, slow)).toEqual([
    expect.stringMatching(
      /^recibidos of 219999830019, day 2026-11-19: 1,000 .* 12 requests, .* sends 6 .*1 ÷ 10/,
    ),
  ]);
  expect(await slowDays(store, [RUT], DAY, { ...slow, places: 5 })).toEqual([]);
  expect(await slowDays(store, [], DAY, slow)).toEqual([]);
});
