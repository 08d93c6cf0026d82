import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { WireReceipt } from '../support/api/fake-api.ts';
import { campaign } from '../support/campaign.ts';
import { exportUnit } from '../support/export/export-unit.ts';
import { replayed } from '../support/export/replay.ts';
import { received, UnitWorld } from '../support/export/unit-world.ts';
import { Turns } from '../support/lake/fs-turns.ts';
import type { TextUnit } from '../support/lake/text-rows.ts';
import { threeStores } from '../support/lake/three-stores.ts';
import { TurnStore } from '../support/lake/turn-store.ts';

/** Courses in which objects are replaced, however few are tried. */
const SEEDED = campaign({ quick: { seed: 20_261_121 }, long: {} });
const NUM_RUNS: Record<string, number> = {
  memory: campaign({ quick: 16, long: 200 }),
  'a folder': campaign({ quick: 8, long: 40 }),
  'a bucket': campaign({ quick: 4, long: 25 }),
};
const { stores: STORES } = await threeStores();

/** The API's list at its n-th moment. Each receipt contains the moment, so that all moments differ. */
function listAt(moment: number, ids: readonly number[]): WireReceipt[] {
  return ids.map((id) => received(id, { estado: { codigo: `moment ${String(moment).padStart(3, '0')}` } }));
}

const course = fc.record({
  runs: fc.integer({ min: 2, max: 3 }),
  isNew: fc.boolean(),
  order: fc.array(fc.nat(5), { minLength: 60, maxLength: 60 }),
  /** The receipts that the API lists at each moment, and the number of requests after which the moment ends. */
  moments: fc.array(
    fc.record({
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 6 }),
      requests: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

it.each(STORES)(
  'runs of one unit at once, whatever the order of their steps, in %s: no receipt is lost, none grows older',
  { timeout: 240_000 },
  async (name, open) => {
    const numRuns = NUM_RUNS[name] ?? 1;
    const totals = { courses: 0, replacements: 0, refusals: 0 };
    await fc.assert(
      fc.asyncProperty(course, async ({ runs, isNew, order, moments }) => {
        const world = new UnitWorld('recibidos', open);
        const states = moments.flatMap(({ ids, requests }, moment) =>
          Array.from({ length: requests }, () => listAt(moment, ids)),
        );
        let asked = 0;
        world.api.beforeAnswer = () => {
          world.listed = states[Math.min(asked, states.length - 1)] ?? [];
          asked += 1;
          world.clock.passUnnoticed(1000);
        };
        if (!isNew) await world.export();

        const turns = new Turns();
        const seen: TextUnit[] = [];
        let version: string | undefined;
        const look = async () => {
          const found = await world.store.find(world.key);
          if (found?.version === version) return;
          version = found?.version;
          seen.push(await world.texts());
        };
        await look();
        world.api.beforeAnswer = async () => {
          await turns.turn();
          await look();
          world.listed = states[Math.min(asked, states.length - 1)] ?? [];
          asked += 1;
          world.clock.passUnnoticed(1000);
        };
        const store = new TurnStore(world.store, async () => {
          await turns.turn();
          await look();
        });
        const results = await turns.run(
          Array.from(
            { length: runs },
            (_, index) => () =>
              exportUnit(
                world.unit,
                world.tools({ store, run: { id: `20261120020000-0000000${index}`, day: '2026-11-20' } }),
              ),
          ),
          order,
        );
        await look();

        const errors = results.map((result) => result?.error ?? '');
        for (const error of errors) expect(error).toMatch(/^$|replaced by another run|could not be proved/);
        // Of the runs that race for the object, one always wins.
        expect(errors.every((error) => error.includes('replaced by another run'))).toBe(false);
        for (const [index, newer] of seen.entries()) {
          for (const [id, { row }] of seen[index - 1] ?? []) {
            const after = newer.get(id)?.row.estado_codigo ?? 'lost';
            expect(after >= (row.estado_codigo ?? '') && after !== 'lost', id).toBe(true);
          }
        }
        // The changes that the runs recorded, and no others, lead from the first object to the last.
        const [first] = seen;
        if (first !== undefined) expect(replayed(first, await world.changes())).toEqual(seen.at(-1));
        totals.courses += 1;
        totals.replacements += Math.max(0, seen.length - 1);
        totals.refusals += store.refusals;
      }),
      { numRuns, ...SEEDED },
    );
    expect(totals.replacements).toBeGreaterThan(numRuns / 10);
    process.stdout.write(
      `${name}: ${totals.courses} courses of 2 or 3 runs, ${totals.replacements} replacements, ` +
        `${totals.refusals} refused\n`,
    );
  },
);
