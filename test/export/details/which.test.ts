import { describe, expect, it } from 'vitest';
import { unitKey } from '../../../lib/lake/layout.ts';
import { newDetailWorld, receipt } from '../../support/export/detail-world.ts';

const DAY_MS = 86_400_000;

describe('which details are read', () => {
  it('is none of a unit whose list has not changed; its details are not even opened', async () => {
    const world = await newDetailWorld(5);
    await world.export();
    const open = world.store.open.bind(world.store);
    const opened: string[] = [];
    world.store.open = async (key) => {
      opened.push(key);
      return await open(key);
    };
    expect(await world.export()).toMatchObject({ detailState: 'completo', detailsStored: 5, detailsRead: 0 });
    expect({ detailsOpened: opened.filter((key) => key.includes('detalle')), asked: world.asked }).toEqual({
      detailsOpened: [],
      asked: [],
    });
  });

  it('is none of a direction that was not named', async () => {
    const world = await newDetailWorld(5);
    for (const directions of [[], ['recibidos']] as const) {
      const { detailState } = await world.export({ directions });
      expect({ detailState, asked: world.asked, details: await world.details() }).toEqual({
        detailState: undefined,
        asked: [],
        details: [],
      });
    }
  });

  it('is none of a day above the limit, which the audit says', async () => {
    const world = await newDetailWorld(21);
    const result = await world.export({ maxPerUnit: 20 });
    expect(result).toMatchObject({ state: 'exportado', receipts: 21, detailState: 'omitido' });
    expect(result.detailReason).toBe(
      'The day has 21 receipts, but details are only read for days with at most 20. Raise that limit to read them.',
    );
    expect(world.asked).toEqual([]);
    expect(await world.export({ maxPerUnit: 21 })).toMatchObject({
      detailState: 'completo',
      detailsStored: 21,
    });
  });

  it('keeps details that are stored when the day has grown above the limit', async () => {
    const world = await newDetailWorld(20);
    await world.export({ maxPerUnit: 20 });
    const before = await world.store.find(world.key);
    world.list(21);
    expect(await world.export({ maxPerUnit: 20 })).toMatchObject({ detailState: 'omitido' });
    expect(await world.store.find(world.key)).toEqual(before);
  });

  it('includes those that were read longer ago than the setting', async () => {
    const world = await newDetailWorld(4);
    await world.export();
    world.listed.push(receipt(5));
    await world.clock.advance(6 * DAY_MS);
    await world.export({ maxAgeDays: 7 });
    expect(world.asked).toEqual([5]);
    await world.clock.advance(2 * DAY_MS);
    await world.export();
    expect(world.asked).toEqual([]);
    await world.export({ maxAgeDays: 7 });
    expect(world.asked.toSorted()).toEqual([1, 2, 3, 4]);
    await world.export({ maxAgeDays: 7 });
    expect(world.asked).toEqual([]);
  });
});

it('a detail that is too old, and that the API no longer has, stays, and is asked for until the API has it', async () => {
  const world = await newDetailWorld(2);
  await world.export();
  const before = await world.details();
  await world.clock.advance(8 * DAY_MS);
  world.answerFor = (id) => (id === 1 ? { status: 404, body: '{}' } : undefined);
  expect(await world.export({ maxAgeDays: 7 })).toMatchObject({ detailsStored: 1, detailsUnread: 1 });
  expect((await world.details())[0]).toEqual({ ...before[0], motivo: expect.stringMatching(/404/) });
  await world.export();
  expect(world.asked).toEqual([1]);
  world.answerFor = () => undefined;
  expect(await world.export()).toMatchObject({ detailsStored: 2, detailsUnread: 0 });
});

describe('receipts that are gone from the list', () => {
  it('keep their detail, marked as in the list, and are not asked for', async () => {
    const world = await newDetailWorld(3);
    await world.export();
    const before = await world.details();
    world.listed = world.listed.filter(({ id }) => id !== 2);

    const result = await world.export();

    expect(result).toMatchObject({ receipts: 2, vanished: 1, detailState: 'completo', detailsStored: 2 });
    expect(world.asked).toEqual([]);
    const after = await world.details();
    expect(after).toEqual([before[0], { ...before[1], visto_por_ultima_vez: expect.any(BigInt) }, before[2]]);

    await world.export();
    expect(world.asked).toEqual([]);
    expect(await world.details()).toEqual(after);
  });

  it('have it again, unread, when they are listed again', async () => {
    const world = await newDetailWorld(3);
    await world.export();
    const before = await world.details();
    const { listed } = world;
    world.listed = listed.slice(1);
    await world.export();
    world.listed = listed;
    expect(await world.export()).toMatchObject({ detailState: 'completo', detailsStored: 3, detailsRead: 0 });
    expect(world.asked).toEqual([]);
    expect(await world.details()).toEqual(before);
  });

  it('are kept even where the list was removed by hand', async () => {
    const world = await newDetailWorld(3);
    await world.export();
    await world.store.remove(unitKey('emitidos', '2026-11-19', '219999830019'));
    world.listed = world.listed.slice(1);
    expect(await world.export()).toMatchObject({ receipts: 2, detailState: 'completo', detailsStored: 2 });
    const rows = await world.details();
    expect(rows.map(({ id, visto_por_ultima_vez: mark }) => [id, mark === null])).toEqual([
      [1n, false],
      [2n, true],
      [3n, true],
    ]);
  });
});
