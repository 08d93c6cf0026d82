import { describe, expect, it } from 'vitest';
import { closeRun } from '../../lib/audit/close.ts';
import { type Run, runKey } from '../../lib/audit/keys.ts';
import { writeAudit } from '../../lib/audit/write.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { CAMBIOS } from '../../lib/lake/tables.ts';
import { uruguayDateTime, uruguayDay } from '../../lib/time/days.ts';
import { RUT, received, UnitWorld } from '../support/export/unit-world.ts';
import { damageObject } from '../support/lake/damage.ts';
import { FaultyStore } from '../support/lake/faulty-store.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { type Row, rowsIn, textUnit } from '../support/lake/text-rows.ts';

const HOUR_MS = 3_600_000;
const FIRST_NIGHT = '2026-11-20T02:00';

/** A unit, the runs that read it, and the closing of each. */
class Nights {
  readonly memory: MemoryStore = new MemoryStore(() => this.world.clock.now());
  readonly store: FaultyStore = new FaultyStore(this.memory);
  readonly world: UnitWorld<FaultyStore> = new UnitWorld('recibidos', () => this.store);
  readonly tools = { store: this.store, writer: writeWithHyparquet };
  private runs = 0;

  constructor() {
    this.world.clock.setBack(48 * HOUR_MS);
  }

  /** Reads the unit in a run that begins at this local time. The run is not closed. */
  async read(at: string, ids: readonly number[] | 'failing'): Promise<Run> {
    const { world } = this;
    await world.clock.advance(Date.parse(`${at}:00-03:00`) - HOUR_MS - world.clock.now());
    this.runs += 1;
    const run = { id: `night-${this.runs}`, day: uruguayDay(world.clock.now() + HOUR_MS) };
    if (ids === 'failing') {
      const moment = uruguayDateTime(world.clock.now());
      const nothing = { misfits: 0, pages: 0, requests: 0, retries: 0, bytes: 0 };
      const failed = { ...world.unit, ...nothing, state: 'fallido' as const };
      await writeAudit(this.tools, run, [
        { ...failed, startedAt: moment, endedAt: moment, error: 'no answer' },
      ]);
      return run;
    }
    world.listed = ids.map((id) => received(id));
    await world.export({ run });
    return run;
  }

  /** As the run's own process does at its end. */
  close(run: Run): Promise<string[]> {
    return closeRun(this.tools, run, { run, units: () => [this.world.unit] });
  }

  async night(at: string, ids: readonly number[] | 'failing'): Promise<Run> {
    const run = await this.read(at, ids);
    expect(await this.close(run)).toEqual([]);
    return run;
  }

  /** Run, receipt and change of all rows of `cambios`, as SQL sees them. */
  async told(): Promise<string[]> {
    const rows: Row[] = [];
    for await (const key of this.memory.list(CAMBIOS.name))
      rows.push(...(await rowsIn(this.memory, key, CAMBIOS)));
    return rows.map(({ corrida, id, cambio }) => `${corrida} ${id} ${cambio}`);
  }
}

describe('receipts of a day that was read empty', () => {
  it.each([
    ['the same day', '2026-11-20T14:00'],
    ['a year later', '2027-11-20T02:00'],
  ])('are told of when they come %s', async (_when, at) => {
    const nights = new Nights();
    await nights.night(FIRST_NIGHT, []);
    await nights.night(at, [1, 2]);
    expect(await nights.told()).toEqual(['night-2 1 aparecio', 'night-2 2 aparecio']);
    const key = runKey(CAMBIOS, { id: 'night-2', day: at.slice(0, 10) as '2026-11-20' });
    const [first] = await rowsIn(nights.memory, key, CAMBIOS);
    const unit = textUnit(await nights.world.rows(), nights.world.table);
    expect(JSON.parse(String(first?.despues))).toMatchObject({
      id: '1',
      ...unit.get('1')?.row,
      fecha_emision: expect.any(String),
      fecha_firma: expect.any(String),
    });
    expect(first).toMatchObject({ rut: RUT, direccion: 'recibidos', campo: null, antes: null, numero: 1 });
    // Each once, whatever follows.
    await nights.night('2027-11-22T02:00', [1, 2, 3]);
    expect(await nights.told()).toEqual(['night-2 1 aparecio', 'night-2 2 aparecio', 'night-3 3 aparecio']);
  });

  it('are told of after a run in between that failed, or found it empty again', async () => {
    const nights = new Nights();
    await nights.night(FIRST_NIGHT, []);
    await nights.night('2026-11-21T02:00', 'failing');
    await nights.night('2026-11-22T02:00', []);
    await nights.night('2026-11-23T02:00', [1]);
    expect(await nights.told()).toEqual(['night-4 1 aparecio']);
  });

  it('are told of once when two runs read them within one second', async () => {
    const nights = new Nights();
    await nights.night(FIRST_NIGHT, []);
    const runs = [await nights.read('2026-11-21T02:00', [1]), await nights.read('2026-11-21T02:00', [1])];
    for (const run of runs) expect(await nights.close(run)).toEqual([]);
    expect(await nights.told()).toEqual(['night-2 1 aparecio']);
  });

  it('are a first reading if no run found it empty when its day was over', async () => {
    const backfill = new Nights();
    await backfill.night('2026-11-23T02:00', [1]);
    expect(await backfill.told()).toEqual([]);

    const failed = new Nights();
    await failed.night(FIRST_NIGHT, 'failing');
    await failed.night('2026-11-21T02:00', [1]);
    expect(await failed.told()).toEqual([]);

    const during = new Nights();
    await during.night('2026-11-19T20:00', []);
    await during.night(FIRST_NIGHT, [1]);
    expect(await during.told()).toEqual([]);
  });

  it('are told of once, however often and by how many the run is closed', async () => {
    const nights = new Nights();
    await nights.night(FIRST_NIGHT, []);
    const late = await nights.read('2026-11-21T02:00', [1, 2]);
    await Promise.all([1, 2, 3].map(() => nights.close(late)));
    const before = new Map(nights.memory.objects);
    await nights.close(late);
    await nights.close(late);
    expect(await nights.told()).toEqual(['night-2 1 aparecio', 'night-2 2 aparecio']);
    expect([...nights.memory.objects.keys()]).toEqual([...before.keys()]);
  });

  it('are not told of while their unit is damaged', async () => {
    const nights = new Nights();
    await nights.night(FIRST_NIGHT, []);
    const late = await nights.read('2026-11-21T02:00', [1]);
    await damageObject(nights.memory, nights.world.key);
    expect(await nights.close(late)).toEqual([expect.stringContaining(nights.world.key)]);
    expect(await nights.told()).toEqual([]);
  });
});
