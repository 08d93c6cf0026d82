import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sealRuns } from '../../lib/audit/seal.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { campaign } from '../support/campaign.ts';
import { replayed } from '../support/export/replay.ts';
import { received, UnitWorld } from '../support/export/unit-world.ts';
import { type Fault, FaultyStore } from '../support/lake/faulty-store.ts';
import type { Row, TextUnit } from '../support/lake/text-rows.ts';
import { type OpenStore, threeStores } from '../support/lake/three-stores.ts';

/** The number of courses tried, and the distance between the steps of a night that are made to fail. */
interface Extent {
  numRuns: number;
  stride: number;
}

const EXTENTS: Record<string, Extent> = {
  memory: campaign({ quick: { numRuns: 3, stride: 6 }, long: { numRuns: 300, stride: 1 } }),
  'a folder': campaign({ quick: { numRuns: 1, stride: 12 }, long: { numRuns: 60, stride: 1 } }),
  'a bucket': { numRuns: 30, stride: 1 },
};
const { stores: STORES } = await threeStores();
const FAULTS: readonly Fault[] = ['refused', 'lost', 'killed'];

type World = UnitWorld<FaultyStore>;
/** The receipts that the API lists, with their statuses. Few, so that earlier states recur. */
type List = Readonly<Record<string, 'AE' | 'BE'>>;

function worldIn(open: OpenStore): World {
  return new UnitWorld('recibidos', (now) => new FaultyStore(open(now)));
}

function show(world: World, list: List): void {
  world.listed = Object.entries(list).map(([id, codigo]) => received(Number(id), { estado: { codigo } }));
}

/** Runs a night in which one step may fail. Returns whether it did. With `isSealed`, seals a run that succeeded. */
async function night(
  world: World,
  list: List,
  { steps, fault, isSealed }: { steps: number; fault: Fault; isSealed: boolean },
): Promise<boolean> {
  show(world, list);
  world.store.failAfter(steps, fault);
  const run = async () => {
    await world.export();
    if (isSealed) await sealRuns({ store: world.store, writer: writeWithHyparquet });
  };
  await run().catch(() => undefined);
  return world.store.mend();
}

/**
 * Expects `cambios` to have each change of the unit once and in order: each old value is the previous new value.
 */
async function expectTold(world: World, first: TextUnit): Promise<void> {
  const changes = await world.changes();
  for (const change of changes) {
    // A receipt that reappears is recorded whole, along with the fields that changed meanwhile.
    const before = replayed(
      first,
      changes.filter(({ momento }) => Number(momento) < Number(change.momento)),
    );
    expect(statedBefore(change, before)).toBe(String(change.antes));
  }
  expect(replayed(first, changes)).toEqual(await world.texts());
}

/** The old value that the change should state. For whole receipts, only whether they existed. */
function statedBefore({ id, cambio, campo, antes }: Row, before: TextUnit): string {
  const known = before.get(String(id));
  if (cambio === 'cambio') return String(known?.row[String(campo)] ?? null);
  const isListed = known?.isListed === true;
  return isListed === (cambio === 'desaparecio') ? String(antes) : `it was${isListed ? '' : ' not'} there`;
}

// A bucket takes the same steps as memory, and longer for each.
describe.each(campaign({ quick: STORES.slice(0, 2), long: STORES }))('in %s', (name, open) => {
  const { numRuns, stride } = EXTENTS[name] ?? { numRuns: 1, stride: 1 };

  it.each(FAULTS)('a change is recorded once, whichever step of a night is %s', async (fault) => {
    // Each fault begins at a different step.
    const firstStep = FAULTS.indexOf(fault) % stride;
    for (let steps = firstStep, hasFailed = true; hasFailed; steps += stride) {
      const world = worldIn(open);
      show(world, { 1: 'AE', 2: 'AE' });
      await world.export();
      const first = await world.texts();
      hasFailed = await night(world, { 1: 'BE', 2: 'AE', 3: 'AE' }, { steps, fault, isSealed: true });
      await expectTold(world, first);
      // The next nights see other statuses, and the first ones again.
      await night(world, { 1: 'BE', 2: 'BE' }, { steps: 100, fault, isSealed: false });
      await night(world, { 1: 'AE', 2: 'AE', 3: 'AE' }, { steps: 100, fault, isSealed: false });
      await expectTold(world, first);
    }
  });

  it('replaying cambios over the first state gives the last one, whatever goes wrong in between', {
    timeout: 120_000,
  }, async () => {
    const list = fc.dictionary(fc.constantFrom('1', '2', '3'), fc.constantFrom('AE' as const, 'BE' as const));
    const course = fc.array(
      fc.record({
        list,
        steps: fc.integer({ min: 0, max: 9 }),
        fault: fc.constantFrom(...FAULTS),
        isSealed: fc.boolean(),
        isLookedAt: fc.boolean(),
      }),
      { minLength: 1, maxLength: 7 },
    );
    await fc.assert(
      fc.asyncProperty(course, async (nights) => {
        const world = worldIn(open);
        show(world, { 1: 'AE', 2: 'BE' });
        await world.export();
        const first = await world.texts();
        for (const { list: listed, isLookedAt, ...how } of nights) {
          await night(world, listed, how);
          if (isLookedAt) await expectTold(world, first);
        }
        await expectTold(world, first);
      }),
      { numRuns },
    );
  });
});
