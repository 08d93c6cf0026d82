import { describe, expect, it } from 'vitest';
import type { ReadingTools } from '../../../lib/export/export-tools.ts';
import { CompanyAnswers, type SharedByLists } from '../../../lib/export/reading/company-answers.ts';
import { noFacts, type ServiceFacts } from '../../../lib/export/reading/service-facts.ts';
import { addDays, type Day, type DayRange } from '../../../lib/time/days.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
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
    const of = (name: string) => query.get(name) ?? '';
    const part = `${of('NumeroDesde')}..${of('NumeroHasta')}`;
    const page = `${of('FechaDesde').slice(8)}–${of('FechaHasta').slice(8)} ${of('PageNumber')}×${of('PageSize')}`;
    pages.push(part === '..' ? page : `${page} of ${part}`);
  };
  const tools = world.tools({ client: world.api.client(8), ...changes });
  const answers = new CompanyAnswers(tools, { rut: RUT, direction: 'recibidos' }, shared);
  const verdicts = [...(await answers.verdicts(days)).values()];
  return { pages, verdicts };
}

describe('the pages of a list', () => {
  const three = '1×100 2×99 3×98 4×97';
  it.each([
    ['of unknown length, if it is short', worldOf([99, 99, 98]), undefined, `${three} 297×1 4×98`],
    [
      'of unknown length, if it is long enough to ask for that',
      worldOf([99, 99, 99]),
      undefined,
      `${three} 8001×1 298×1 4×98`,
    ],
    [
      'of unknown length, more of them ahead once that is not too long',
      worldOf([500, 500]),
      undefined,
      `${three} 8001×1 5×96 6×95 7×94 8×93 9×92 10×91 10×100 11×99 12×98 1001×1 12×90`,
    ],
    ['of known length, up to that', worldOf([100, 100, 100]), 300, `${three} 301×1 4×99`],
    [
      'of known length, and of a day after them that is over',
      worldOf([100, 100, 100, 100], { isEndDateInclusive: false }),
      300,
      `${three} 5×96 401×1 5×99`,
    ],
    [
      'of known length, and of a day after them that is not over',
      worldOf([100, 100, 100], { isEndDateInclusive: false }),
      300,
      `${three} 301×1 4×99`,
    ],
    [
      'of one day, whose length is not asked for',
      worldOf([400]),
      undefined,
      `${three} 5×96 6×95 7×94 401×1 5×99`,
    ],
    ['that is too long', worldOf([4_000, 4_100]), undefined, `${three} 8001×1 too long`],
  ])('%s', async (_what, world, expectedRows, expected) => {
    const days = world.days.length === 4 ? { from: ago(3), to: ago(1) } : undefined;
    const { pages, verdicts } = await read(world, { expectedRows }, days && { days });
    const isTooLong = verdicts.some(({ kind }) => kind === 'too long');
    expect(`${pages.map((page) => page.split(' ')[1]).join(' ')}${isTooLong ? ' too long' : ''}`).toBe(
      expected,
    );
  });

  it('a list that is twice as long as known is given up', async () => {
    const { verdicts } = await read(worldOf([8_000, 8_200]), { expectedRows: 100 });
    expect(verdicts.map(({ kind }) => kind)).toEqual(['too long', 'too long']);
  });
});

it.each([
  ['parts, each with a row past its end', 30, true, ['1×100', '16×1']],
  ['full parts, each with the page after it twice', 200, true, ['1×100', '101×1', '2×100', '2×100']],
  ['parts where pages are of one size, each twice', 30, false, ['1×100', '2×100', '1×100']],
  ['full parts where pages are of one size, each twice', 200, false, ['1×100', '2×100', '2×100']],
])('a list that may be cut is asked for in %s', async (_what, count, isAnyPageSizeHonoured, expected) => {
  const facts = { deepestRow: 0, isAnyPageSizeHonoured };
  const whole = await read(worldOf([count], facts));
  const [lower, upper] = [`..${count / 2}`, `${count / 2 + 1}..`].map((part) =>
    expected.map((page) => `19–19 ${page} of ${part}`),
  );
  expect(whole.pages.filter((page) => page.includes(' of '))).toEqual([...(lower ?? []), ...(upper ?? [])]);
  expect(whole.verdicts).toMatchObject([{ isStable: true }]);
  const world = worldOf([2 * count], facts);
  world.api.resultWindow = count;
  expect((await read(world)).verdicts).toMatchObject([{ isPartial: true }]);
});

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
  expect((await read(world)).verdicts).toMatchObject([
    { kind: 'failed' },
    { kind: 'failed' },
    { kind: 'failed' },
  ]);
  expect(asked).toEqual([`${ago(2)}–${DAY}`, `${DAY}–${DAY}`, `${ago(2)}–${ago(2)}`]);
});

it('the company of the lake tells whether dates are all of a day, where there is one', async () => {
  const world = worldOf([3], {
    isEndDateInclusive: false,
    isMidnightInclusive: true,
    provedWidthDays: 1,
    hasTimes: true,
  });
  world.api.widestRange = { days: 1, over: 'status400' };
  expect((await read(world)).verdicts).toMatchObject([{ kind: 'failed' }]);
  const storedDates = async () => ({ rowCount: 20, hasTimes: false });
  expect((await read(world, { storedDates })).verdicts).toMatchObject([{ kind: 'read' }]);
  const company = { rowCount: 20, hasTimes: false };
  expect((await read(world, { company })).verdicts).toMatchObject([{ kind: 'read' }]);
  expect(company.rowCount).toBe(23);
});

it('nothing is asked once time is up, and a killed run gets no verdict', async () => {
  const world = worldOf([1, 1]);
  const late = await read(world, {}, { isTimeUp: () => true });
  expect(late).toMatchObject({ pages: [], verdicts: [{ kind: 'no time' }, { kind: 'no time' }] });
  const kill = new AbortController();
  world.api.beforeAnswer = () => kill.abort(new Error('killed'));
  await expect(read(world, {}, { signal: kill.signal })).rejects.toThrow('killed');
});

describe('single pages show', () => {
  const answersOf = (world: CompanyWorld) =>
    new CompanyAnswers(world.tools(), { rut: RUT, direction: 'recibidos' });

  it.each([
    ['both ends on one page', [50, 0, 50], false, undefined, { pages: [1], deepestRow: 100 }],
    ['dates at the last day', [300, 300, 300], false, undefined, { pages: [1, 2, 8], deepestRow: 800 }],
    ['where the end is expected', [300, 300, 300], false, 900, { pages: [1, 9], deepestRow: 900 }],
    [
      'all up to the end, where rows have times',
      [300, 300, 300],
      true,
      900,
      { pages: [1, 9, 10], deepestRow: 900, rowsADay: 300 },
    ],
    [
      'that end, when it is not known',
      [300, 300, 300],
      true,
      undefined,
      { pages: [1, 2, 8, 32, 20, 14, 11, 9, 10], deepestRow: 900, rowsADay: 300 },
    ],
    ['nothing of an empty list', [0, 0, 0], false, undefined, { pages: [1], deepestRow: 0 }],
  ] satisfies [string, number[], boolean, number | undefined, object][])(
    'the ends of a list: %s',
    async (_what, counts, hasTimes, rowCount, shown) => {
      const world = new CompanyWorld(counts, hasTimes);
      const pages: number[] = [];
      world.api.onList = (query) => pages.push(Number(query.get('PageNumber')));
      await answersOf(world).readEnds({ from: ago(2), to: DAY }, rowCount);
      const { deepestRow, rowsADay } = world.facts.recibidos;
      expect({ pages, deepestRow, rowsADay: rowsADay?.count }).toEqual({ rowsADay: undefined, ...shown });
    },
  );

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
    ['that gives pages of any size', true, [0, 100, 229], [230, 300]],
    // The last page may begin elsewhere than it was asked for.
    ['of which that is not known', undefined, [0, 100, 199], [229, 230, 300]],
  ] as const)(
    'whether a list has a row at a position, of a service %s',
    async (_what, isAnyPageSizeHonoured, has, lacks) => {
      const world = new CompanyWorld([230]);
      Object.assign(world.facts.recibidos, { longestPage: 100, isAnyPageSizeHonoured });
      const answers = answersOf(world);
      for (const position of [...has, ...lacks])
        expect({ position, hasRow: await answers.hasRow(position, { from: DAY, to: DAY }) }).toEqual({
          position,
          hasRow: (has as readonly number[]).includes(position),
        });
      expect(world.api.requestCount).toBe(has.length + lacks.length);
    },
  );
});
