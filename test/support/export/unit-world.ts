import { writeAudit } from '../../../lib/audit/write.ts';
import type { ExportTools } from '../../../lib/export/export-tools.ts';
import { noFacts, type ServiceFacts } from '../../../lib/export/reading/service-facts.ts';
import { unitKey } from '../../../lib/lake/layout.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { CAMBIOS, EXPORTACIONES, TABLE_OF, type Table } from '../../../lib/lake/tables.ts';
import { uruguayDay } from '../../../lib/time/days.ts';
import type { Direction, Unit, UnitResult } from '../../../lib/units/unit.ts';
import { FakeApi, type WireReceipt } from '../api/fake-api.ts';
import { FakeClock } from '../fake-clock.ts';
import { MemoryStore } from '../lake/memory-store.ts';
import { type Row, rowsIn, rowsOfTable, type TextUnit, textUnit } from '../lake/text-rows.ts';
import { exportTools } from './export-tools.ts';
import { exportUnit } from './export-unit.ts';

export const RUT = '219999830019';
export const DAY = '2026-11-19';
const HOUR_MS = 3_600_000;

/** One unit: the API that lists it, a lake to export it into, and the clock of both. */
export class UnitWorld<Store extends LakeStore = MemoryStore> {
  readonly api = new FakeApi(RUT);
  readonly clock = new FakeClock();
  readonly store: Store;
  readonly unit: Unit;
  readonly table: Table;
  /** What longer lists have already proved, unless a test removes it. */
  readonly facts: Record<Direction, ServiceFacts> = {
    recibidos: { ...noFacts(), isEndDateInclusive: true, longestPage: 100, isAnyPageSizeHonoured: true },
    emitidos: { ...noFacts(), isEndDateInclusive: true, longestPage: 100, isAnyPageSizeHonoured: true },
  };
  private runs = 0;

  constructor(direction: Direction, storeOn: (now: () => number) => Store) {
    this.unit = { rut: RUT, direction, day: DAY };
    this.table = TABLE_OF[direction];
    this.store = storeOn(() => this.clock.now());
  }

  /** The receipts that the API lists on the unit's day. */
  get listed(): WireReceipt[] {
    return this.api.lists[this.unit.direction];
  }

  set listed(receipts: WireReceipt[]) {
    this.api.lists[this.unit.direction] = receipts;
  }

  get key(): string {
    return unitKey(this.table.name, this.unit.day, this.unit.rut);
  }

  /** Exports the unit in a new run, an hour after the previous one, and writes the audit. */
  async export(changes: Partial<ExportTools> = {}): Promise<UnitResult> {
    await this.clock.advance(HOUR_MS);
    this.runs += 1;
    const run = {
      id: `20261120020000-${String(this.runs).padStart(8, '0')}`,
      day: uruguayDay(this.clock.now()),
    };
    this.api.requestCount = 0;
    this.api.firstPageCount = 0;
    const tools = this.tools({ run, ...changes });
    const result = await exportUnit(this.unit, tools);
    if (result === undefined) throw new Error('the unit was not finished');
    await writeAudit(tools, tools.run, [result]);
    return result;
  }

  tools(changes: Partial<ExportTools> = {}): ExportTools {
    return exportTools({
      client: this.api.client(),
      facts: this.facts,
      store: this.store,
      run: { id: '20261120020000-nocturna', day: uruguayDay(this.clock.now()) },
      clock: this.clock,
      ...changes,
    });
  }

  rows(): Promise<Row[]> {
    return rowsIn(this.store, this.key, this.table);
  }

  async texts(): Promise<TextUnit> {
    return textUnit(await this.rows(), this.table);
  }

  changes(): Promise<Row[]> {
    return rowsOfTable(this.store, CAMBIOS);
  }

  audit(): Promise<Row[]> {
    return rowsOfTable(this.store, EXPORTACIONES);
  }
}

export function newWorld(direction: Direction = 'recibidos'): UnitWorld {
  return new UnitWorld(direction, (now) => new MemoryStore(now));
}

/** A receipt of the unit's day in the received list. */
export function received(id: number, changes: Record<string, unknown> = {}): WireReceipt {
  return {
    id,
    tipo_comprobante: 111,
    serie: 'A',
    numero: id,
    forma_pago: 1,
    moneda: 'UYU',
    fecha_emision: `${DAY}T00:00:00`,
    fecha_firma: `${DAY}T10:11:12.5`,
    emisor: { ruc: '214844360018', razon_social: 'Proveedor SA' },
    receptor: { nro_doc: RUT, denominacion: 'Empresa SRL' },
    totales: { total: 122.5, total_pagar: 122.5 },
    estado: { codigo: 'AE' },
    ...changes,
  };
}

/** A receipt of the unit's day in the issued list. */
export function issued(id: number, changes: Record<string, unknown> = {}): WireReceipt {
  return {
    id,
    tipo_comprobante: 101,
    serie: 'B',
    numero: id,
    fecha_emision: `${DAY}T00:00:00`,
    fecha_firma: `${DAY}T10:11:12`,
    receptor: { ruc: '214844360018', razon_social: 'Cliente SA' },
    totales: { total: 100, total_pagar: 100 },
    estado_receptor: { codigo: null },
    estado_dgi: { codigo: 'AE' },
    ...changes,
  };
}
