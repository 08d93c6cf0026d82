import { describe, expect, it } from 'vitest';
import { findMissingUnits } from '../../lib/audit/history.ts';
import { addDays, type Day, daysBetween } from '../../lib/time/days.ts';
import { DIRECTIONS, planUnits } from '../../lib/units/unit.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { LISTED_ON } from '../support/api/fake-api.ts';
import { campaign } from '../support/campaign.ts';
import { CompanyWorld } from '../support/export/company-world.ts';
import { startSimulation } from '../support/export/simulation.ts';
import { DAY } from '../support/export/unit-world.ts';
import { lakeRows } from '../support/lake/lake-truth.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

/** Services that leave rows out without an error. What is lacking in the lake must be named as missing. */

const LONG_WEEKEND = ['2026-11-14', '2026-11-15', '2026-11-16'];
const NIGHTS = 9;

/** Two companies with rows on all days but the long weekend's, and one without any. */
async function startWeekend() {
  const ruts = sandboxCompanies(3).map(({ rut }) => rut);
  const { sandbox, exportAt } = await startSimulation({
    companyCount: ruts.length,
    receiptsPerDay: (rut, _direction, day) => (rut === ruts[2] || LONG_WEEKEND.includes(day) ? 0 : 3),
  });
  const store = new MemoryStore(() => 0);
  /** Reads the last days, and names units that the lake lacks rows of: those told as missing, and all others. */
  const nightOf = async (today: Day, dayCount: number) => {
    const now = `${today}T03:00:00`;
    sandbox.setNow(now);
    const days = daysBetween(addDays(today, -dayCount), addDays(today, -1));
    await exportAt(now, days, store);
    const { missing } = await findMissingUnits(store, ruts, DIRECTIONS, days);
    const missingNames = missing.map(({ rut, direction, day }) => `${rut} ${direction} ${day}`);
    const untold: string[] = [];
    for (const unit of ruts.flatMap((rut) => planUnits(rut, DIRECTIONS, days))) {
      const name = `${unit.rut} ${unit.direction} ${unit.day}`;
      const stored = (await lakeRows(store, unit))?.map(({ id }) => id) ?? [];
      const listed = [...sandbox.truth(unit.rut, unit.direction, unit.day)].map(({ id }) => id);
      if (!missingNames.includes(name) && stored.join() !== listed.join()) untold.push(name);
    }
    return { told: missingNames, untold };
  };
  return { sandbox, nightOf };
}

it.each(campaign({ quick: [3], long: [3, 65] }))(
  'lists wider than two days that are empty since a long weekend on which nothing was read, lose nothing in nine nights, after a run over %i days',
  async (dayCount) => {
    const { sandbox, nightOf } = await startWeekend();
    expect(await nightOf('2026-11-14', dayCount)).toEqual({ told: [], untold: [] });
    sandbox.behave({ maxRangeDays: 2, overRange: 'empty' });
    for (let night = 0; night < NIGHTS; night += 1) {
      const today = addDays('2026-11-17', night);
      expect({ today, ...(await nightOf(today, 3)) }).toEqual({ today, told: [], untold: [] });
    }
  },
);

describe('a service that shows the first 1,000 rows of any list', () => {
  const refused = (world: CompanyWorld) => {
    world.api.typesRefused = 400;
  };
  const ignored = (world: CompanyWorld) => {
    world.api.onList = (query) => {
      for (const name of ['TipoComprobante', 'ExcluirTipoComprobante', 'NumeroDesde', 'NumeroHasta']) {
        query.delete(name);
      }
    };
  };

  it.each([
    ['refuses type and number', refused, [1_500]],
    ['ignores type and number', ignored, [1_500]],
    ['refuses them, among quiet days', refused, [20, 0, 1_500, 3]],
    ['ignores them, among quiet days', ignored, [20, 0, 1_500, 3]],
  ] as const)(
    'and %s: a day of 1,500 fails by name, and none is stored in part',
    async (_name, behave, counts) => {
      const world = new CompanyWorld(counts);
      world.api.resultWindow = 1_000;
      behave(world);
      for (const _run of ['first', 'second']) {
        const { results, remaining } = await world.export();
        expect(remaining).toEqual([]);
        const failed = results.filter(({ state }) => state === 'fallido');
        // Its list with the next day is as long; no row of these shows that its own list has its evening too.
        const isBefore = (day: Day) => world.held(addDays(day, 1)).length > 1_000;
        const isLong = (day: Day) => world.held(day).length > 1_000;
        expect(failed.filter(({ day }) => isLong(day))).toHaveLength(1);
        expect(failed.filter(({ day }) => !isLong(day) && !isBefore(day))).toEqual([]);
        for (const { error } of failed) expect(error).toMatch(/shows only the first 1,000 receipts/);
        for (const { day, state } of results) {
          expect(await world.stored(day), day).toEqual(state === 'fallido' ? [] : world.held(day));
        }
      }
    },
  );

  it('and a receipt without a date: the day fails by name too', async () => {
    const world = new CompanyWorld([1_500]);
    world.api.resultWindow = 1_000;
    refused(world);
    Object.assign(world.listed[7] ?? {}, { fecha_emision: '', [LISTED_ON]: `${DAY}T10:00:00` });
    const { results } = await world.export();
    expect(results).toMatchObject([
      { state: 'fallido', error: expect.stringMatching(/first 1,000 receipts/) },
    ]);
  });
});

it.each([
  ['short', true, 50],
  ['short', false, 50],
  ['empty', true, 100],
  ['empty', false, 100],
] as const)(
  'one %s page (page sizes ignored: %s), whichever it is, lets no day of 500 pass for whole at a service that shows %i rows of any list',
  async (fault, isPageSizeIgnored, resultWindow) => {
    for (let request = 1, isReached = true; isReached; request += 1) {
      const world = new CompanyWorld([0, 500, 0]);
      Object.assign(world.api, { resultWindow, pageCap: 50, isPageSizeIgnored });
      world.api.faults.set(request, `${fault}Page`);
      const { results } = await world.export();
      isReached = world.api.requestCount >= request;
      const passed = results.filter(({ day, isStable }) => isStable === true && day === addDays(DAY, -1));
      expect({ request, passed }).toEqual({ request, passed: [] });
    }
  },
);
