import { type CompanyExport, type CompanyOptions, exportCompany } from '../../../lib/export/company.ts';
import type { ExportTools } from '../../../lib/export/export-tools.ts';
import { proveService } from '../../../lib/export/reading/prove-service.ts';
import { newFacts, type ServiceFacts } from '../../../lib/export/reading/service-facts.ts';
import { unitKey } from '../../../lib/lake/layout.ts';
import { TABLE_OF } from '../../../lib/lake/tables.ts';
import { addDays, type Day, uruguayDay } from '../../../lib/time/days.ts';
import { type Direction, planUnits } from '../../../lib/units/unit.ts';
import { FakeApi, type WireReceipt } from '../api/fake-api.ts';
import { FakeClock } from '../fake-clock.ts';
import { MemoryStore } from '../lake/memory-store.ts';
import { rowsIn } from '../lake/text-rows.ts';
import { exportTools } from './export-tools.ts';
import { DAY, RUT, received } from './unit-world.ts';

const HOUR_MS = 3_600_000;

/** One company's received list over some days, and a lake to export it into. */
export class CompanyWorld {
  readonly api = new FakeApi(RUT);
  readonly clock = new FakeClock();
  readonly store = new MemoryStore(() => this.clock.now());
  /** What the service's lists have shown. */
  facts: Record<Direction, ServiceFacts> = newFacts();
  readonly days: readonly Day[];
  private runs = 0;

  /** `counts`: the number of receipts of each day, up to DAY, with dates alone unless `hasTimes`. */
  constructor(counts: readonly number[], hasTimes = false) {
    this.days = counts.map((_, index) => addDays(DAY, index - counts.length + 1));
    this.listed = this.days.flatMap((day, index) =>
      Array.from({ length: counts[index] ?? 0 }, (_, row) =>
        receiptOf(day, index * 10_000 + row + 1, hasTimes),
      ),
    );
  }

  get listed(): WireReceipt[] {
    return this.api.lists.recibidos;
  }

  set listed(receipts: WireReceipt[]) {
    this.api.lists.recibidos = receipts;
  }

  tools(changes: Partial<ExportTools> = {}): ExportTools {
    return exportTools({
      client: this.api.client(2),
      facts: this.facts,
      store: this.store,
      run: { id: `run-${String(this.runs).padStart(3, '0')}`, day: uruguayDay(this.clock.now()) },
      clock: this.clock,
      ...changes,
    });
  }

  /** Proves what a run would, by this company alone. */
  async prove(): Promise<void> {
    const days = { from: this.days[0] ?? DAY, to: DAY } as const;
    const proved = await proveService({
      store: this.store,
      ruts: [RUT],
      daysOf: { recibidos: days },
      clientOf: () => this.api.client(2),
      clock: this.clock,
      signal: new AbortController().signal,
    });
    this.facts = { ...proved.facts };
  }

  /** Exports these days in a new run, an hour after the previous one. */
  async export(
    changes: Partial<ExportTools> = {},
    options: CompanyOptions = {},
    days = this.days,
  ): Promise<CompanyExport> {
    await this.clock.advance(HOUR_MS);
    this.runs += 1;
    this.api.requestCount = 0;
    return await exportCompany(planUnits(RUT, ['recibidos'], days), this.tools(changes), options);
  }

  /** The ids in the lake for a day, in order. */
  async stored(day: Day): Promise<number[]> {
    const key = unitKey('recibidos', day, RUT);
    if ((await this.store.find(key)) === undefined) return [];
    return (await rowsIn(this.store, key, TABLE_OF.recibidos)).map(({ id }) => Number(id));
  }

  /** The ids in the API for a day. */
  held(day: Day): number[] {
    return this.listed
      .filter(({ fecha_emision: issued }) => issued.slice(0, 10) === day)
      .map(({ id }) => id)
      .sort((a, b) => a - b);
  }
}

export function receiptOf(day: Day, id: number, hasTimes = false): WireReceipt {
  const isAtMidnight = !hasTimes || id % 3 === 0;
  return received(id, {
    fecha_emision: isAtMidnight ? `${day}T00:00:00` : `${day}T10:00:00`,
    tipo_comprobante: id % 2 === 0 ? 111 : 101,
  });
}
