import { describe, expect, it } from 'vitest';
import { dayKey } from '../../lib/lake/layout.ts';
import { listMarks, Marks } from '../../lib/lake/marks.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { RECIBIDOS } from '../../lib/lake/tables.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { CompanyWorld } from '../support/export/company-world.ts';
import { DAY } from '../support/export/unit-world.ts';
import { threeStores } from '../support/lake/three-stores.ts';

const { stores, standIn } = await threeStores();

describe.each(stores)('in %s', (where, open) => {
  it('a run that finds a unit unchanged marks its day if the table lacks it, and reads each day once', async () => {
    const world = new CompanyWorld([3, 2, 1]);
    const { clock, days } = world;
    const store = open(() => clock.now());
    let nights = 0;
    const night = async () => {
      nights += 1;
      const run = { id: `run-${nights}`, day: '2026-11-20' } as const;
      standIn.requests.length = 0;
      const { results } = await world.export({ store, run, marks: new Marks(store, run, clock) });
      const marked = (await listMarks(store)).map(({ day }) => day);
      return { states: results.map(({ state }) => state), marked };
    };
    const publish = async () => {
      const { written, problems } = await publishLagging(store, writeWithHyparquet);
      for (const { key } of await listMarks(store)) await store.remove(key);
      return { written, problems };
    };
    const [gone = DAY, older = DAY] = days;
    world.listed = world.listed.slice(0, -2);
    await night();
    expect(await publish()).toEqual({ written: 2, problems: [] });
    const before = await bytesOf(store, older);
    world.listed = new CompanyWorld([3, 2, 1]).listed;
    await night();
    await publish();
    const whole = await Promise.all(days.map((day) => bytesOf(store, day)));

    await store.remove(dayKey('recibidos', gone));
    await put(store, older, before);
    const repairing = await night();
    expect(repairing).toEqual({ states: Array(3).fill('sin_cambios'), marked: [gone, older] });
    const gets = standIn.requests.filter((request) => /^GET \S*\/recibidos\/fecha/.test(request));
    if (where === 'a bucket') expect(gets.filter((request) => !request.includes('unidades'))).toHaveLength(3);
    expect(await publish()).toEqual({ written: 2, problems: [] });
    expect(await Promise.all(days.map((day) => bytesOf(store, day)))).toEqual(whole);
    expect(await night()).toEqual({ states: Array(3).fill('sin_cambios'), marked: [] });
  });
});

async function bytesOf(store: LakeStore, day: string): Promise<Buffer> {
  const file = await store.open(`${RECIBIDOS.name}/fecha=${day}/dia.parquet`);
  return Buffer.from(await file.slice(0).finally(() => file.close()));
}

async function put(store: LakeStore, day: string, bytes: Buffer): Promise<void> {
  const key = `${RECIBIDOS.name}/fecha=${day}/dia.parquet`;
  async function* once() {
    yield bytes;
  }
  await store.replace(key, once(), { metadata: {}, expected: await store.find(key) });
}
