import { gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { DIRECTIONS } from '../../../lib/api/directions.ts';
import { renderKeptCoverage } from '../../../lib/coverage/kept/kept-coverage.ts';
import { renderCoverageHtml } from '../../../lib/coverage/render-html.ts';
import { writeAudit } from '../../../lib/export/audit.ts';
import type { Unit } from '../../../lib/export/unit-plan.ts';
import type { UnitResult, UnitState } from '../../../lib/export/unit-result.ts';
import { unitKey } from '../../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { ReceiptRows } from '../../../lib/lake/rows/receipt-rows.ts';
import { TABLE_OF } from '../../../lib/lake/tables.ts';
import { addDays, daysBetween } from '../../../lib/time/days.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { issued, received } from '../../support/unit-world.ts';

const RUTS = ['214844360018', '219999830019'] as const;
const FIRST_NIGHT = '2026-11-20';
const DAYS_SHOWN = 6;

/** A lake whose page is written after every run, and which counts what is opened for it. */
class Lake extends MemoryStore {
  opened: string[] = [];
  private readonly receipts = new Map<string, number>();

  constructor() {
    super(() => 0);
  }

  override async open(key: string) {
    this.opened.push(key);
    return await super.open(key);
  }

  put = async (key: string, bytes: Uint8Array): Promise<void> => {
    const expected = await this.find(key);
    await this.replace(key, once(bytes), { metadata: {}, expected });
  };

  /** The page, and that it is what the whole audit makes of it. */
  async page(night: string, runId: string): Promise<string> {
    const nowMs = Date.parse(`${night}T06:00:00Z`);
    this.opened = [];
    const html = await renderKeptCoverage(this, { nowMs, dayCount: DAYS_SHOWN, runId, put: this.put });
    const opened = [...this.opened];
    const range = { from: addDays(night, -DAYS_SHOWN), to: addDays(night, -1) };
    const whole = await renderCoverageHtml(this, { ...range, nowMs, directions: DIRECTIONS });
    expect(contentsOf(html)).toEqual(contentsOf(whole));
    this.opened = opened;
    return html;
  }

  /** A run's audit of some units of one company; what was exported has that many receipts from then on. */
  async run(runId: string, night: string, part: number, units: readonly (Unit & Outcome)[]): Promise<void> {
    const results: UnitResult[] = [];
    for (const { estado, receipts, second, ...unit } of units) {
      const name = Object.values(unit).join(' ');
      if (estado === 'exportado') {
        await this.write(unit, receipts);
        this.receipts.set(name, receipts);
      }
      const filas = estado === 'fallido' ? undefined : (this.receipts.get(name) ?? 0);
      const time = `${night}T02:00:${String(second).padStart(2, '0')}`;
      results.push({ ...BLANK, ...unit, estado, filas, inicio: time, fin: time });
    }
    const run = { id: runId, day: night };
    await writeAudit(this, writeWithHyparquet, run, units[0]?.rut ?? '', part, results);
  }

  private async write({ rut, direccion, fecha }: Unit, receipts: number): Promise<void> {
    const table = TABLE_OF[direccion];
    const rows = new ReceiptRows(table, rut);
    const make = direccion === 'recibidos' ? received : issued;
    for (let id = 1; id <= receipts; id += 1)
      rows.append({ ...make(id), fecha_emision: `${fecha}T00:00:00` });
    const key = unitKey(table.name, fecha, rut);
    const bytes = writeWithHyparquet({ columns: table.columns, rows: rows.sorted(), metadata: {} });
    await this.replace(key, bytes, { metadata: {}, expected: await this.find(key) });
  }
}

/** What the page holds; its script and style are always the same. */
function contentsOf(html: string): unknown[] {
  const [, index = '', texts = ''] =
    /id="index">(.*?)<\/script>.*?id="texts">(.*?)<\/script>/s.exec(html) ?? [];
  const opened = texts
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(String(inflateRawSync(Buffer.from(text, 'base64')))));
  return [JSON.parse(index), ...opened];
}

interface Outcome {
  estado: UnitState;
  receipts: number;
  second: number;
}

const BLANK = { avisos: 0, estable: true, paginas: 1, solicitudes: 2, reintentos: 0, bytes: 100 } as const;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The days before a night, all exported with 3 receipts, unless a test says otherwise. */
function nightly(rut: string, night: string, changes: Partial<Outcome> = {}): (Unit & Outcome)[] {
  const days = daysBetween(addDays(night, -3), addDays(night, -1));
  return days.flatMap((fecha) =>
    DIRECTIONS.map((direccion) => ({
      ...{ rut, direccion, fecha },
      ...{ estado: 'exportado' as const, receipts: 3, second: 1, ...changes },
    })),
  );
}

let lake: Lake;
beforeEach(async () => {
  lake = new Lake();
  for (const rut of RUTS) await lake.run('first', FIRST_NIGHT, 1, nightly(rut, FIRST_NIGHT));
});

const audits = () => lake.opened.filter((key) => key.startsWith('exportaciones/'));
/** Only issued ones: received ones are opened by every page, for the company's name. */
const units = () => lake.opened.filter((key) => key.startsWith('emitidos/'));
const keptKeys = () => [...lake.objects.keys()].filter((key) => key.startsWith('cobertura/'));

describe('the page of a night', () => {
  it('is what the whole audit makes of it, and reads only what came since the last one', async () => {
    await lake.page(FIRST_NIGHT, 'first');
    expect([audits().length, units().length]).toEqual([2, 6]);
    expect(keptKeys()).toEqual(RUTS.map((rut) => `cobertura/empresas/${rut}.json.gz`));

    const night = addDays(FIRST_NIGHT, 1);
    const [a, b] = RUTS;
    await lake.run('second', night, 1, nightly(a, night, { estado: 'sin_cambios', receipts: 3 }));
    const [, changed] = nightly(b, night, { receipts: 5 });
    if (changed === undefined) throw new Error('a night has units');
    await lake.run('second', night, 1, [changed]);
    await lake.page(night, 'second');
    expect(audits()).toEqual(
      RUTS.map((rut) => `exportaciones/fecha_corrida=${night}/second-${rut}-1.parquet`),
    );
    expect(units()).toEqual([unitKey('emitidos', changed.fecha, b)]);

    const replaced = lake.replaced.length;
    await lake.page(night, 'third');
    expect([audits(), units()]).toEqual([[], []]);
    expect(lake.replaced).toHaveLength(replaced);
  });

  it('knows a day that was read ahead of its turn', async () => {
    const [rut] = RUTS;
    const ahead = { rut, direccion: 'emitidos', fecha: addDays(FIRST_NIGHT, 2) } as const;
    await lake.run('ahead', FIRST_NIGHT, 1, [{ ...ahead, estado: 'exportado', receipts: 7, second: 3 }]);
    await lake.page(FIRST_NIGHT, 'ahead');
    await lake.page(addDays(FIRST_NIGHT, 3), 'later');
    expect(audits()).toEqual([]);
    expect(units()).toEqual([unitKey('emitidos', ahead.fecha, rut)]);
  });

  it('forgets days and runs that are too old', async () => {
    await lake.page(FIRST_NIGHT, 'first');
    const later = addDays(FIRST_NIGHT, 90);
    const [rut] = RUTS;
    await lake.run('later', later, 1, nightly(rut, later));
    await lake.page(later, 'later');
    const kept = gunzipSync(lake.objects.get(`cobertura/empresas/${rut}.json.gz`)?.bytes ?? '').toString();
    expect(JSON.parse(kept)).toMatchObject({ auditKeys: [expect.stringContaining('/later-')] });
    expect(JSON.parse(kept).units).toHaveLength(6);
  });

  it('reads a run anew that was gone on with after its page was written', async () => {
    await lake.page(FIRST_NIGHT, 'first');
    const [rut] = RUTS;
    await lake.run('first', FIRST_NIGHT, 1, nightly(rut, FIRST_NIGHT, { receipts: 9, second: 30 }));
    await lake.page(FIRST_NIGHT, 'first');
  });

  it.each([
    ['of another version', gzipSync('{"version":0}')],
    ['cut off', gzipSync('{"version":1,"units":[').subarray(0, 20)],
    ['of something else', Buffer.from('<html>')],
  ])('is made anew from the audit where what was kept is %s', async (_, bytes) => {
    await lake.page(FIRST_NIGHT, 'first');
    for (const key of keptKeys()) await lake.put(key, bytes);
    await lake.page(FIRST_NIGHT, 'second');
    expect(audits()).toHaveLength(2);
    await lake.page(FIRST_NIGHT, 'third');
    expect(audits()).toEqual([]);
  });

  it('says why a unit has no totals, and asks again the next time', async () => {
    const [rut] = RUTS;
    const key = unitKey('emitidos', addDays(FIRST_NIGHT, -1), rut);
    const object = lake.objects.get(key);
    if (object === undefined) throw new Error('the unit was exported');
    await lake.remove(key);
    await lake.page(FIRST_NIGHT, 'first');
    lake.objects.set(key, object);
    await lake.page(FIRST_NIGHT, 'second');
    expect(units()).toEqual([key]);
  });

  it('is given up when the signal comes', async () => {
    const signal = AbortSignal.abort(new Error('out of time'));
    const options = { nowMs: Date.parse(`${FIRST_NIGHT}T06:00:00Z`), dayCount: 6, runId: 'first' };
    const page = renderKeptCoverage(lake, { ...options, put: lake.put, signal });
    await expect(page).rejects.toThrow('out of time');
    expect(keptKeys()).toEqual([]);
  });
});

it('is the same page for any history, whichever runs had one', async () => {
  const outcome = fc.record({
    unit: fc.nat({ max: 11 }),
    company: fc.constantFrom(...RUTS),
    estado: fc.constantFrom<UnitState>('exportado', 'sin_cambios', 'vacio', 'fallido'),
    receipts: fc.nat({ max: 4 }),
    second: fc.nat({ max: 59 }),
  });
  const night = fc.record({
    outcomes: fc.array(outcome, { maxLength: 8 }),
    later: fc.nat({ max: 3 }),
    hasPage: fc.boolean(),
  });
  const written = { unit: 1, company: RUTS[0] ?? '', estado: 'exportado' as const };
  const OLDER_RUN_WRITES_LATER = [
    { outcomes: [{ ...written, receipts: 1, second: 1 }], later: 0, hasPage: true },
    { outcomes: [{ ...written, receipts: 0, second: 0 }], later: 0, hasPage: false },
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 1, maxLength: 6 }), async (nights) => {
      const any = new Lake();
      let day = FIRST_NIGHT;
      for (const [index, { outcomes, later, hasPage }] of nights.entries()) {
        const runId = `run-${index}`;
        for (const [rut, group] of Map.groupBy(outcomes, ({ company }) => company)) {
          const byUnit = new Map(group.map((one) => [one.unit, one]));
          const some = [...byUnit.values()].map(({ unit, estado, receipts, second }) => ({
            rut,
            direccion: unit % 2 === 0 ? ('recibidos' as const) : ('emitidos' as const),
            fecha: addDays(day, -1 - Math.floor(unit / 2)),
            ...{ estado, receipts, second },
          }));
          await any.run(runId, day, 1, some);
        }
        if (hasPage) await any.page(day, runId);
        day = addDays(day, later);
      }
      await any.page(day, 'last');
    }),
    { numRuns: 40, examples: [[OLDER_RUN_WRITES_LATER]] },
  );
});
