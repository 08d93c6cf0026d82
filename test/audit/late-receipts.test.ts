import { describe, expect, it } from 'vitest';
import { closeRuns } from '../../lib/audit/close.ts';
import { type Run, runKey } from '../../lib/audit/keys.ts';
import { PlanKeeper, plannedAlike } from '../../lib/audit/plan.ts';
import { writeAudit } from '../../lib/audit/write.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { CAMBIOS, EXPORTACIONES } from '../../lib/lake/tables.ts';
import { publishLagging } from '../../lib/publish/publish-days.ts';
import { uruguayDateTime, uruguayDay } from '../../lib/time/days.ts';
import { DAY, RUT, received, UnitWorld } from '../support/export/unit-world.ts';
import { damageObject } from '../support/lake/damage.ts';
import { FaultyStore } from '../support/lake/faulty-store.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { type Row, rowsIn, textUnit } from '../support/lake/text-rows.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
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

  /** Reads the unit in a run that begins at this local time. The run is planned and not closed. */
  async read(at: string, ids: readonly number[] | 'failing'): Promise<Run> {
    const { world } = this;
    await world.clock.advance(Date.parse(`${at}:00-03:00`) - HOUR_MS - world.clock.now());
    this.runs += 1;
    const run = { id: `night-${this.runs}`, day: uruguayDay(world.clock.now() + HOUR_MS) };
    await new PlanKeeper(this.store, run, plannedAlike([RUT], ['recibidos'], [DAY]), world.clock).renew();
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
    const companies = plannedAlike([RUT], ['recibidos'], [DAY]);
    const plan = { run, startedAtMs: this.world.clock.now(), companies };
    return closeRuns(this.tools, this.world.clock.now(), plan);
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

  it('are told of once by a publication if the run died, and so did the next one, which changed them', async () => {
    const nights = new Nights();
    await nights.night(FIRST_NIGHT, []);
    await nights.read('2026-11-21T02:00', [1, 2]);
    await nights.read('2026-11-21T14:00', [2, 3]);
    await nights.world.clock.advance(31 * MINUTE_MS);
    const nowMs = nights.world.clock.now();
    expect(await publishLagging(nights.store, writeWithHyparquet, { nowMs })).toMatchObject({ problems: [] });
    expect((await nights.told()).toSorted()).toEqual([
      'night-2 1 aparecio',
      'night-2 2 aparecio',
      'night-3 1 desaparecio',
      'night-3 3 aparecio',
    ]);
  });

  it('are told of if the run died, apart from what the next one changed before it closed both', async () => {
    const nights = new Nights();
    await nights.night(FIRST_NIGHT, []);
    await nights.read('2026-11-21T02:00', [1, 2]);
    await nights.night('2026-11-21T14:00', [2, 3]);
    expect((await nights.told()).toSorted()).toEqual([
      'night-2 1 aparecio',
      'night-2 2 aparecio',
      'night-3 1 desaparecio',
      'night-3 3 aparecio',
    ]);
  });

  it('cost one reading of each earlier run, however many of them are still to be published', async () => {
    const nights = new Nights();
    const opened: string[] = [];
    const { open } = nights.memory;
    nights.memory.open = (key) => {
      opened.push(key);
      return open.call(nights.memory, key);
    };
    for (let night = 20; night < 28; night += 1) {
      const run = await nights.read(`2026-11-${night}T02:00`, [night]);
      opened.length = 0;
      expect(await nights.close(run)).toEqual([]);
    }
    const counts = Map.groupBy(opened, (key) => key);
    for (let night = 1; night < 8; night += 1) {
      const key = runKey(EXPORTACIONES, {
        id: `night-${night}`,
        day: `2026-11-${19 + night}` as '2026-11-20',
      });
      // It is closed already, which a look at its footer shows, and is asked for the unit.
      expect(counts.get(key)?.length).toBeLessThanOrEqual(3);
    }
  });

  it.each(['refused', 'lost', 'killed'] as const)(
    'are told of once, whichever step of closing is %s',
    async (fault) => {
      let steps = 0;
      for (let hasFailed = true; hasFailed; steps += 1) {
        const nights = new Nights();
        await nights.night(FIRST_NIGHT, []);
        const late = await nights.read('2026-11-21T02:00', [1, 2]);
        nights.store.failAfter(steps, fault);
        await nights.close(late).catch(() => undefined);
        hasFailed = nights.store.mend();
        // The run's process is gone; another one finds the plan.
        await nights.world.clock.advance(31 * MINUTE_MS);
        await closeRuns(nights.tools, nights.world.clock.now());
        expect(await nights.told()).toEqual(['night-2 1 aparecio', 'night-2 2 aparecio']);
      }
      // The audit and its part, the late receipts' part, their object, and the part again.
      expect(steps).toBe(6);
    },
  );

  it('are not told of while the audit is damaged; closing the run says so, and tells once it is whole', async () => {
    const nights = new Nights();
    const first = await nights.night(FIRST_NIGHT, []);
    const key = runKey(EXPORTACIONES, first);
    const whole = nights.memory.objects.get(key);
    await damageObject(nights.memory, key);
    const late = await nights.read('2026-11-21T02:00', [1]);
    expect(await nights.close(late)).toEqual([expect.stringContaining(key)]);
    expect(await nights.told()).toEqual([]);
    if (whole !== undefined) nights.memory.objects.set(key, whole);
    expect(await nights.close(late)).toEqual([]);
    expect(await nights.told()).toEqual(['night-2 1 aparecio']);
  });

  it('are told of once the audit is whole again, although another run had closed all that this one recorded', async () => {
    const nights = new Nights();
    const key = runKey(EXPORTACIONES, await nights.night(FIRST_NIGHT, []));
    const late = await nights.read('2026-11-21T02:00', [1]);
    // By that one's clock, this run is still active.
    expect(await closeRuns(nights.tools, nights.world.clock.now() - HOUR_MS)).toEqual([]);
    const whole = nights.memory.objects.get(key);
    await damageObject(nights.memory, key);
    expect(await nights.close(late)).toEqual([expect.stringContaining(key)]);
    if (whole !== undefined) nights.memory.objects.set(key, whole);
    expect(await nights.close(late)).toEqual([]);
    expect(await nights.told()).toEqual(['night-2 1 aparecio']);
  });

  it('are not told of by a publication that finds the audit damaged, and it says so', async () => {
    const nights = new Nights();
    const key = runKey(EXPORTACIONES, await nights.night(FIRST_NIGHT, []));
    await damageObject(nights.memory, key);
    await nights.read('2026-11-21T02:00', [1]);
    await nights.world.clock.advance(31 * MINUTE_MS);
    const nowMs = nights.world.clock.now();
    const { problems, failedDays } = await publishLagging(nights.store, writeWithHyparquet, { nowMs });
    expect(failedDays).toBe(0);
    expect(problems).toContainEqual(
      expect.objectContaining({ isOfAudit: true, reason: expect.stringContaining(key) }),
    );
    expect(await nights.told()).toEqual([]);
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
