import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newFacts } from '../../../lib/export/reading/facts.ts';
import { addDays } from '../../../lib/time/days.ts';
import type { FakeApi } from '../../support/api/fake-api.ts';
import { campaign } from '../../support/campaign.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
import { DAY } from '../../support/export/unit-world.ts';

const NIGHTS_BEFORE = 3;
const NIGHTS_AFTER = 3;
const DAYS_A_NIGHT = 3;

const service = fc.record({
  upperBound: fc.constantFrom('whole', 'whole', 'midnight', 'nothing'),
  pageCap: fc.constantFrom(100, 100, 50, 30, 7),
  isPageSizeIgnored: fc.constantFrom(false, false, false, true),
  areOnlyWholePagesShown: fc.constantFrom(false, false, false, true),
  resultWindow: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 50, 100, 150, 500),
  /** How many days are answered, however the bound counts. */
  widestDays: fc.constantFrom(undefined, undefined, 1, 2, 10),
  over: fc.constantFrom('status400', 'status500', 'empty', 'last', 'first'),
  isNewestFirst: fc.boolean(),
});
type Service = typeof service extends fc.Arbitrary<infer T> ? T : never;

const course = fc.record({
  service,
  other: service,
  change: fc.constantFrom(
    'upperBound',
    'pageCap',
    'isPageSizeIgnored',
    'areOnlyWholePagesShown',
    'resultWindow',
    'widestDays',
    'isNewestFirst',
  ),
  hasTimes: fc.constantFrom(true, true, true, false),
  counts: fc
    .constantFrom([1], [1, 2, 7], [7, 30, 49, 50], [99, 100, 101, 130], [60, 150], [100, 200, 230])
    .chain((sizes) => {
      const length = NIGHTS_BEFORE + NIGHTS_AFTER + DAYS_A_NIGHT - 1;
      return fc.array(fc.constantFrom(...sizes), { minLength: length, maxLength: length });
    }),
});

function become(api: FakeApi, { widestDays, over, isNewestFirst, ...habits }: Service): void {
  const days = (widestDays ?? 0) + Number(habits.upperBound !== 'whole');
  Object.assign(api, { ...habits, widestRange: widestDays === undefined ? undefined : { days, over } });
  // With one page size only, no question could show those rows.
  if (api.isPageSizeIgnored) api.areOnlyWholePagesShown = false;
  const order = isNewestFirst ? -1 : 1;
  api.lists.recibidos.sort((a, b) => order * (a.id - b.id));
}

it('whatever changes in a service between two nights, no day is stored as another than it is', async () => {
  await fc.assert(
    fc.asyncProperty(course, async ({ service: before, other, change, hasTimes, counts }) => {
      const world = new CompanyWorld(counts, hasTimes);
      if (hasTimes) {
        // Few receipts are issued at their day's first moment.
        for (const receipt of world.listed) {
          if (receipt.id % 60 !== 0) receipt.fecha_emision = `${receipt.fecha_emision.slice(0, 10)}T09:00:00`;
        }
      }
      const all = world.listed;
      const after = { ...before, [change]: other[change] };
      for (let night = 0; night < NIGHTS_BEFORE + NIGHTS_AFTER; night += 1) {
        const days = world.days.slice(night, night + DAYS_A_NIGHT);
        const today = addDays(days.at(-1) ?? DAY, 1);
        world.listed = all.filter(({ fecha_emision: issued }) => issued.slice(0, 10) <= today);
        become(world.api, night < NIGHTS_BEFORE ? before : after);
        world.facts = newFacts();
        const { results } = await world.export({}, {}, days);
        expect(results.map(({ day }) => day).sort()).toEqual(days);
        for (const { state, day, isStable } of results) {
          // A day that failed, or is told to be unstable, is read again.
          if (state === 'fallido' || isStable === false) continue;
          expect([night, day, await world.stored(day)]).toEqual([night, day, world.held(day)]);
        }
      }
    }),
    { numRuns: campaign({ quick: 6, long: 400 }) },
  );
});
