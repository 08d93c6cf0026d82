import type { DetailOptions, ExportTools } from '../../../lib/export/export-tools.ts';
import { newFacts } from '../../../lib/export/reading/service-facts.ts';
import { unitKey } from '../../../lib/lake/layout.ts';
import type { LakeStore } from '../../../lib/lake/store/store.ts';
import { DETAIL_TABLE_OF } from '../../../lib/lake/tables.ts';
import type { Direction, UnitResult } from '../../../lib/units/unit.ts';
import { DAY, newClient, RUT } from '../api/api-client.ts';
import { type Answer, type HttpServer, startHttpServer } from '../api/http-server.ts';
import { HurriedClock } from '../fake-clock.ts';
import { MemoryStore } from '../lake/memory-store.ts';
import { type Row, rowsIn } from '../lake/text-rows.ts';
import { exportTools } from './export-tools.ts';
import { exportUnit } from './export-unit.ts';

/** A receipt in the issued list. */
export interface Listed {
  id: number;
  tipo_comprobante: number;
  serie: string;
  numero: number;
  [field: string]: unknown;
}

/** A server of one company's issued receipts of a day. Tests decide the details. */
export class DetailWorld {
  listed: Listed[] = [];
  /** The API's answer in place of a detail; undefined for the detail. */
  answerFor: (id: number) => Answer | undefined = () => undefined;
  /** Called before a detail is answered. */
  beforeDetail: () => Promise<void> = async () => undefined;
  /** A detail's fields besides those of its summary. */
  fieldsOf: (id: number) => object = (id) => ({ items: [{ nombre: `Artículo ${id}` }] });
  /** Ids of the details asked for since the test last emptied it. */
  readonly asked: number[] = [];
  readonly clock = new HurriedClock();
  readonly store: LakeStore = new MemoryStore(() => this.clock.now());
  readonly direction: Direction = 'emitidos';
  readonly key = unitKey(DETAIL_TABLE_OF.emitidos.name, DAY, RUT);
  private server: HttpServer | undefined;
  private readonly facts = newFacts();

  async start(): Promise<this> {
    this.server = await startHttpServer(async ({ path, query }) => {
      const match = /emitidos\/(\d+)$/.exec(path);
      if (match !== null) return await this.detail(Number(match[1]));
      const [number, size] = [Number(query.get('pageNumber')), Number(query.get('pageSize'))];
      // An older receipt lets the day's end be told from a limit on rows.
      const isOlderAsked = (query.get('FechaDesde') ?? DAY) < DAY;
      const older = isOlderAsked ? [{ ...receipt(1_000_000), fecha_emision: '2026-01-01T00:00:00' }] : [];
      const items = [...this.listed, ...older].slice((number - 1) * size, number * size);
      return { body: JSON.stringify({ items, page_number: number, page_size: items.length }) };
    });
    return this;
  }

  list(count: number): void {
    this.listed = Array.from({ length: count }, (_, index) => receipt(index + 1));
  }

  get address(): string {
    return this.server?.address.href ?? '';
  }

  /** Exports the unit with its details; undefined if the unit is handed back. */
  async tryExport(
    details: Partial<DetailOptions> = {},
    changes: Partial<ExportTools> = {},
  ): Promise<UnitResult | undefined> {
    this.asked.length = 0;
    await this.clock.advance(1000);
    const { clock, facts, store } = this;
    return await exportUnit(
      { rut: RUT, direction: this.direction, day: DAY },
      exportTools({
        client: newClient(this.server?.address ?? new URL('http://127.0.0.1'), { clock, maxInFlight: 4 }),
        facts,
        store,
        run: { id: '20261120020000-nocturna', day: '2026-11-20' },
        details: { directions: ['emitidos'], maxPerUnit: 10_000, ...details },
        clock,
        ...changes,
      }),
    );
  }

  async export(
    details: Partial<DetailOptions> = {},
    changes: Partial<ExportTools> = {},
  ): Promise<UnitResult> {
    const result = await this.tryExport(details, changes);
    if (result === undefined) throw new Error('the unit was not finished');
    return result;
  }

  /** The rows of the unit's details, by id. */
  async details(): Promise<Row[]> {
    return await rowsIn(this.store, this.key, DETAIL_TABLE_OF.emitidos);
  }

  async detail(id: number): Promise<Answer> {
    this.asked.push(id);
    await this.beforeDetail();
    const answer = this.answerFor(id);
    if (answer !== undefined) return answer;
    const listed = this.listed.find((candidate) => candidate.id === id);
    if (listed === undefined) return { status: 404, body: '{}' };
    return { body: JSON.stringify({ ...listed, ...this.fieldsOf(id) }) };
  }
}

export async function newDetailWorld(count: number): Promise<DetailWorld> {
  const world = await new DetailWorld().start();
  world.list(count);
  return world;
}

export function receipt(id: number, changes: object = {}): Listed {
  return {
    id,
    tipo_comprobante: 101,
    serie: 'A',
    numero: id,
    fecha_emision: `${DAY}T00:00:00`,
    totales: { total: id + 0.5, total_pagar: id + 0.5 },
    estado_dgi: { codigo: 'AE' },
    ...changes,
  };
}
