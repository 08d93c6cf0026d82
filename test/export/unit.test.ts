import { describe, expect, it } from 'vitest';
import type { ExportTools } from '../../lib/export/export-tools.ts';
import { newFacts } from '../../lib/export/reading/service-facts.ts';
import { unitKey } from '../../lib/lake/layout.ts';
import { CONTENT_HASH } from '../../lib/lake/rows/receipt-rows.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { TABLE_OF } from '../../lib/lake/tables.ts';
import type { Direction } from '../../lib/units/unit.ts';
import { DAY, newClient, RUT } from '../support/api/api-client.ts';
import { LISTED_ON, type ServedApi, servedApi, type WireReceipt } from '../support/api/fake-api.ts';
import { exportTools } from '../support/export/export-tools.ts';
import { exportUnit } from '../support/export/export-unit.ts';
import { FakeClock, HurriedClock } from '../support/fake-clock.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { rowsIn } from '../support/lake/text-rows.ts';

/** A unit, its API on loopback, and a lake in a folder. */
class World {
  readonly server: ServedApi;
  readonly folder = newFolder();
  readonly store = new FolderStore(this.folder);
  readonly facts: ExportTools['facts'] = newFacts();
  readonly clock = new HurriedClock();

  constructor(server: ServedApi) {
    this.server = server;
  }

  tools(changes: Partial<ExportTools> = {}): ExportTools {
    const client = newClient(this.server.address, { clock: this.clock, maxInFlight: 4 });
    const run = { id: '20261120020000-nocturna', day: '2026-11-20' } as const;
    const { facts, store, clock } = this;
    return exportTools({ client, facts, store, run, clock, ...changes });
  }

  async export(direction: Direction = 'recibidos', changes: Partial<ExportTools> = {}) {
    const result = await exportUnit({ rut: RUT, direction, day: DAY }, this.tools(changes));
    if (result === undefined) throw new Error('the unit was not finished');
    return result;
  }

  rows(direction: Direction = 'recibidos') {
    const table = TABLE_OF[direction];
    return rowsIn(this.store, unitKey(table.name, DAY, RUT), table);
  }
}

async function newWorld(): Promise<World> {
  return new World(await servedApi());
}

function receipt(id: number, changes: Partial<WireReceipt> = {}): WireReceipt {
  return { id, fecha_emision: `${DAY}T00:00:00`, totales: { total: id + 0.25 }, ...changes };
}

function receipts(count: number) {
  return Array.from({ length: count }, (_, index) => receipt(index + 1));
}

describe('a unit', () => {
  it.each(['recibidos', 'emitidos'] as const)('is exported whole: %s', async (direction) => {
    const world = await newWorld();
    // An older receipt lets the list's end be told from a limit on rows.
    world.server.lists[direction] = [
      receipt(9_999, { fecha_emision: '2026-11-10T00:00:00' }),
      ...receipts(730),
    ];
    const result = await world.export(direction);
    expect(result).toMatchObject({ rut: RUT, direction, day: DAY, state: 'exportado', receipts: 730 });
    expect(result).toMatchObject({ conversionErrors: 0, isStable: true, retries: 0 });
    expect({ error: result.error, requests: result.requests }).toEqual({
      error: undefined,
      requests: world.server.requests.length,
    });
    const rows = await world.rows(direction);
    expect(rows.map(({ id, rut, totales_total }) => [id, rut, totales_total])).toEqual(
      receipts(730).map(({ id }) => [BigInt(id), RUT, BigInt(id) * 100n + 25n]),
    );
    const found = await world.store.find(unitKey(direction, DAY, RUT));
    expect({ byteCount: found?.byteCount, hash: found?.metadata[CONTENT_HASH] }).toEqual({
      byteCount: result.bytes,
      hash: result.sha256,
    });
  });

  it('with the same content is not written again, in whatever order it comes', async () => {
    const world = await newWorld();
    world.server.lists.recibidos = receipts(250);
    const first = await world.export();
    const before = await world.store.find(unitKey('recibidos', DAY, RUT));
    world.server.lists.recibidos.reverse();
    const second = await world.export();
    expect(second).toMatchObject({ state: 'sin_cambios', receipts: 250, bytes: 0, sha256: first.sha256 });
    expect(await world.store.find(unitKey('recibidos', DAY, RUT))).toEqual(before);
  });

  it('without receipts is empty and leaves no object', async () => {
    const world = await newWorld();
    expect(await world.export()).toMatchObject({ state: 'vacio', receipts: 0, bytes: 0, isStable: true });
    expect(filesIn(world.folder)).toEqual([]);
  });

  it('has its odd values counted and kept', async () => {
    const world = await newWorld();
    world.server.lists.recibidos = [
      receipt(1, { numero: 'siete', totales: { total: 0.125 }, nuevo: 1 }),
      receipt(2),
    ];
    expect(await world.export()).toMatchObject({ state: 'exportado', receipts: 2, conversionErrors: 2 });
    expect((await world.rows())[0]).toMatchObject({
      numero: null,
      totales_total: null,
      otros: '{"nuevo":1,"numero":"siete","totales.total":0.125}',
    });
  });

  it('says when it began and ended, in local time', async () => {
    const world = await newWorld();
    const clock = new FakeClock(Date.UTC(2026, 10, 20, 2, 59, 58));
    world.server.statusFor = async () => {
      await clock.advance(1000);
      return undefined;
    };
    world.server.lists.recibidos = receipts(1);
    const { startedAt, endedAt } = await world.export('recibidos', { clock });
    expect(startedAt).toBe('2026-11-19T23:59:58');
    expect(endedAt > startedAt).toBe(true);
  });
});

describe('a unit that fails', () => {
  const cases: readonly [name: string, rows: WireReceipt[], error: RegExp][] = [
    [
      "another company's receipt",
      [receipt(1), receipt(2, { receptor: { nro_doc: '211003420017' } })],
      /receipt 2 has another company as its recipient/,
    ],
    [
      // As JSON, null.
      'a row without an id',
      [...receipts(102), receipt(Number.NaN)],
      /page 2: the row at position \d+ of the page has no usable id/,
    ],
    [
      'a row of a day that was not asked for',
      [receipt(1), receipt(2, { fecha_emision: '2026-11-01T00:00:00', [LISTED_ON]: DAY })],
      /receipt 2 has the issue date 2026-11-01, which was not asked for/,
    ],
  ];

  it.each(cases)('leaves its object as it was: %s', async (_name, rows, error) => {
    const world = await newWorld();
    world.server.lists.recibidos = receipts(5);
    await world.export();
    const before = await world.store.find(unitKey('recibidos', DAY, RUT));
    world.server.lists.recibidos = rows;
    const result = await world.export();
    expect(result).toMatchObject({ state: 'fallido', conversionErrors: 0, bytes: 0 });
    expect({ receipts: result.receipts, isStable: result.isStable, sha256: result.sha256 }).toEqual({
      receipts: undefined,
      isStable: undefined,
      sha256: undefined,
    });
    expect(result.error).toMatch(error);
    expect(await world.store.find(unitKey('recibidos', DAY, RUT))).toEqual(before);
    expect(filesIn(world.folder)).toEqual([unitKey('recibidos', DAY, RUT)]);
  });

  it('still counts its requests: of the day with the next one, and by itself', async () => {
    const world = await newWorld();
    world.server.statusFor = () => 500;
    expect(await world.export()).toMatchObject({
      state: 'fallido',
      requests: 12,
      retries: 10,
      pages: 0,
    });
  });

  it('fails also when the object cannot be written', async () => {
    const world = await newWorld();
    world.server.lists.recibidos = receipts(1);
    const writer = () => {
      throw new Error('the disk is full');
    };
    expect(await world.export('recibidos', { writer })).toMatchObject({
      state: 'fallido',
      error: 'the disk is full',
    });
    expect(filesIn(world.folder)).toEqual([]);
  });
});

it.each([
  [new TypeError('Cannot read properties of undefined.'), '(TypeError: Cannot read properties of undefined)'],
  [new SyntaxError('Unexpected token "a secret"'), '(SyntaxError)'],
])(
  'a unit that fails for a reason that nobody foresaw says of what, and what to do: %s',
  async (error, words) => {
    const world = await newWorld();
    world.server.lists.recibidos = receipts(3);
    const writer: ExportTools['writer'] = () => {
      throw error;
    };
    expect(await world.export('recibidos', { writer })).toMatchObject({
      state: 'fallido',
      error:
        `recibidos of ${RUT}, day ${DAY}: unexpected error ${words}. What was stored before is ` +
        'unchanged. Report the error with this sentence.',
    });
  },
);

it('a list of as many receipts as one may have is stored, and the look at the day after it is no fault', async () => {
  const server = await servedApi();
  server.lists.recibidos = [
    ...receipts(200).map((each) => ({ ...each, numero: each.id })),
    ...receipts(100).map(({ id }) =>
      receipt(1_000 + id, { numero: id, fecha_emision: '2026-11-20T00:00:00' }),
    ),
  ];
  const result = await exportUnit(
    { rut: RUT, direction: 'recibidos', day: DAY },
    exportTools({
      client: newClient(server.address, { maxRowsPerList: 200 }),
      store: new FolderStore(newFolder()),
      run: { id: '20261120020000-nocturna', day: '2026-11-20' },
    }),
  );
  expect(result).toMatchObject({ state: 'exportado', receipts: 200 });
});
