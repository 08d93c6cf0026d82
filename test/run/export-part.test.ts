import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { listParts } from '../../lib/audit/keys.ts';
import { readAudit } from '../../lib/audit/read.ts';
import { sealRuns } from '../../lib/audit/seal.ts';
import { EXPORTACIONES } from '../../lib/lake/tables.ts';
import { countDetails, exportPart } from '../../lib/run/export-part.ts';
import { type CompanyEvent, CompanyEventSchema, inSpanish } from '../../lib/run/messages.ts';
import { SettingsSchema } from '../../lib/stack/settings.ts';
import { DIRECTIONS } from '../../lib/units/unit.ts';
import type { SandboxBehaviour } from '../../sandbox/behaviour.ts';
import { failingDay, rewritten } from '../support/api/faults.ts';
import { campaign } from '../support/campaign.ts';
import { readOn } from '../support/coverage/coverage-lake.ts';
import { expectedRow, lakeRows } from '../support/lake/lake-truth.ts';
import { newWorker } from '../support/run/sandbox-run.ts';

const RUT = '219999830019';

function event(changes: Partial<CompanyEvent> = {}): CompanyEvent {
  return {
    runId: '20261220020000-00000001',
    runDay: '2026-12-20',
    from: '2026-11-01',
    to: '2026-11-10',
    directions: ['recibidos', 'emitidos'],
    companiesAtOnce: 2,
    details: null,
    rut: RUT,
    part: 1,
    ...changes,
  };
}

/** The remaining time, which runs out after it was asked for this many times. */
function timeFor(questions: number): () => number {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > questions ? 30_000 : 600_000;
  };
}

const EMPTY = { exportado: 0, sin_cambios: 0, vacio: 0, fallido: 0 };

describe('exportPart', () => {
  it('takes and gives messages whose fields have Spanish names there alone', async () => {
    const counts = { requests: 3, retries: 2, pages: 1 };
    const answer = { ...event(), pending: null, failed: {}, states: EMPTY, isCut: true, uncounted: counts };
    const sent = inSpanish({ ...answer, older: { from: '2025-01-01', to: '2025-01-31' } as const });
    expect(sent).toMatchObject({
      corrida: '20261220020000-00000001',
      antiguos: { desde: '2025-01-01', hasta: '2025-01-31' },
      cortada: true,
      sin_unidad: { solicitudes: 3, reintentos: 2, paginas: 1 },
    });
    const { resumen, ...next } = sent;
    expect(resumen).toEqual(EMPTY);
    expect(inSpanish(v.parse(CompanyEventSchema, next))).toEqual(next);
  });

  it('exports all units of the run when there is time', async () => {
    const { sandbox, store, tools } = await newWorker();
    const { answer, results, handedBack } = await exportPart(event(), tools);
    expect(answer).toEqual({
      ...event(),
      part: 2,
      pending: null,
      failed: null,
      states: { ...EMPTY, exportado: 20 },
    });
    expect(results).toHaveLength(20);
    expect(handedBack).toBe(0);
    for (const { rut, direction, day } of results) {
      const truth = [...sandbox.truth(rut, direction, day)].map(expectedRow);
      expect(await lakeRows(store, { rut, direction, day })).toMatchObject(truth);
    }
    expect(
      await listParts(store, EXPORTACIONES, { id: '20261220020000-00000001', day: '2026-12-20' }),
    ).toHaveLength(1);
  });

  it('hands back what it has no time for, and goes on with just that', async () => {
    const { tools } = await newWorker({ receiptsPerDay: 100 });
    let next = event();
    const parts = [];
    for (let round = 0; round < 30; round += 1) {
      const part = await exportPart(next, { ...tools, remainingMs: timeFor(30) });
      parts.push(part);
      // The state of an execution is JSON.
      next = v.parse(CompanyEventSchema, JSON.parse(JSON.stringify(inSpanish(part.answer))));
      if (part.answer.pending === null) break;
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ answer }) => answer.part)).toEqual(parts.map((_, index) => index + 2));
    const units = parts.flatMap(({ results }) => results.map(({ direction, day }) => `${direction} ${day}`));
    expect(new Set(units).size).toBe(20);
    expect(units).toHaveLength(20);
  });

  it('hands on what it asked for without an end of any unit, so that the audit has every request', async () => {
    const { sandbox, tools } = await newWorker({ receiptsPerDay: 500 });
    const oneDay = event({ to: '2026-11-01', directions: ['recibidos'] });
    const first = await exportPart(oneDay, { ...tools, remainingMs: timeFor(6) });
    expect(first).toMatchObject({ results: [], handedBack: 1 });
    expect(first.answer.uncounted).toMatchObject({ requests: sandbox.stats().requests });
    const next = v.parse(CompanyEventSchema, JSON.parse(JSON.stringify(inSpanish(first.answer))));
    const second = await exportPart(next, tools);
    expect(second.answer).toMatchObject({ pending: null, states: { ...EMPTY, exportado: 1 } });
    expect(second.answer.uncounted).toBeUndefined();
    const asked = second.results.reduce((sum, { requests }) => sum + requests, 0);
    expect(asked).toBe(sandbox.stats().requests);
  });

  it('reads each day by itself after time has cut a list, and fails by name what a second invocation could not read', async () => {
    const isLarge = (day: string) => day === '2026-11-02';
    const receiptsPerDay = (_rut: string, _direction: string, day: string) => (isLarge(day) ? 3_000 : 20);
    // Times tell that the day before the large one is whole, which a list of both has no time to show.
    const { tools } = await newWorker({ receiptsPerDay, behaviour: { issueTimes: true } });
    const days = { from: '2026-11-01', to: '2026-11-03', directions: DIRECTIONS.slice(0, 1) } as const;
    let next = event(days);
    const ended: [number, string, string][] = [];
    for (let invocation = 1; next.pending !== null; invocation += 1) {
      expect(invocation).toBeLessThan(9);
      const { answer, results } = await exportPart(next, { ...tools, remainingMs: timeFor(20) });
      for (const { day, state, error = '' } of results)
        ended.push([invocation, day, isLarge(day) ? `${state}: ${error}` : state]);
      next = v.parse(CompanyEventSchema, JSON.parse(JSON.stringify(inSpanish(answer))));
    }
    expect(ended.map(([, day]) => day).sort()).toEqual(['2026-11-01', '2026-11-02', '2026-11-03']);
    for (const [, day, state] of ended) {
      const failed = /^fallido: .* 2026-11-02: two invocations had no time/;
      expect(state, day).toEqual(isLarge(day) ? expect.stringMatching(failed) : 'exportado');
      const settings = isLarge(day)
        ? (state.match(/\b[a-z]+[A-Z]\w+/g) ?? [])
        : Object.keys(SettingsSchema.entries);
      expect(settings).not.toEqual([]);
      expect(Object.keys(SettingsSchema.entries)).toEqual(expect.arrayContaining(settings));
    }
  });

  it('keeps the failures of earlier parts until they are tried again', async () => {
    const { sandbox, tools } = await newWorker({ receiptsPerDay: 30 });
    sandbox.behave({ intercept: failingDay({ rut: RUT, direction: 'emitidos', day: '2026-11-04' }) });
    const later = event({
      part: 2,
      pending: { recibidos: ['2026-11-01..2026-11-02'], emitidos: ['2026-11-04'] },
      failed: { emitidos: ['2026-11-09'] },
    });
    expect((await exportPart(later, tools)).answer).toMatchObject({
      failed: { emitidos: ['2026-11-04', '2026-11-09'] },
      states: { exportado: 2, fallido: 1 },
    });
  });

  it('names a unit whose list was stored and whose details failed, and tries it again for what is lacking', async () => {
    let areDetailsBroken = true;
    const { tools } = await newWorker({
      behaviour: {
        intercept: rewritten((body, { endpoint }) =>
          endpoint === 'detail' && areDetailsBroken ? '<html>' : body,
        ),
      },
    });
    const details = { directions: ['emitidos'], maxPerUnit: 10 } as const;
    const oneDay = event({ from: '2026-11-01', to: '2026-11-01', directions: ['emitidos'] });
    const first = await exportPart(oneDay, { ...tools, details });
    expect(first.results).toMatchObject([{ state: 'exportado', detailState: 'fallido' }]);
    expect(first.answer).toMatchObject({
      pending: null,
      failed: { emitidos: ['2026-11-01'] },
      states: { ...EMPTY, fallido: 1 },
    });
    areDetailsBroken = false;
    const again = event({ ...oneDay, part: 2, pending: first.answer.failed });
    const second = await exportPart(again, { ...tools, details });
    expect(second.results).toMatchObject([{ detailState: 'completo', detailsStored: 3, detailsRead: 3 }]);
    expect(second.answer).toMatchObject({ failed: null, states: { fallido: 0 } });
  });

  const CHANGES: Partial<SandboxBehaviour>[] = [
    { upperBound: 'exclusive' },
    { maxRangeDays: 3, overRange: 'first' },
    { maxRangeDays: 3, overRange: 'last' },
    { resultWindow: 500 },
  ];
  it.each(campaign({ quick: CHANGES.slice(0, 2), long: CHANGES }))(
    'loses nothing where the service has changed since the last invocation of its process: %j',
    async (change) => {
      const { sandbox, store, tools } = await newWorker({ companyCount: 2, receiptsPerDay: 100 });
      const [first, second] = sandbox.companies;
      await exportPart(event({ rut: first?.rut, directions: ['recibidos'] }), tools);
      sandbox.behave(change);
      const { results } = await exportPart(event({ rut: second?.rut, directions: ['recibidos'] }), tools);
      expect(results).toHaveLength(10);
      for (const { rut, direction, day } of results) {
        expect(await lakeRows(store, { rut, direction, day }), day).toHaveLength(100);
      }
    },
  );

  it('begins nothing when there is no time at all, and loses nothing', async () => {
    const { sandbox, store, tools } = await newWorker();
    const { answer } = await exportPart(event(), { ...tools, remainingMs: () => 25_000 });
    expect(sandbox.stats().requests).toBe(0);
    expect(answer).toMatchObject({
      pending: { recibidos: ['2026-11-01..2026-11-10'], emitidos: ['2026-11-01..2026-11-10'] },
      failed: null,
      states: EMPTY,
    });
    expect(await Array.fromAsync(store.list(EXPORTACIONES.name))).toEqual([]);
  });

  it("writes the company's name into the audit, even where it has no receipts", async () => {
    const { store, tools } = await newWorker({ receiptsPerDay: 0 });
    const tokensOf = (rut: string) => ({ ...tools.tokensOf(rut), companyName: 'Ñandú SRL' });
    const named = { ...tools, tokensOf };
    const first = await exportPart(event(), named);
    await exportPart(v.parse(CompanyEventSchema, JSON.parse(JSON.stringify(inSpanish(first.answer)))), named);
    await sealRuns(named);
    const names = new Set<string | null>();
    const question = { runDays: { from: '2026-12-20', to: '2026-12-20' }, columns: ['companyName'] } as const;
    await readAudit(store, question, ({ companyName }) => names.add(companyName));
    expect(names).toEqual(new Set(['Ñandú SRL']));
  });

  it('fails a day with more receipts than a list may have, every time, and says which setting', async () => {
    const { store, tools } = await newWorker({ receiptsPerDay: 300 });
    const session = { ...tools.session, maxRowsPerList: 100 };
    const asked = event({ from: '2026-11-01', to: '2026-11-01', directions: ['recibidos'] });
    for (const runId of ['20261220020000-00000001', '20261220020000-00000002']) {
      const { results } = await exportPart({ ...asked, runId }, { ...tools, session });
      expect(results.map(({ state, error }) => [state, error])).toEqual([
        ['fallido', expect.stringMatching(/the list goes on past 100 rows\. .*in AWS maxRowsPerList/)],
      ]);
    }
    expect(await lakeRows(store, { rut: RUT, direction: 'recibidos', day: '2026-11-01' })).toBeUndefined();
  });
});

it('counts a detail as not there only where the details of its unit did not fail', () => {
  const results = [
    readOn('2026-11-20', {}, { detailState: 'completo', detailsUnread: 2 }),
    readOn('2026-11-20', {}, { detailState: 'fallido', detailsUnread: 50 }),
    readOn('2026-11-20', {}, { detailState: 'omitido' }),
    readOn('2026-11-20', {}),
  ];
  expect(countDetails(results, 7)).toEqual({ read: 7, notThere: 2, unitsWithout: 2 });
  expect(countDetails(results.slice(3), 0)).toBeUndefined();
});
