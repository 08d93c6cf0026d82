import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { allRows, ask, DAY, idsOf, LEGACY, LIST, NOW, pageOf, rutOf, truthOf } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: NOW, receiptsPerDay: 250 });
});
afterEach(() => sandbox.behave(DEFAULT_BEHAVIOUR));
afterAll(() => sandbox.close());

const FIRST = pageOf('emitidos', 1, 100);
const idsOfPage = async (page: number): Promise<string[]> =>
  idsOf((await ask(sandbox, pageOf('emitidos', page, 100))).rows);
const truthIds = (): string[] => idsOf(truthOf(sandbox, 'emitidos'));

describe('a page fault', () => {
  it('emptyPage happens once in each list', async () => {
    sandbox.behave({ emptyPage: { page: 2, when: 'once' } });
    expect(await idsOfPage(1)).toHaveLength(100);
    expect(await idsOfPage(2)).toEqual([]);
    expect(await idsOfPage(2)).toEqual(truthIds().slice(100, 200));
    const other = () => ask(sandbox, pageOf('recibidos', 2, 50));
    expect((await other()).json).toMatchObject({ items: [], page_number: '2', page_size: '0' });
    expect((await other()).rows).toHaveLength(50);
  });

  it('emptyPage happens always when asked to', async () => {
    sandbox.behave({ emptyPage: { page: 1, when: 'always' } });
    for (const _ of [1, 2, 3]) expect(await idsOfPage(1)).toEqual([]);
    expect(await idsOfPage(2)).toHaveLength(100);
  });

  it('shortPage lacks the second half of its rows', async () => {
    sandbox.behave({ shortPage: { page: 2, when: 'once' } });
    const { json, rows } = await ask(sandbox, pageOf('emitidos', 2, 100));
    expect(idsOf(rows)).toEqual(truthIds().slice(100, 150));
    expect(json.page_size).toBe('50');
    expect(await idsOfPage(2)).toEqual(truthIds().slice(100, 200));
  });

  it('is confined to its target', async () => {
    const faultTarget = { rut: rutOf(sandbox, 1), direction: 'emitidos', day: DAY } as const;
    sandbox.behave({ emptyPage: { page: 1, when: 'always' }, faultTarget });
    const rowsOf = async (path: string, company: number): Promise<number> =>
      (await ask(sandbox, path, { company })).rows.length;
    expect(await rowsOf(FIRST, 1)).toBe(0);
    expect(await rowsOf(FIRST, 0)).toBe(100);
    expect(await rowsOf(pageOf('recibidos', 1, 100), 1)).toBe(100);
    expect(await rowsOf(FIRST.replaceAll(DAY, '2026-11-18'), 1)).toBe(100);
  });
});

describe('rows', () => {
  const shift = { afterListRequests: 2, count: 10 };

  it.each([
    ['start', 0],
    ['middle', 120],
    ['end', 240],
  ] as const)(
    'vanish from the %s after two list requests, from details and legacy lists as well',
    async (position, at) => {
      const before = truthIds();
      sandbox.behave({ removeRows: { ...shift, position } });
      expect(await idsOfPage(1)).toEqual(before.slice(0, 100));
      expect(truthIds()).toEqual(before);
      expect(await idsOfPage(1)).toEqual(before.slice(0, 100));
      const after = before.toSpliced(at, 10);
      expect(truthIds()).toEqual(after);
      expect(idsOf(await allRows(sandbox, 'emitidos'))).toEqual(after);
      expect((await ask(sandbox, `${LIST.emitidos}/${before[at]}`)).status).toBe(404);
      expect((await ask(sandbox, `${LIST.emitidos}/${after[at] ?? after[0]}`)).status).toBe(200);
      const legacy = await ask(sandbox, `${LEGACY.emitidos}?FechaDesde=${DAY}&FechaHasta=${DAY}`);
      expect(idsOf(legacy.rows)).toEqual(after);
    },
  );

  it.each([
    ['start', 0],
    ['middle', 120],
    ['end', 240],
  ] as const)('appear at the %s after two list requests', async (position, at) => {
    const all = truthIds();
    sandbox.behave({ insertRows: { ...shift, position } });
    expect(truthIds()).toEqual(all.toSpliced(at, 10));
    expect(await idsOfPage(1)).toEqual(all.toSpliced(at, 10).slice(0, 100));
    await idsOfPage(1);
    expect(truthIds()).toEqual(all);
    expect(idsOf(await allRows(sandbox, 'emitidos'))).toEqual(all);
  });

  it('vanish at the start of the list as it is served, even in reverse order', async () => {
    const before = truthIds();
    sandbox.behave({ order: 'id-desc', removeRows: { ...shift, afterListRequests: 0, position: 'start' } });
    expect(truthIds()).toEqual(before.slice(0, 240));
  });

  it('that vanished stay the same ones when more arrive', async () => {
    const before = idsOf(truthOf(sandbox, 'recibidos'));
    sandbox.behave({ removeRows: { ...shift, afterListRequests: 0, position: 'end' } });
    expect(idsOf(truthOf(sandbox, 'recibidos'))).toEqual(before.slice(0, -10));
    sandbox.setNow('2026-12-20T03:00:00');
    const later = idsOf(truthOf(sandbox, 'recibidos'));
    sandbox.setNow(NOW);
    expect(later).toHaveLength(240);
    expect(later.filter((id) => before.includes(id))).toEqual(before.slice(0, -10));
  });

  it('of other units are counted separately', async () => {
    sandbox.behave({ removeRows: { ...shift, position: 'start' } });
    await idsOfPage(1);
    await idsOfPage(2);
    expect(truthOf(sandbox, 'emitidos')).toHaveLength(240);
    expect(truthOf(sandbox, 'emitidos', 1)).toHaveLength(250);
    expect([...sandbox.truth(rutOf(sandbox), 'emitidos', '2026-11-18')]).toHaveLength(250);
  });

  it('may vanish and appear in one list', async () => {
    const before = truthIds();
    sandbox.behave({
      removeRows: { afterListRequests: 1, count: 10, position: 'start' },
      insertRows: { afterListRequests: 1, count: 5, position: 'end' },
    });
    expect(truthIds()).toEqual(before.slice(0, 245));
    await idsOfPage(1);
    expect(truthIds()).toEqual(before.slice(10));
  });
});
