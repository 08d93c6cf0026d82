import { expect, it } from 'vitest';
import { ApiDownError, UnauthorizedError } from '../../../lib/api/errors.ts';
import { type ProvingTools, proveService } from '../../../lib/export/reading/prove-service.ts';
import { noFacts } from '../../../lib/export/reading/service-facts.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { TABLE_OF } from '../../../lib/lake/tables.ts';
import { publishDays } from '../../../lib/publish/publish-days.ts';
import { FakeApi, LISTED_ON } from '../../support/api/fake-api.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
import { DAY, RUT } from '../../support/export/unit-world.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryStore } from '../../support/lake/memory-store.ts';

const CONTEXT = { rut: RUT, direction: 'emitidos' } as const;
/** With the two days more that a run may ask for, nine up to the day before yesterday. */
const WEEK = { from: '2026-11-13', to: DAY } as const;
const [NINTH_LAST, LAST] = ['2026-11-10', '2026-11-18T21:00:00'];

interface WireDates {
  fecha_emision: string;
  [LISTED_ON]: string;
}

/** Proves by companies with issued receipts of these dates, or whose lists are answered by an error or a status. */
async function proved(
  companies: Readonly<Record<string, readonly (string | WireDates)[] | Error | number>>,
  changes: Partial<ProvingTools> = {},
) {
  const asked: string[] = [];
  const clientsOf: string[] = [];
  const clientOf = (rut: string) => {
    clientsOf.push(rut);
    const api = new FakeApi(rut);
    const given = companies[rut] ?? [];
    api.statusFor = (path, query) => {
      const bounds = ['FechaDesde', 'FechaHasta'].map((name) => query.get(name)?.slice(8));
      if ((query.get('pageNumber') ?? query.get('PageNumber')) === '1')
        asked.push(`${rut} ${path.split('/').at(-1)} ${bounds.join('–')}`);
      if (given instanceof Error) throw given;
      return typeof given === 'number' ? given : undefined;
    };
    if (!(given instanceof Error) && typeof given !== 'number')
      api.lists.emitidos = given.map((row, id) => ({
        id,
        receptor: { nro_doc: '211003420017' },
        ...(typeof row === 'string' ? { fecha_emision: row } : row),
      }));
    return api.client();
  };
  const { facts, counts, faults } = await proveService({
    store: new MemoryStore(() => 0),
    ruts: Object.keys(companies),
    daysOf: { emitidos: WEEK },
    clientOf,
    clock: new FakeClock(),
    signal: new AbortController().signal,
    ...changes,
  });
  return { asked, clientsOf, facts, counts, faults: [...faults] };
}

it('a run proves each direction up to the day before yesterday, with one client for each company', async () => {
  const days = { recibidos: { from: WEEK.from, to: '2026-11-16' }, emitidos: WEEK } as const;
  const { facts, ...run } = await proved({ A: [], B: [NINTH_LAST, LAST] }, { daysOf: days });
  const lists = ['recibidos 11–16', 'recibidos 14–16', 'emitidos 10–18'];
  expect(run).toEqual({
    asked: lists.flatMap((list) => [`A ${list}`, `B ${list}`]),
    clientsOf: ['A', 'B'],
    counts: { requests: 6, pages: 6, retries: 0 },
    faults: [],
  });
  expect(facts).toMatchObject({
    recibidos: noFacts(),
    emitidos: { provedWidthDays: 9, isEndDateInclusive: true },
  });
});

it.each([
  ['whose token is refused', new UnauthorizedError(CONTEXT), 1],
  ['that is denied', 403, 1],
  ['that the program cannot ask', new TypeError('any'), 1],
  ['whose lists are refused', 500, 3],
])('a company %s is no witness, and that is told where no other one is', async (_what, answer, times) => {
  const { asked, faults } = await proved({ A: answer, B: [LAST] });
  expect(asked.filter((list) => list.startsWith('A'))).toHaveLength(times);
  expect(faults).toEqual([]);
  const utc = { fecha_emision: '2026-11-09T21:00:00', [LISTED_ON]: NINTH_LAST };
  const ofUtc = await proved({ A: answer, B: [utc, `${NINTH_LAST}T10:00:00`, '2026-11-18T10:00:00'] });
  expect(ofUtc).toMatchObject({ faults: [], facts: { emitidos: { isMidnightInclusive: false } } });
  const alone = await proved({ A: answer });
  const fault: unknown = answer instanceof Error ? answer : expect.objectContaining({ status: answer });
  expect(alone.faults).toEqual([['emitidos', fault]]);
});

it('a list with a day that was not asked for is no witness, nor is any company once the API is down', async () => {
  const stray = { fecha_emision: '2026-10-01', [LISTED_ON]: LAST };
  const { facts } = await proved({ A: [NINTH_LAST, stray, LAST] });
  expect(facts.emitidos.provedWidthDays).toBe(1);
  const down = new ApiDownError(CONTEXT, { text: 'any', isRefusal: false }, true);
  const { asked, faults } = await proved({ A: down, B: [NINTH_LAST, LAST] });
  expect({ asked, faults }).toEqual({ asked: ['A emitidos 10–18'], faults: [['emitidos', down]] });
});

it('a company of the lake is asked first, for the ends of a list whose length the lake knows', async () => {
  const world = new CompanyWorld([300, 0, 0, 0, 0, 0, 0, 0, 300, 1], true);
  await world.export();
  const days = world.days.map((day) => ({ table: TABLE_OF.recibidos, day }));
  await publishDays(world.store, writeWithHyparquet, days);
  const pages: string[] = [];
  world.api.onList = (query) =>
    pages.push(`${query.get('FechaDesde')}–${query.get('FechaHasta')} ${query.get('PageNumber')}`);
  const ofLake = { store: world.store, ruts: ['A', RUT], clientOf: () => world.api.client() };
  const { facts } = await proved({}, { ...ofLake, daysOf: { recibidos: WEEK } });
  expect(pages).toEqual([1, 6, 7].map((page) => `2026-11-10–2026-11-18 ${page}`));
  expect(facts.recibidos).toMatchObject({ provedWidthDays: 9, rowsADay: { rut: RUT, count: 600 / 9 } });
});

it('once time is up nothing more is asked, although the lake does not answer, and that is told', async () => {
  const end = new AbortController();
  const store = new MemoryStore(() => 0);
  store.list = async function* () {
    await Promise.resolve();
    end.abort(new Error('time is up'));
    yield await new Promise<never>(() => undefined);
  };
  const { faults } = await proved({ A: [LAST] }, { store, signal: end.signal });
  expect(faults).toEqual([['emitidos', end.signal.reason]]);
  expect(await proved({ A: [LAST] }, { store, signal: end.signal })).toMatchObject({ clientsOf: [], faults });
});
