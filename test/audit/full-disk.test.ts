import { expect, it } from 'vitest';
import { findMissingUnits } from '../../lib/audit/history.ts';
import { readAudit } from '../../lib/audit/read.ts';
import { unitName } from '../../lib/audit/row.ts';
import { AuditNotWrittenError } from '../../lib/audit/write.ts';
import { EXPORTACIONES } from '../../lib/lake/tables.ts';
import { dayNumber } from '../../lib/time/days.ts';
import { DIRECTIONS, planUnits } from '../../lib/units/unit.ts';
import { startSimulation } from '../support/export/simulation.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';
import { rowsOfTable } from '../support/lake/text-rows.ts';

const DAYS = ['2026-11-18', '2026-11-19'] as const;

/** A store with room for only this many objects of the audit: parts, and objects of sealed runs. */
class FullStore extends MemoryStore {
  auditsLeft = Number.POSITIVE_INFINITY;
  refusals = Number.POSITIVE_INFINITY;

  override async replace(...given: Parameters<MemoryStore['replace']>) {
    if (/exportaciones\//.test(given[0])) {
      this.auditsLeft -= 1;
      if (this.auditsLeft < 0 && this.auditsLeft >= -this.refusals) throw new Error('the disk is full');
    }
    return await super.replace(...given);
  }
}

it.each([Number.POSITIVE_INFINITY, 1])(
  'names each stored unit that the audit lacks as missing, whichever object of the audit cannot be written, %d times',
  async (refusals) => {
    const { sandbox, exportAt } = await startSimulation({
      companyCount: 2,
      receiptsPerDay: 3,
      now: '2026-11-20T03:00:00',
    });
    const ruts = sandbox.companies.map(({ rut }) => rut);
    let failures = 0;
    for (let isWritten = false; !isWritten; failures += isWritten ? 0 : 1) {
      const store = new FullStore(() => 0);
      Object.assign(store, { auditsLeft: failures, refusals });
      const results = await exportAt('2026-11-20T03:00:00', DAYS, store).catch((error: unknown) => {
        if (!(error instanceof AuditNotWrittenError)) throw error;
        expect(error.message).toMatch(/^The audit of run \S+ could not be written: the disk is full/);
        return error;
      });
      isWritten = !(results instanceof Error);
      const { missing } = await findMissingUnits(store, ruts, DIRECTIONS, DAYS);
      const recorded = new Set<string>();
      await readAudit(store, { columns: [] }, ({ rut, direction, dayNumber: day }) => {
        recorded.add(unitName(rut, direction, day));
      });
      for (const unit of ruts.flatMap((rut) => planUnits(rut, DIRECTIONS, DAYS))) {
        const isRecorded = recorded.has(unitName(unit.rut, unit.direction, dayNumber(unit.day)));
        if (!isRecorded) expect(missing).toContainEqual({ ...unit, reason: 'never' });
      }
      const written = results instanceof AuditNotWrittenError ? results.results : results;
      const stored = [...store.objects.keys()].filter((key) => key.startsWith('unidades/'));
      expect(written.filter(({ state }) => state === 'exportado')).toHaveLength(stored.length);

      store.auditsLeft = Number.POSITIVE_INFINITY;
      await exportAt('2026-11-20T04:00:00', DAYS, store);
      expect((await findMissingUnits(store, ruts, DIRECTIONS, DAYS)).missing).toEqual([]);
      const audit = await rowsOfTable(store, EXPORTACIONES);
      expect(audit.filter(({ estado }) => estado !== 'fallido').length).toBeGreaterThanOrEqual(8);
    }
    // The part of results, and the run's object.
    expect(failures).toBe(2);
  },
);
