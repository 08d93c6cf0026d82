import { describe, expect, it } from 'vitest';
import { writeAudit } from '../../lib/audit/write.ts';
import { newRun } from '../../lib/export/run.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { DamagedObjectError } from '../../lib/lake/parquet/reader.ts';
import { daysOf, readDays } from '../../lib/report/read-days.ts';
import type { ReportState } from '../../lib/report/report-day.ts';
import { addDays } from '../../lib/time/days.ts';
import { DAY, RUT } from '../support/api/api-client.ts';
import { type DetailWorld, newDetailWorld, receipt } from '../support/export/detail-world.ts';
import { markDays } from '../support/lake/marked-days.ts';

const QUESTION = { from: DAY, to: DAY, today: '2026-12-01', ruts: [RUT] } as const;

/** One run; one that is killed tells the audit nothing. */
async function night(world: DetailWorld, details: Parameters<DetailWorld['export']>[0], isKilled = false) {
  await world.clock.advance(60_000);
  const run = newRun(world.clock.now());
  const result = await world.export(details, { run });
  if (!isKilled) await writeAudit({ store: world.store, writer: writeWithHyparquet }, run, [result]);
}

/** What a report says of the day, of which the tables hold receipts. */
async function stateOf(world: DetailWorld): Promise<ReportState | undefined> {
  const { companies, period } = await readDays(world.store, QUESTION);
  const days = companies.flatMap((company) => daysOf(company, period, () => Number.POSITIVE_INFINITY));
  return days.find(({ direction }) => direction === 'emitidos')?.state;
}

function change(world: DetailWorld, serie = 'B'): void {
  world.listed = [receipt(1, { serie }), ...world.listed.slice(1)];
}

describe('details that are older than their list', () => {
  it.each<[string, (world: DetailWorld) => Promise<void>]>([
    [
      'a later run found the day too large for details',
      async (world) => {
        await night(world, {});
        change(world);
        await night(world, { maxPerUnit: 2 });
      },
    ],
    [
      'a later run read none',
      async (world) => {
        await night(world, {});
        change(world);
        await night(world, { directions: [] });
      },
    ],
    [
      'the run that read them first was killed, and a later one read none',
      async (world) => {
        await night(world, {}, true);
        change(world);
        await night(world, { directions: [] });
      },
    ],
    [
      'one could not be read, and a later run read none',
      async (world) => {
        world.answerFor = (id) => (id === 2 ? { status: 404, body: '{}' } : undefined);
        await night(world, {});
        change(world);
        await night(world, { directions: [] });
      },
    ],
  ])('are told where %s', async (_where, runs) => {
    const world = await newDetailWorld(3);
    await runs(world);
    expect(await stateOf(world)).toBe('older');
    world.answerFor = () => undefined;
    await night(world, {});
    expect(await stateOf(world)).toBe('open');
  });

  it('are not those that lack one, nor those that came out the same for another list', async () => {
    const world = await newDetailWorld(3);
    world.answerFor = (id) => (id === 2 ? { status: 404, body: '{}' } : undefined);
    await night(world, {});
    expect(await stateOf(world)).toBe('open');
    world.answerFor = () => undefined;
    world.fieldsOf = () => ({ serie: 'A' });
    await night(world, {});
    change(world);
    await night(world, {});
    expect(await stateOf(world)).toBe('open');
  });
});

it('nothing is taken for known where a unit cannot be asked, nor where one changes while the tables are asked', async () => {
  const world = await newDetailWorld(3);
  await night(world, {});
  const read = await readDays(world.store, QUESTION);
  const states = ({ companies, period }: Pick<typeof read, 'companies' | 'period'>) =>
    companies
      .flatMap((company) => daysOf(company, period, () => Number.POSITIVE_INFINITY))
      .map(({ state }) => state);
  expect(states(read)).toContain('open');
  expect(states(read)).not.toContain('older');
  change(world);
  await night(world, { directions: [] });
  expect(states(await read.afterTables())).toContain('older');
  const { find } = world.store;
  world.store.find = async (key) => {
    if (key.startsWith('unidades/emitidos_detalle')) throw new Error('503');
    return await find.call(world.store, key);
  };
  expect((await readDays(world.store, QUESTION)).period.isLagging).toBeUndefined();
  world.store.find = async (key) => {
    if (key.startsWith('unidades/emitidos_detalle')) throw new DamagedObjectError(key, 'it is cut');
    return await find.call(world.store, key);
  };
  expect(states(await readDays(world.store, QUESTION))).toContain('older');
});

it('a day of which the tables have receipts, and the audit says that there are none, is not read', async () => {
  const world = await newDetailWorld(0);
  await night(world, {});
  expect(await stateOf(world)).toBe('missing');
  const { companies, period } = await readDays(world.store, QUESTION);
  const days = companies.flatMap((company) => daysOf(company, period, () => 0));
  expect(days.map(({ direction, state }) => `${direction} ${state}`)).toContain('emitidos open');
});

it('no day of a period is taken for lagging because a run, of more days than a note looks at, has just ended', async () => {
  const world = await newDetailWorld(3);
  await night(world, {});
  const days = Array.from({ length: 63 }, (_, index) => addDays(DAY, -index));
  await markDays(world.store, 'run-1', days, world.clock);
  const read = await readDays(world.store, { ...QUESTION, from: addDays(DAY, -70) });
  expect(read.period.isLagging).toBe(false);
});
