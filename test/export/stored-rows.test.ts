import { describe, expect, it } from 'vitest';
import { unitKey } from '../../lib/lake/layout.ts';
import type { UnitResult } from '../../lib/units/unit.ts';
import { DAY, RUT } from '../support/api/api-client.ts';
import { type DetailWorld, newDetailWorld, receipt } from '../support/export/detail-world.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const LIST_KEY = unitKey('emitidos', DAY, RUT);
const WEEKLY = { run: { id: 'weekly', day: '2026-11-20' } } as const;
const BACKFILL = { run: { id: 'backfill', day: '2026-11-20' } } as const;
const COUNTS = ['state', 'receipts', 'appeared', 'changed', 'vanished'] as const;

/** The audit's counts of the list. */
function counted(result: UnitResult): Partial<UnitResult> {
  return Object.fromEntries(COUNTS.map((name) => [name, result[name]]));
}

/** A lake with 60 exported receipts. Their list has changed since: 2 came, 3 are gone, all others changed. */
async function changedWorld(): Promise<DetailWorld> {
  const world = await newDetailWorld(60);
  await world.export();
  const changed = world.listed.slice(3).map((listed) => ({ ...listed, estado_dgi: { codigo: 'CE' } }));
  world.listed = [...changed, receipt(61), receipt(62)];
  return world;
}

const CHANGED = { state: 'exportado', receipts: 59, appeared: 2, changed: 57, vanished: 3 };

/** A store whose process is killed once the unit's list is written. */
function killedAfterTheList(store: MemoryStore): MemoryStore {
  const dying = new MemoryStore(() => 0);
  Object.assign(dying, {
    objects: store.objects,
    replace: async (...values: Parameters<MemoryStore['replace']>) => {
      if (store.objects.get(LIST_KEY) !== before) throw new Error('killed');
      return await store.replace(...values);
    },
  });
  const before = store.objects.get(LIST_KEY);
  return dying;
}

function memoryOf({ store }: DetailWorld): MemoryStore {
  if (!(store instanceof MemoryStore)) throw new TypeError('the world has another store');
  return store;
}

describe('a unit whose list was written when time ran out in its details', () => {
  it('counts in the end what the list changed, as if there had been time', async () => {
    const atOnce = await changedWorld();
    expect(counted(await atOnce.export({}, WEEKLY))).toEqual(CHANGED);

    const inParts = await changedWorld();
    const isTimeUp = () => inParts.asked.length >= 20;
    expect(await inParts.tryExport({}, { ...WEEKLY, isTimeUp })).toBeUndefined();
    expect(await inParts.tryExport({}, { ...WEEKLY, isTimeUp })).toBeUndefined();
    expect(counted(await inParts.export({}, WEEKLY))).toEqual(CHANGED);
  });

  it('is still a first export in the invocation that ends it', async () => {
    const world = await newDetailWorld(60);
    await world.tryExport({}, { isTimeUp: () => world.asked.length >= 20 });
    const { bytes, ...result } = await world.export();
    expect(counted(result as UnitResult)).toEqual({
      ...CHANGED,
      receipts: 60,
      appeared: 0,
      changed: 0,
      vanished: 0,
    });
    expect(bytes).toBe(memoryOf(world).objects.get(LIST_KEY)?.bytes.length);
  });

  it('adds what changed between two invocations', async () => {
    const world = await changedWorld();
    await world.tryExport({}, { ...WEEKLY, isTimeUp: () => world.asked.length >= 20 });
    world.listed = [...world.listed, receipt(63)];
    expect(counted(await world.export({}, WEEKLY))).toEqual({ ...CHANGED, receipts: 60, appeared: 3 });
  });

  it('counts it although another run wrote the unit meanwhile, which counts its own', async () => {
    const world = await changedWorld();
    await world.tryExport({}, { ...WEEKLY, isTimeUp: () => world.asked.length >= 20 });
    world.listed = [...world.listed, receipt(63)];
    const other = await world.export({ directions: [] }, BACKFILL);
    expect(counted(other)).toEqual({
      ...CHANGED,
      receipts: 60,
      appeared: 1,
      changed: 0,
      vanished: 0,
    });
    expect(counted(await world.export({}, WEEKLY))).toEqual({ ...CHANGED, receipts: 60 });
  });

  it('counts nothing for a run that comes after it', async () => {
    const world = await changedWorld();
    await world.export({}, WEEKLY);
    const unchanged = { state: 'sin_cambios', receipts: 59, appeared: 0, changed: 0, vanished: 0 };
    expect(counted(await world.export({}, BACKFILL))).toEqual(unchanged);
  });
});

it('a process that is killed after it wrote a list leaves it to its repetition to count what that changed', async () => {
  const world = await changedWorld();
  const store = killedAfterTheList(memoryOf(world));
  await world.tryExport({}, { ...WEEKLY, store });
  expect(counted(await world.export({}, WEEKLY))).toEqual(CHANGED);
});

describe('the object of a unit', () => {
  it('has the same bytes whichever run wrote it, and what is kept beside it stays small', async () => {
    const [a, b] = [await newDetailWorld(5), await newDetailWorld(5)];
    await a.export({ directions: [] }, WEEKLY);
    await b.export({ directions: [] }, BACKFILL);
    const [first, second] = [a, b].map((world) => memoryOf(world).objects.get(LIST_KEY));
    expect(first?.bytes).toEqual(second?.bytes);

    for (let count = 6; count < 20; count += 1) {
      a.list(count);
      await a.export({ directions: [] }, { run: { id: `${'x'.repeat(76)}-${count}`, day: '2026-11-20' } });
    }
    const { metadata = {} } = memoryOf(a).objects.get(LIST_KEY)?.found ?? {};
    // S3 allows 2 KB for all names and values together.
    expect(JSON.stringify(metadata).length).toBeLessThan(1200);
    expect(metadata['cfe-lake.writes']).toContain('x-19');
  });

  it('with another version’s writes beside it is of no known run', async () => {
    const world = await newDetailWorld(5);
    await world.export({ directions: [] }, WEEKLY);
    const object = memoryOf(world).objects.get(LIST_KEY);
    if (object === undefined) throw new Error('there is an object');
    object.found.metadata = { ...object.found.metadata, 'cfe-lake.writes': '[{"corrida":"weekly"}]' };
    const again = await world.export({ directions: [] }, WEEKLY);
    expect(again).toMatchObject({ state: 'sin_cambios', appeared: 0 });
  });
});
