import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { EXPORTACIONES } from '../../lib/lake/tables.ts';
import { exportPart } from '../../lib/run/export-part.ts';
import { type CompanyEvent, CompanyEventSchema } from '../../lib/run/messages.ts';
import { expectedRow, lakeRows } from '../support/lake-truth.ts';
import { newWorker } from '../support/sandbox-run.ts';

const RUT = '219999830019';

function event(changes: Partial<CompanyEvent> = {}): CompanyEvent {
  return {
    corrida: 'run-1',
    dia: '2026-12-20',
    desde: '2026-11-01',
    hasta: '2026-11-10',
    direcciones: ['recibidos', 'emitidos'],
    rut: RUT,
    parte: 1,
    ...changes,
  };
}

/** Runs out of time after the question has been asked so many times. */
function timeFor(questions: number): () => number {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > questions ? 30_000 : 600_000;
  };
}

const EMPTY = { exportado: 0, sin_cambios: 0, vacio: 0, fallido: 0 };

describe('exportPart', () => {
  it('exports all units of the run when there is time', async () => {
    const { sandbox, store, tools } = await newWorker();
    const { answer, results, handedBack } = await exportPart(event(), tools);
    expect(answer).toEqual({
      ...event(),
      parte: 2,
      pendientes: null,
      fallidas: null,
      resumen: { ...EMPTY, exportado: 20 },
    });
    expect(results).toHaveLength(20);
    expect(handedBack).toBe(0);
    for (const { rut, direccion, fecha } of results) {
      const truth = [...sandbox.truth(rut, direccion, fecha)].map(expectedRow);
      expect(await lakeRows(store, { rut, direccion, fecha })).toMatchObject(truth);
    }
    expect(
      await store.find(`${EXPORTACIONES.name}/fecha_corrida=2026-12-20/run-1-${RUT}-1.parquet`),
    ).toBeDefined();
  });

  it('hands back what it has no time for, and goes on with just that', async () => {
    const { store, tools } = await newWorker();
    let next = event();
    const parts = [];
    for (let round = 0; round < 30; round += 1) {
      const part = await exportPart(next, { ...tools, remainingMs: timeFor(12) });
      parts.push(part);
      // What goes through the states of an execution is JSON.
      next = v.parse(CompanyEventSchema, JSON.parse(JSON.stringify(part.answer)));
      if (part.answer.pendientes === null) break;
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ answer }) => answer.parte)).toEqual(parts.map((_, index) => index + 2));
    const units = parts.flatMap(({ results }) =>
      results.map(({ direccion, fecha }) => `${direccion} ${fecha}`),
    );
    expect(new Set(units).size).toBe(20);
    expect(units).toHaveLength(20);
    const staged = [];
    for await (const key of store.list('.staging')) staged.push(key);
    expect(staged).toEqual([]);
  });

  it('names what failed, and tries just that when it is told to', async () => {
    const { sandbox, tools } = await newWorker();
    sandbox.behave({ failingDay: { rut: RUT, direction: 'emitidos', day: '2026-11-04' } });
    const first = await exportPart(event(), tools);
    expect(first.answer).toMatchObject({
      pendientes: null,
      fallidas: { emitidos: ['2026-11-04'] },
      resumen: { exportado: 19, fallido: 1 },
    });
    sandbox.behave({ failingDay: null });
    const { fallidas } = first.answer;
    const second = await exportPart(event({ parte: 2, pendientes: fallidas }), tools);
    expect(second.answer).toMatchObject({
      parte: 3,
      pendientes: null,
      fallidas: null,
      resumen: { ...EMPTY, exportado: 1 },
    });
  });

  it('keeps the failures of earlier parts until they are tried again', async () => {
    const { sandbox, tools } = await newWorker();
    sandbox.behave({ failingDay: { rut: RUT, direction: 'emitidos', day: '2026-11-04' } });
    const later = event({
      parte: 2,
      pendientes: { recibidos: ['2026-11-01..2026-11-02'], emitidos: ['2026-11-04'] },
      fallidas: { emitidos: ['2026-11-09'] },
    });
    expect((await exportPart(later, tools)).answer).toMatchObject({
      fallidas: { emitidos: ['2026-11-04', '2026-11-09'] },
      resumen: { exportado: 2, fallido: 1 },
    });
  });

  it('begins nothing when there is no time at all, and loses nothing', async () => {
    const { store, tools } = await newWorker();
    const { answer } = await exportPart(event(), { ...tools, remainingMs: () => 25_000 });
    expect(answer).toMatchObject({
      pendientes: { recibidos: ['2026-11-01..2026-11-10'], emitidos: ['2026-11-01..2026-11-10'] },
      fallidas: null,
      resumen: EMPTY,
    });
    const objects = [];
    for await (const key of store.list(EXPORTACIONES.name)) objects.push(key);
    expect(objects).toEqual([]);
  });

  it('fails every unit of a company whose token can not be had, and says why', async () => {
    const { tools } = await newWorker();
    const tokensOf = () => ({
      current: () => Promise.reject(new Error('The secret s could not be read (AccessDeniedException).')),
      renew: () => Promise.reject(new Error('not asked')),
    });
    const { answer, results } = await exportPart(event({ direcciones: ['emitidos'] }), {
      ...tools,
      tokensOf,
    });
    expect(answer).toMatchObject({
      fallidas: { emitidos: ['2026-11-01..2026-11-10'] },
      resumen: { fallido: 10 },
    });
    expect(new Set(results.map(({ error }) => error))).toEqual(
      new Set(['The secret s could not be read (AccessDeniedException).']),
    );
  });
});
