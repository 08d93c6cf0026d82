import { describe, expect, it } from 'vitest';
import { findMissingUnits } from '../../lib/audit/history.ts';
import { changesPartKey, listOpenRuns, type Run, runKey } from '../../lib/audit/keys.ts';
import { rowOf } from '../../lib/audit/row.ts';
import { writeAudit } from '../../lib/audit/write.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { rowsOf } from '../../lib/lake/parquet/writer.ts';
import type { LakeStore } from '../../lib/lake/store/store.ts';
import { EXPORTACIONES, type Table } from '../../lib/lake/tables.ts';
import { countRun, finishRun, type RunCount, type SealedCount } from '../../lib/run/finish-run.ts';
import type { RunInput } from '../../lib/run/messages.ts';
import type { Day } from '../../lib/time/days.ts';
import type { Rut } from '../../lib/units/rut.ts';
import type { UnitResult } from '../../lib/units/unit.ts';
import { readOn } from '../support/coverage/coverage-lake.ts';
import { damageObject } from '../support/lake/damage.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { newLake } from '../support/run/sandbox-run.ts';

const A = '211003420017';
const B = '219999830019';
const RUN: RunInput = {
  runId: '20261120020000-nocturna',
  runDay: '2026-11-20',
  from: '2026-11-18',
  to: '2026-11-19',
  directions: ['recibidos'],
  companiesAtOnce: 2,
  ruts: [A, B],
};

const result = (rut: Rut, day: Day, changes: Partial<UnitResult> = {}) =>
  readOn('2026-11-20', { rut, day }, { receipts: 10, startedAt: '2026-11-20T02:00:01', ...changes });

const FAILED = {
  state: 'fallido',
  receipts: undefined,
  error: 'recibidos of a company: no answer.',
} as const;

const toolsOf = (store: LakeStore) => ({ store, writer: writeWithHyparquet });

function audit(store: LakeStore, results: UnitResult[], run: Partial<Run> = {}) {
  return writeAudit(toolsOf(store), { id: RUN.runId, day: RUN.runDay, ...run }, results);
}

describe('finishRun', () => {
  it('sums up a run whose units are all exported', async () => {
    const store = await newLake();
    await audit(store, [result(A, '2026-11-18'), result(A, '2026-11-19', { state: 'sin_cambios' })]);
    await audit(store, [result(B, '2026-11-18', { state: 'vacio', receipts: 0 }), result(B, '2026-11-19')]);
    expect(await finishRun(RUN, toolsOf(store))).toEqual({
      corrida: RUN.runId,
      empresas: 2,
      unidades: 4,
      filas: 30,
      resumen: { exportado: 2, sin_cambios: 1, vacio: 1, fallido: 0 },
    });
  });

  it('uses the last result of a unit that was tried again, by when it began; within a second, the one that did not fail', async () => {
    const store = await newLake();
    await audit(store, [result(A, '2026-11-18', FAILED), result(A, '2026-11-19', FAILED)]);
    await audit(store, [result(A, '2026-11-18'), result(A, '2026-11-19')]);
    expect(await finishRun({ ...RUN, ruts: [A] }, toolsOf(store))).toMatchObject({
      resumen: { exportado: 2, fallido: 0 },
    });
    const later = { ...FAILED, startedAt: '2026-11-20T02:00:05' };
    await audit(store, [result(A, '2026-11-19', later)]);
    await expect(finishRun({ ...RUN, ruts: [A] }, toolsOf(store))).rejects.toThrow(/1 failed/);
  });

  it('fails when a unit failed, and says how many, which and how to list them', async () => {
    const store = await newLake();
    await audit(store, [result(A, '2026-11-18', FAILED), result(A, '2026-11-19')]);
    await audit(store, [result(B, '2026-11-18'), result(B, '2026-11-19')]);
    const finishing = finishRun(RUN, toolsOf(store));
    await expect(finishing).rejects.toMatchObject({ name: 'RunFailedError' });
    await expect(finishing).rejects.toThrow(
      /^Of 4 units of run 20261120020000-nocturna, 1 failed\. recibidos of a company: no answer\. .*SELECT .* FROM exportaciones/,
    );
  });

  it('fails when details failed, and says that the lists are stored', async () => {
    const store = await newLake();
    const noDetails = { detailState: 'fallido', detailReason: '3 details could not be read.' } as const;
    await audit(store, [result(A, '2026-11-18', noDetails), result(A, '2026-11-19', FAILED)]);
    await audit(store, [
      result(B, '2026-11-18', { detailState: 'omitido', detailReason: 'The day has 10,001 receipts.' }),
      result(B, '2026-11-19', { detailState: 'completo' }),
    ]);
    const counts: RunCount[] = [];
    await expect(finishRun(RUN, toolsOf(store), (count) => void counts.push(count))).rejects.toThrow(
      /, 2 failed \(1 of them only in its details; its list is stored\)\. .*3 details could not be read\. List/,
    );
    expect(counts).toMatchObject([{ receipts: 30, states: { exportado: 2, fallido: 2 }, detailsOnly: 1 }]);
    await audit(store, [
      result(A, '2026-11-18', { detailState: 'completo' }),
      result(A, '2026-11-19', { detailState: 'completo' }),
    ]);
    expect(await finishRun(RUN, toolsOf(store))).toMatchObject({ resumen: { exportado: 4, fallido: 0 } });
  });

  it('records what has no result as failed, so that missing names it though an earlier run exported it', async () => {
    const store = await newLake();
    const earlier = { startedAt: '2026-11-19T02:00:01' };
    const ofUnits = (...days: Day[]) =>
      days.flatMap((day) => [result(A, day, earlier), result(B, day, earlier)]);
    await audit(store, ofUnits('2026-11-18', '2026-11-19'), {
      id: '20261119020000-nocturna',
      day: '2026-11-19',
    });
    await audit(store, [result(A, '2026-11-18')]);
    const counts: unknown[] = [];
    const onCount = (count: unknown) => void counts.push(count);
    await expect(finishRun(RUN, toolsOf(store), onCount)).rejects.toThrow('3 are missing');
    const { missing } = await findMissingUnits(store, RUN.ruts, RUN.directions, ['2026-11-18', '2026-11-19']);
    const error = `Run ${RUN.runId} has not recorded what became of this unit. Unless it is under way, export it again.`;
    expect(missing.map(({ rut, day, reason, error: why }) => [rut, day, reason, why])).toEqual([
      [A, '2026-11-19', 'failed', error],
      [B, '2026-11-19', 'failed', error],
      [B, '2026-11-18', 'failed', error],
    ]);
    expect(await listOpenRuns(store)).not.toContainEqual({ id: RUN.runId, day: RUN.runDay });
    // As where Step Functions calls it again.
    await expect(finishRun(RUN, toolsOf(store), onCount)).rejects.toThrow('3 are missing');
    expect(counts).toMatchObject([
      { missing: 3, states: { fallido: 0 } },
      { missing: 3, states: { fallido: 0 } },
    ]);
  });

  it('fails where the audit is damaged, and names it; the others are counted', async () => {
    const store = await newLake();
    const both = (rut: Rut) => [result(rut, '2026-11-18'), result(rut, '2026-11-19')];
    await audit(store, both(A));
    await audit(store, both(B));
    let key = '';
    for await (const part of store.list('.open-runs')) if (part.includes(B)) key = part;
    await damageObject(store, key);
    const counts: RunCount[] = [];
    await expect(finishRun(RUN, toolsOf(store), (count) => void counts.push(count))).rejects.toThrow(
      /^Of 4 units .*, 2 are missing .* and parts of the audit or of the changes cannot be read\. \.open-runs/,
    );
    expect(counts).toMatchObject([
      { units: 4, missing: 2, states: { exportado: 2 }, damaged: [expect.stringContaining(key)] },
    ]);
    // A later part has all units again, but the damaged one may differ.
    await audit(store, both(B));
    await expect(finishRun(RUN, toolsOf(store))).rejects.toThrow(`cannot be read. ${key} in `);
  });

  it('passes when it is called again, as by a redrive, once what was damaged is restored', async () => {
    const store = new MemoryStore(() => 0);
    await audit(store, [result(A, '2026-11-18'), result(A, '2026-11-19')]);
    const [key = ''] = store.objects.keys();
    const whole = store.objects.get(key);
    await damageObject(store, key);
    await expect(finishRun({ ...RUN, ruts: [A] }, toolsOf(store))).rejects.toThrow(key);
    await expect(finishRun({ ...RUN, ruts: [A] }, toolsOf(store))).rejects.toThrow(key);
    if (whole !== undefined) store.objects.set(key, whole);
    expect(await finishRun({ ...RUN, ruts: [A] }, toolsOf(store))).toMatchObject({
      resumen: { exportado: 2, fallido: 0 },
    });
  });

  it('fails where changes that it recorded are damaged, and names them', async () => {
    const store = await newLake();
    await audit(store, [result(A, '2026-11-18'), result(A, '2026-11-19')]);
    const unit = { rut: B, direction: 'emitidos', day: '2026-11-18' } as const;
    const key = changesPartKey({ id: RUN.runId, day: RUN.runDay }, unit, '0'.repeat(32));
    async function* zeros(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(3_000);
    }
    await store.replace(key, zeros(), { metadata: {}, expected: undefined });
    await expect(finishRun({ ...RUN, ruts: [A] }, toolsOf(store))).rejects.toThrow(key);
  });

  it('does not mistake another run’s audit for its own', async () => {
    const store = await newLake();
    const all = [result(A, '2026-11-18'), result(A, '2026-11-19')];
    await audit(store, all, { id: '20261119020000-nocturna' });
    await audit(store, all, { day: '2026-11-19' });
    expect(await countRun(store, { ...RUN, ruts: [A] }, 5)).toMatchObject({ missing: 2 });
  });
});

describe('what a run found', () => {
  const found = async (store: LakeStore, run = RUN) => {
    const counts: SealedCount[] = [];
    await finishRun(run, toolsOf(store), (count) => void counts.push(count)).catch(() => undefined);
    return counts[0];
  };

  it('is counted for each company of which anything is new, with what failed and what is missing', async () => {
    const store = await newLake();
    const C = '218617380010';
    await audit(store, [
      result(A, '2026-11-18', { appeared: 2, changed: 1, vanished: 1, rejected: 1 }),
      result(A, '2026-11-19', { appeared: 0, isFirstReading: true }),
      result(B, '2026-11-18', { ...FAILED, appeared: undefined }),
      result(C, '2026-11-18', { appeared: 0 }),
      result(C, '2026-11-19', { appeared: 0, state: 'sin_cambios' }),
    ]);
    expect((await found(store, { ...RUN, ruts: [C, B, A] }))?.findings).toEqual([
      { rut: A, fresh: 12, changed: 1, vanished: 1, rejected: 1, failed: 0 },
      { rut: B, fresh: 0, changed: 0, vanished: 0, rejected: 0, failed: 2 },
    ]);
  });

  it('has each field that the contract does not name, and says which ones no earlier run has found lately', async () => {
    const store = await newLake();
    const both = (fields: Record<string, number>) =>
      [result(A, '2026-11-18'), result(B, '2026-11-18')].map((unit) => ({
        ...unit,
        unknownFields: new Map(Object.entries(fields)),
      }));
    const known = { direction: 'recibidos', path: 'known', receipts: 2 };
    const fresh = { direction: 'recibidos', path: 'fresh', receipts: 6 };
    await audit(store, both({ known: 1, old: 1 }), { id: '20261119020000-00000001', day: '2026-11-19' });
    await audit(store, both({ fresh: 1 }), { id: '20260801020000-00000001', day: '2026-08-01' });
    await audit(store, both({ fresh: 1 }), { id: '20261121020000-00000001', day: '2026-11-21' });
    await audit(store, both({ known: 1, fresh: 3 }));
    expect(await found(store)).toMatchObject({ unknownFields: [fresh, known], newFields: [fresh] });
    // Where the step is repeated, the run's own rows make nothing known.
    expect(await found(store)).toMatchObject({ newFields: [fresh] });
  });

  it('is read of objects from before these columns, in the run itself and in earlier ones', async () => {
    const store = await newLake();
    const added = new Set(['primera_lectura', 'rechazadas', 'campos_desconocidos']);
    const older: Table = {
      ...EXPORTACIONES,
      columns: EXPORTACIONES.columns.filter(({ name }) => !added.has(name)),
    };
    const writeOlder = async (run: Run, units: UnitResult[]) => {
      const rows = units.map((unit) => rowOf(run, unit));
      const bytes = writeWithHyparquet({
        columns: older.columns,
        rows: rowsOf(older.columns, rows),
        metadata: {},
      });
      await store.replace(runKey(older, run), bytes, { metadata: {}, expected: undefined });
    };
    await writeOlder({ id: '20261119020000-00000001', day: '2026-11-19' }, [result(A, '2026-11-18')]);
    await writeOlder({ id: RUN.runId, day: RUN.runDay }, [result(A, '2026-11-18', { appeared: 2 })]);
    const unknownFields = new Map([['nuevo', 1]]);
    await audit(store, [result(A, '2026-11-19', { appeared: 0, unknownFields, isFirstReading: true })]);
    const field = { direction: 'recibidos', path: 'nuevo', receipts: 1 };
    expect(await found(store, { ...RUN, ruts: [A] })).toMatchObject({
      missing: 0,
      findings: [{ rut: A, fresh: 12, changed: 0, vanished: 0, rejected: 0, failed: 0 }],
      unknownFields: [field],
      newFields: [field],
      damaged: [],
    });
  });
});
