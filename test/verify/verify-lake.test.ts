import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openApiSession } from '../../lib/api/access.ts';
import { ConnectionPool } from '../../lib/api/connection-pool.ts';
import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { DIRECTIONS, type Unit } from '../../lib/units/unit.ts';
import { verifyLake } from '../../lib/verify/verify-lake.ts';
import { isEqual, type UnitVerification } from '../../lib/verify/verify-unit.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { failingDay, pageFault, refusing, rewritten } from '../support/api/faults.ts';
import { companiesOf, exportRun } from '../support/export/export-run.ts';
import { HurriedClock } from '../support/fake-clock.ts';
import { damageObject } from '../support/lake/damage.ts';
import { editUnit, type LakeRow, versionsOf } from '../support/lake/lake-edit.ts';

const RUT = '219999830019';
const OTHER_RUT = '214844360018';
const DAYS = ['2026-11-18', '2026-11-19'] as const;
const RECEIVED: Unit = { rut: RUT, direction: 'recibidos', day: '2026-11-19' };
const ISSUED: Unit = { rut: OTHER_RUT, direction: 'emitidos', day: '2026-11-18' };
/** More than a page, so that a list takes more than one request. */
const RECEIPTS = 105;
const CENT = 1n;
const BEHAVIOUR = { ...DEFAULT_BEHAVIOUR, lateArrivals: false };

type Rewrite = Parameters<typeof rewritten>[0];

/** Until the test ends. */
function rewrite(change: Rewrite): void {
  sandbox.behave({ intercept: rewritten(change) });
}

let sandbox: Sandbox;
/** A lake that holds what the sandbox has. */
let exported: string;
/** The running test's copy of it. */
let folder: string;
let store: FolderStore;
const pool = new ConnectionPool();
beforeAll(async () => {
  sandbox = await startSandbox({
    now: '2026-11-25T03:00:00',
    companyCount: 2,
    receiptsPerDay: RECEIPTS,
    longAmounts: true,
    behaviour: BEHAVIOUR,
  });
  exported = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  store = new FolderStore(exported);
  const run = { id: 'test', day: '2026-11-25' } as const;
  await exportRun({ ...common(), run, writer: writeWithHyparquet, companiesAtOnce: 2 });
});
afterAll(async () => {
  await pool.destroy();
  await sandbox.close();
  await rm(exported, { recursive: true });
});

beforeEach(async () => {
  sandbox.behave(BEHAVIOUR);
  folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  await cp(exported, folder, { recursive: true });
  store = new FolderStore(folder);
});
afterEach(() => rm(folder, { recursive: true }));

function common() {
  const session = openApiSession({ address: new URL(sandbox.url), pool, clock: new HurriedClock() });
  const companies = companiesOf(sandbox);
  return { companies, directions: DIRECTIONS, days: DAYS, session, store, maxInFlight: 4 };
}

function verified({ isLegacy = false, maxExamples = 10 } = {}): Promise<UnitVerification[]> {
  return verifyLake({ ...common(), isLegacy, maxExamples });
}

function verificationOf(results: readonly UnitVerification[], unit: Unit): UnitVerification | undefined {
  return results.find(
    ({ rut, direction, day }) => rut === unit.rut && direction === unit.direction && day === unit.day,
  );
}

function replaceRow(rows: LakeRow[], index: number, change: LakeRow): LakeRow[] {
  return rows.map((row, at) => (at === index ? { ...row, ...change } : row));
}

describe.each([{ isLegacy: false }, { isLegacy: true }])('compared with the API (%o)', ({ isLegacy }) => {
  it('a lake that holds just what the API lists is equal, and stays untouched', async () => {
    const before = await versionsOf(store);
    const results = await verified({ isLegacy });
    expect(results).toHaveLength(8);
    for (const result of results) {
      expect(result).toMatchObject({ equal: RECEIPTS, missing: 0, extra: 0, different: 0, vanished: 0 });
      expect(isEqual(result)).toBe(true);
    }
    expect(await versionsOf(store)).toEqual(before);
  });

  it('finds a cent, a row too few and a row too many, and nothing else', async () => {
    await editUnit(store, RECEIVED, (rows) => {
      const total = rows[7]?.totales_total_pagar;
      return replaceRow(rows, 7, { totales_total_pagar: typeof total === 'bigint' ? total + CENT : CENT });
    });
    const changedId = await idAt(RECEIVED, 7);
    const removedId = await idAt(ISSUED, 100);
    await editUnit(store, ISSUED, (rows) => [
      ...rows.filter((_, index) => index !== 100),
      { ...rows[0], id: 42n },
    ]);

    const results = await verified({ isLegacy });

    expect(verificationOf(results, RECEIVED)).toMatchObject({
      equal: RECEIPTS - 1,
      missing: 0,
      extra: 0,
      different: 1,
      examples: [{ kind: 'different', id: String(changedId), fields: [{ field: 'totales_total_pagar' }] }],
    });
    const [{ lake, api } = { lake: null, api: null }] =
      verificationOf(results, RECEIVED)?.examples[0]?.fields ?? [];
    expect(cents(lake) - cents(api)).toBe(CENT);
    expect(verificationOf(results, ISSUED)).toMatchObject({
      equal: RECEIPTS - 1,
      missing: 1,
      extra: 1,
      different: 0,
      examples: [
        { kind: 'missing', id: String(removedId), fields: [] },
        { kind: 'extra', id: '42', fields: [] },
      ],
    });
    expect(results.filter((result) => !isEqual(result))).toHaveLength(2);
  });
});

async function idAt(unit: Unit, index: number): Promise<bigint> {
  const receipts = [...sandbox.truth(unit.rut, unit.direction, unit.day)];
  return receipts.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1))[index] ?? 0n;
}

/** From a text such as `1234.56`. */
function cents(text: string | null): bigint {
  return BigInt((text ?? '0.00').replace('.', ''));
}

describe('what the lake has marked as gone', () => {
  const LAST_SEEN = BigInt(Date.UTC(2026, 10, 20, 3)) * 1000n;

  it('is neither missing nor extra, and counted apart', async () => {
    await editUnit(store, RECEIVED, (rows) => [
      { ...rows[0], id: 42n, visto_por_ultima_vez: LAST_SEEN },
      ...rows,
    ]);
    const result = verificationOf(await verified(), RECEIVED);
    expect(result).toMatchObject({ equal: RECEIPTS, missing: 0, extra: 0, different: 0, vanished: 1 });
    expect(result && isEqual(result)).toBe(true);
  });

  it('is a difference once the API lists it again', async () => {
    await editUnit(store, RECEIVED, (rows) => replaceRow(rows, 3, { visto_por_ultima_vez: LAST_SEEN }));
    expect(verificationOf(await verified(), RECEIVED)).toMatchObject({
      equal: RECEIPTS - 1,
      different: 1,
      vanished: 0,
      examples: [{ fields: [{ field: 'visto_por_ultima_vez', lake: '2026-11-20T03:00:00', api: null }] }],
    });
  });
});

describe('a lake that is not as an export leaves it', () => {
  it('lacks every receipt where the unit has no object', async () => {
    await store.remove(unitKey('recibidos', RECEIVED.day, RUT));
    const result = verificationOf(await verified({ maxExamples: 3 }), RECEIVED);
    expect(result).toMatchObject({ equal: 0, missing: RECEIPTS, extra: 0 });
    expect(result?.examples).toHaveLength(3);
  });

  it('has a receipt twice: the second is one too many', async () => {
    await editUnit(store, RECEIVED, (rows) => [...rows, { ...rows[5], totales_total: 1n }]);
    expect(verificationOf(await verified(), RECEIVED)).toMatchObject({
      equal: RECEIPTS,
      extra: 1,
      different: 0,
      examples: [{ kind: 'twice', id: String(await idAt(RECEIVED, 5)) }],
    });
  });
});

it('names every column of a receipt that differs, cut to a readable length', async () => {
  const name = 'Ñ'.repeat(500);
  await editUnit(store, RECEIVED, (rows) =>
    replaceRow(rows, 0, { emisor_razon_social: name, moneda: null, forma_pago: 9 }),
  );
  const fields = verificationOf(await verified(), RECEIVED)?.examples[0]?.fields ?? [];
  expect(fields.map(({ field }) => field)).toEqual(['forma_pago', 'moneda', 'emisor_razon_social']);
  expect(fields[1]?.lake).toBeNull();
  expect(fields[2]?.lake).toMatch(/^Ñ{80}…$/);
});

it('believes nothing that earlier runs proved of the service: since then it may hide days from wide lists', async () => {
  for (const day of DAYS) await editUnit(store, { ...RECEIVED, day }, () => []);
  sandbox.behave({ maxRangeDays: 1, overRange: 'empty' });
  const results = await verified();
  for (const day of DAYS)
    expect(verificationOf(results, { ...RECEIVED, day })).toMatchObject({ missing: RECEIPTS });
});

it('says of a unit that can’t be read why, and compares the others', async () => {
  sandbox.behave({ intercept: refusing(RUT) });
  const results = await verified();
  for (const result of results) {
    expect(isEqual(result)).toBe(result.rut !== RUT);
    if (result.rut === RUT) expect(result.error).toMatch(/refused the token/);
  }
});

it('doesn’t compare columns that the legacy list lacks, and says which', async () => {
  rewrite((body, { endpoint }) =>
    endpoint === 'legacy'
      ? body.replaceAll(/"moneda":("[A-Z]+"|null),/g, '').replaceAll('}]', ',"extra":1}]')
      : body,
  );
  const results = await verified({ isLegacy: true });
  expect(results.every(isEqual)).toBe(true);
  for (const { direction, notCompared } of results) {
    expect([...notCompared].sort()).toEqual(direction === 'recibidos' ? ['moneda', 'otros'] : ['otros']);
  }
});

it('reads the legacy list where the paged one can’t be proved to its end', async () => {
  sandbox.behave({ intercept: pageFault('short', 2, true), pageSizeIgnored: 100 });
  expect((await verified({ isLegacy: true })).every(isEqual)).toBe(true);
  expect((await verified()).some(isEqual)).toBe(false);
});

describe('the legacy list, whose bounds are not documented,', () => {
  const legacy = () => verified({ isLegacy: true });

  /** As if FechaHasta's day were not in the list. */
  const withoutLastDay: Rewrite = (body, { endpoint, address }) => {
    if (endpoint !== 'legacy') return body;
    const to = /FechaHasta=([\d-]+)/.exec(address)?.[1];
    const rows = body.slice(1, -1).split(/,(?=\{"id":)/);
    return `[${rows.filter((row) => !row.includes(`"fecha_emision":"${to}`)).join(',')}]`;
  };

  it.each<[string, Partial<SandboxBehaviour>]>([
    ['refuses two days', { maxRangeDays: 1, overRange: '400' }],
    ['is empty for two days', { maxRangeDays: 1, overRange: 'empty' }],
    ['has the last day of two', { maxRangeDays: 1, overRange: 'last' }],
    ['has the first day of two', { maxRangeDays: 1, overRange: 'first' }],
    ['fails with the day after', { intercept: failingDay({ day: '2026-11-20' }) }],
    ['excludes the day of its bound', { intercept: rewritten(withoutLastDay) }],
  ])('holds just the day’s receipts where it %s', async (_, behaviour) => {
    sandbox.behave(behaviour);
    for (const unit of await legacy()) expect(unit).toMatchObject({ equal: RECEIPTS, extra: 0, missing: 0 });
  });

  it('is asked for the day alone where receipts have no issue date', async () => {
    rewrite((body, { endpoint }) =>
      endpoint === 'legacy' ? body.replaceAll(/"fecha_emision":"[^"]*",/g, '') : body,
    );
    const results = await legacy();
    for (const { equal, notCompared } of results) {
      expect(equal).toBe(RECEIPTS);
      expect(notCompared).toContain('fecha_emision');
    }
  });

  it('is not compared where it says neither whose day a receipt is nor what the day has', async () => {
    rewrite((body, request) => {
      const rest = withoutLastDay(body, request);
      return request.endpoint === 'legacy' ? rest.replaceAll(/"fecha_emision":"[^"]*",/g, '') : rest;
    });
    for (const unit of await legacy()) {
      expect(unit).toMatchObject({ equal: 0, extra: 0, missing: 0 });
      expect(unit.error).toMatch(/legacy list .* is empty.* no issue date.* leave out --legacy/);
    }
  });
});

describe('an object that is not as it was written', () => {
  const key = unitKey('recibidos', RECEIVED.day, RECEIVED.rut);

  /** Their receipts would be named. */
  async function linkToTheirs(): Promise<void> {
    await rm(join(folder, key));
    await symlink(join(exported, unitKey('recibidos', RECEIVED.day, OTHER_RUT)), join(folder, key));
  }

  it.each([
    ['its bytes', () => damageObject(store, key)],
    ['a link to another company’s', linkToTheirs],
    [
      'another company’s rows',
      () => editUnit(store, RECEIVED, (rows) => replaceRow(rows, 7, { rut: OTHER_RUT })),
    ],
  ])('is a difference of its own, and the other units are compared: %s', async (_, damage) => {
    await damage();
    const results = await verified();
    const result = verificationOf(results, RECEIVED);
    expect(result).toMatchObject({
      equal: 0,
      damaged: expect.stringContaining(`${key} in ${folder} is damaged`),
    });
    expect(result?.error).toBeUndefined();
    expect(results.filter((unit) => !isEqual(unit))).toEqual([result]);
  });
});
