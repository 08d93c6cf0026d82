import { describe, expect, it } from 'vitest';
import type { ReadingTools } from '../../../lib/export/export-tools.ts';
import { CompanyAnswers, type SharedByLists } from '../../../lib/export/reading/company-answers.ts';
import { noFacts, type ServiceFacts } from '../../../lib/export/reading/service-facts.ts';
import { addDays, type Day, type DayRange } from '../../../lib/time/days.ts';
import { CompanyWorld, receiptOf } from '../../support/export/company-world.ts';
import { DAY, RUT } from '../../support/export/unit-world.ts';

/** The day so many days before the last one. */
const ago = (count: number): Day => addDays(DAY, -count);

/** The world of a service of which much is known: lists of any width are believed, and pages of any size are given. */
function worldOf(counts: readonly number[], facts: Partial<ServiceFacts> = {}): CompanyWorld {
  const world = new CompanyWorld(counts);
  const known = { provedWidthDays: 50, isEndDateInclusive: true, deepestRow: 1e6 };
  world.facts.recibidos = { ...noFacts(), ...known, longestPage: 100, isAnyPageSizeHonoured: true, ...facts };
  return world;
}

/** The service lists just these rows of the last day, whatever is asked for. */
function serve({ api }: CompanyWorld, idsOn: (page: number, size: number) => readonly number[]): void {
  api.answer = async (_path, query) => {
    api.requestCount += 1;
    const page = Number(query.get('PageNumber'));
    const items = idsOn(page, Number(query.get('PageSize'))).map((id) => receiptOf(DAY, id));
    return { status: 200, body: { items, page_number: page } };
  };
}

/** What is said of days, and the pages that are asked for: days, number, size, and the numbers of a part. */
async function read(
  world: CompanyWorld,
  shared: SharedByLists = {},
  {
    days = { from: world.days[0] ?? DAY, to: DAY },
    ...changes
  }: Partial<ReadingTools> & { days?: DayRange } = {},
) {
  const pages: string[] = [];
  world.api.onList = (query) => {
    const parameter = (name: string) => query.get(name) ?? '';
    const part = `${parameter('NumeroDesde')}..${parameter('NumeroHasta')}`;
    const page = `${parameter('FechaDesde').slice(8)}–${parameter('FechaHasta').slice(8)} ${parameter('PageNumber')}×${parameter('PageSize')}`;
    pages.push(part === '..' ? page : `${page} of ${part}`);
  };
  const tools = world.tools({ client: world.api.client(8), ...changes });
  const answers = new CompanyAnswers(tools, { rut: RUT, direction: 'recibidos' }, shared);
  const verdicts = [...(await answers.verdicts(days)).values()];
  return { pages, verdicts };
}

describe('the pages of a list', () => {
  it.each([
    ['of unknown length, if it is long enough to ask', [99, 99, 99], undefined, true, '8001×1 4×98 298×1'],
    [
      'of unknown length, more of them ahead once that is not too long',
      [500, 500],
      undefined,
      true,
      '8001×1 5×96 6×95 7×94 8×93 9×92 10×91 10×100 11×99 12×98 1001×1 12×90',
    ],
    ['of known length, and of a day more that is over', [100, 100, 100, 0], 300, false, '5×96 4×99 301×1'],
    ['of known length, and of a day more that is not', [100, 100, 100], 300, false, '4×99 301×1'],
    ['of one day, whose length is not asked for', [400], undefined, true, '5×96 6×95 7×94 5×99 401×1'],
  ])('%s', async (_what, counts, expectedRows, isEndDateInclusive, expected) => {
    const world = worldOf(counts, { isEndDateInclusive });
    const days = counts.length === 4 ? { days: { from: ago(3), to: ago(1) } } : {};
    const { pages } = await read(world, { expectedRows }, days);
    expect(pages.map((page) => page.slice(6)).join(' ')).toBe(`1×100 2×99 3×98 4×97 ${expected}`);
  });

  it('a list of more than 16,000 rows is given up, unless it is of one day', async () => {
    const [world, ids] = [worldOf([]), Array.from({ length: 16_001 }, (_, index) => index)];
    serve(world, (page, size) => ids.slice((page - 1) * size, page * size));
    const long = await read(world, { expectedRows: 100 }, { days: { from: ago(1), to: DAY } });
    expect(long.verdicts.map(({ kind }) => kind)).toEqual(['too long', 'too long']);
    expect((await read(world)).verdicts).toMatchObject([{ kind: 'read', isStable: true }]);
    ids.pop();
    const most = await read(world, { expectedRows: 100 }, { days: { from: ago(1), to: DAY } });
    expect(most.verdicts.map(({ kind }) => kind)).toEqual(['read', 'read']);
  });
});

it.each([
  ['parts, each with a row past its end', 30, true, 1, ['1×100', '16×1']],
  ['parts, each twice where a page of one row is refused', 30, true, 2, ['1×100', '2×100', '1×100']],
  ['full parts, each with the page after it twice', 200, true, 1, ['1×100', '101×1', '2×100', '2×100']],
  ['parts where pages are of one size, each twice', 30, false, 1, ['1×100', '2×100', '1×100']],
  ['full parts where pages are of one size, each twice', 200, false, 1, ['1×100', '2×100', '2×100']],
])(
  'a list that may be cut is asked for in %s, and no wrong answer makes it whole',
  async (_what, count, isAnyPageSizeHonoured, leastPageSize, expected) => {
    const worldOfParts = (rowCount: number) => {
      const world = worldOf([rowCount], { deepestRow: 0, isAnyPageSizeHonoured });
      world.api.statusFor = (_path, query) =>
        Number(query.get('PageSize')) < leastPageSize ? 400 : undefined;
      return world;
    };
    const whole = await read(worldOfParts(count));
    const parts = [`..${count / 2}`, `${count / 2 + 1}..`];
    expect(whole.pages.filter((page) => page.includes(' of '))).toEqual(
      parts.flatMap((part) => expected.map((page) => `19–19 ${page} of ${part}`)),
    );
    expect(whole.verdicts).toMatchObject([{ isStable: true }]);
    for (let wrongAt = 0; wrongAt < 16; wrongAt += 1) {
      for (const fault of ['emptyPage', 'shortPage'] as const) {
        const world = worldOfParts(2 * count);
        world.api.resultWindow = count;
        world.api.faults.set(wrongAt, fault);
        expect((await read(world)).verdicts, `${wrongAt}`).toMatchObject([{ isStable: false }]);
      }
    }
  },
);

it('a list that may be cut is believed where one of more days before it has a row past its end', async () => {
  const world = worldOf([30, 30], { deepestRow: 0 });
  const { pages, verdicts } = await read(world, {}, { days: { from: DAY, to: DAY } });
  expect(pages.at(-1)).toBe('11–19 31×1');
  expect(verdicts).toMatchObject([{ isStable: true }]);
});

it('a company that is denied is asked for its last and its first day alone', async () => {
  const world = worldOf([1, 1, 1]);
  const asked: string[] = [];
  world.api.statusFor = (_path, query) => {
    asked.push(`${query.get('FechaDesde')}–${query.get('FechaHasta')}`);
    return 403;
  };
  await read(world);
  expect(asked).toEqual([`${ago(2)}–${DAY}`, `${DAY}–${DAY}`, `${ago(2)}–${ago(2)}`]);
});

it('a list read alone counts no other rows of its company, and asks for nothing once time is up', async () => {
  const unproved = { isEndDateInclusive: false, isMidnightInclusive: true, hasTimes: true };
  const world = worldOf([20], { ...unproved, provedWidthDays: 1 });
  world.api.widestRange = { days: 1, over: 'status400' };
  expect((await read(world)).verdicts).toMatchObject([{ kind: 'read' }]);
  world.listed.pop();
  expect((await read(world)).verdicts).toMatchObject([{ kind: 'failed' }]);
  expect(await read(world, {}, { isTimeUp: () => true })).toEqual({
    pages: [],
    verdicts: [{ kind: 'no time' }],
  });
});

describe('single pages show', () => {
  const answersOf = (world: CompanyWorld) =>
    new CompanyAnswers(world.tools(), { rut: RUT, direction: 'recibidos' });

  it.each([
    ['all up to the end, where rows have times', [300, 300, 250], true, 900, '1 9 10 → 850, 300 a day'],
    ['so, too, of a single page', [30, 30, 30], true, 90, '1 2 → 90, 30 a day'],
    ['that end, not known', [300, 300, 300], true, undefined, '1 2 8 32 20 14 11 9 10 → 900, 300 a day'],
    ['the first day, where the last is first', [9, 0, 100], false, undefined, '1 2 → 109'],
    ['nothing of an empty list', [0, 0, 0], false, undefined, '1 → 0'],
  ])('the ends of a list: %s', async (what, counts, hasTimes, rowCount, course) => {
    const world = new CompanyWorld(counts, hasTimes);
    if (what.includes('last is first')) world.listed.reverse();
    const pages: (string | null)[] = [];
    world.api.onList = (query) => pages.push(query.get('PageNumber'));
    await answersOf(world).readEnds({ from: ago(2), to: DAY }, rowCount);
    const { deepestRow, rowsADay } = world.facts.recibidos;
    const shown = rowsADay === undefined ? deepestRow : `${deepestRow}, ${rowsADay.count} a day`;
    expect(`${pages.join(' ')} → ${shown}`).toBe(course);
  });

  it('the ends of a list whose pages are shorter than asked for', async () => {
    const world = new CompanyWorld([300, 300, 300], true);
    world.api.pageCap = 50;
    const pages: string[] = [];
    world.api.onList = (query) => pages.push(`${query.get('PageNumber')}×${query.get('PageSize')}`);
    await answersOf(world).readEnds({ from: ago(2), to: DAY }, 900);
    expect(pages.join(' ')).toBe('1×100 18×50 19×50');
    expect(world.facts.recibidos).toMatchObject({
      longestPage: 50,
      deepestRow: 900,
      rowsADay: { count: 300 },
    });
  });

  it.each([
    ['that repeats its first page', () => 1, 2],
    ['that repeats its last page', (page: number) => Math.min(page, 9), 5],
    ['without an end', (_page: number, request: number) => request, 30],
  ])('no ends of a list %s', async (_what, idOn, requests) => {
    const world = worldOf([], { deepestRow: 0 });
    serve(world, (page) => [idOn(page, world.api.requestCount)]);
    await answersOf(world).readEnds({ from: ago(2), to: DAY });
    expect(world.api.requestCount).toBe(requests);
    expect(world.facts.recibidos.rowsADay).toBeUndefined();
  });

  it('whether a list has a row at a position, if its last page begins where it was asked for', async () => {
    const world = new CompanyWorld([230]);
    world.facts.recibidos.longestPage = 150;
    // A single page is looked at, however many rows a list may have.
    const client = Object.defineProperty(world.api.client(), 'maxRowsPerList', { value: 50 });
    const answers = new CompanyAnswers(world.tools({ client }), { rut: RUT, direction: 'recibidos' });
    const rowsAt = [];
    for (const position of [0, 100, 199, 229, 230, 300])
      rowsAt.push(await answers.hasRow(position, { from: DAY, to: DAY }));
    expect(rowsAt).toEqual([true, true, true, false, false, false]);
  });
});
