import { describe, expect, it } from 'vitest';
import { listOpenRuns } from '../../lib/audit/keys.ts';
import { dayKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { TABLE_OF } from '../../lib/lake/tables.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { campaign } from '../support/campaign.ts';
import { startSimulation } from '../support/export/simulation.ts';
import { expectedRow, lakeRows } from '../support/lake/lake-truth.ts';
import { type Row, rowsIn } from '../support/lake/text-rows.ts';
import { threeStores } from '../support/lake/three-stores.ts';

const FIRST_NIGHT = '2026-11-20T03:00:00';
const SECOND_NIGHT = '2026-12-01T03:00:00';
const SECOND_NIGHT_MS = Date.parse(`${SECOND_NIGHT}-03:00`);
const DAYS = ['2026-11-18', '2026-11-19'] as const;
const DAYS_OF_TABLES = (['recibidos', 'emitidos'] as const).flatMap((direction) =>
  DAYS.map((day) => ({ direction, day, table: TABLE_OF[direction] })),
);
const COMPANIES = campaign({ quick: 2, long: 3 });
const { stores } = await threeStores();

const textOf = (rows: readonly Row[]) =>
  JSON.stringify(rows, (_name, value) => (typeof value === 'bigint' ? String(value) : value));

// A folder takes more steps than memory, so that more can come between them.
const tried = stores.filter(([where]) => campaign({ quick: where === 'a folder', long: true }));

describe.each(tried)('two exporters, two publishers and a reader at once in %s', (_where, open) => {
  it('see each company’s day whole, old or new, and end with what the API has', async () => {
    const { sandbox, exportAt } = await startSimulation({
      companyCount: COMPANIES,
      receiptsPerDay: 7,
      now: FIRST_NIGHT,
    });
    const store = open(() => SECOND_NIGHT_MS);
    const ruts = sandbox.companies.map(({ rut }) => rut).sort();
    const exportNight = (now: string) => exportAt(now, DAYS, store);
    const publish = () => publishLagging(store, writeWithHyparquet);
    /** The receipts of each company's units. Expects them to be those of the API. */
    const unitTexts = async (): Promise<Map<string, string>> => {
      const texts = new Map<string, string>();
      for (const { direction, day } of DAYS_OF_TABLES) {
        for (const rut of ruts) {
          const rows = await lakeRows(store, { rut, direction, day });
          expect(rows).toEqual([...sandbox.truth(rut, direction, day)].map(expectedRow));
          texts.set(`${direction} ${day} ${rut}`, textOf(rows ?? []));
        }
      }
      return texts;
    };

    await exportNight(FIRST_NIGHT);
    await publish();
    const before = await unitTexts();
    sandbox.setNow(SECOND_NIGHT);

    const seen = new Set<string>();
    const look = async (): Promise<void> => {
      for (const { direction, day, table } of DAYS_OF_TABLES) {
        // A bucket's object may be replaced between two range reads. That fails, and the next look tries again.
        const rows = await rowsIn(store, dayKey(table.name, day), table).catch(() => undefined);
        if (rows === undefined) continue;
        const rowsByCompany = Map.groupBy(rows, ({ rut }) => String(rut));
        seen.add([...rowsByCompany.keys()].join(' '));
        for (const [rut, ofCompany] of rowsByCompany)
          seen.add(`${direction} ${day} ${rut}: ${textOf(ofCompany)}`);
      }
    };
    let isOver = false;
    const untilOver = async (work: () => Promise<unknown>): Promise<void> => {
      while (!isOver) {
        await work();
        await new Promise(setImmediate);
      }
    };
    const others = [publish, publish, look].map(untilOver);
    const nights = await Promise.all([exportNight(SECOND_NIGHT), exportNight(SECOND_NIGHT)]).finally(() => {
      isOver = true;
    });
    await Promise.all(others);
    expect(nights.flat().filter(({ state }) => state === 'fallido')).toEqual([]);
    // By then, all runs are over.
    expect((await publish()).problems).toEqual([]);

    const after = await unitTexts();
    const whole = [ruts.join(' '), ...[...before, ...after].map(([unit, text]) => `${unit}: ${text}`)];
    expect([...after].filter(([unit, text]) => before.get(unit) !== text).length).toBeGreaterThan(3);
    expect([...seen].filter((text) => !whole.includes(text))).toEqual([]);
    seen.clear();
    await look();
    expect([...seen].sort()).toEqual(
      [ruts.join(' '), ...[...after].map(([unit, text]) => `${unit}: ${text}`)].sort(),
    );
    expect(await listOpenRuns(store)).toEqual([]);
    const keys = Object.values(TABLE_OF).map(({ name }) => Array.fromAsync(store.list(name)));
    // One object for each table and day, however many companies and runs there are.
    expect((await Promise.all(keys)).flat().sort()).toEqual(
      DAYS_OF_TABLES.map(({ table, day }) => dayKey(table.name, day)).sort(),
    );
  });
});
