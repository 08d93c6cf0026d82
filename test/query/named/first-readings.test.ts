import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { campaign } from '../../support/campaign.ts';
import { type MadeRow, madeLake } from '../../support/query/made-lake.ts';

const TODAY = '2026-11-20';
const CLOSE = '2026-11-01';
const RUT = '219999830019';
const DAYS = ['2026-10-20', '2026-10-31', '2026-11-02'] as const;
const RUN_DAYS = [
  '2026-10-20',
  '2026-10-21',
  '2026-10-31',
  '2026-11-01',
  '2026-11-05',
  '2026-11-06',
  '2026-11-07',
] as const;

/** The listed receipts' totals by id; null if the reading failed. */
type Listing = ReadonlyMap<number, string> | null;

interface Unit {
  direccion: 'recibidos' | 'emitidos';
  fecha: string;
  readings: readonly { runDay: string; listing: Listing }[];
}

const listed = (...ids: readonly number[]): Listing => new Map(ids.map((id) => [id, '1.00']));
const EMPTY = listed();

/** The rows that an export of these readings leaves behind, added to those of other units. */
function addRows({ direccion, fecha, readings }: Unit, rows: Record<string, MadeRow[]>): void {
  const unit = { rut: RUT, direccion, fecha };
  const stored = new Map<number, { total: string; lastSeen?: string }>();
  for (const { runDay, listing } of readings) {
    const run = { ...unit, fecha_corrida: runDay, corrida: `run-${runDay}` };
    const moment = `${runDay}T03:00:00`;
    const record = (estado: string) => rows.exportaciones?.push({ ...run, inicio: moment, estado });
    if (listing === null) {
      record('fallido');
      continue;
    }
    const isFirst = stored.size === 0;
    if (isFirst && listing.size === 0) {
      record('vacio');
      continue;
    }
    let changeCount = 0;
    const tell = (id: number, change: MadeRow) => {
      changeCount += 1;
      if (!isFirst) rows.cambios?.push({ ...run, momento: moment, id, ...change });
    };
    for (const [id, total] of listing) {
      const before = stored.get(id);
      stored.set(id, { total });
      if (before === undefined) tell(id, { cambio: 'aparecio', despues: whole(id) });
      else {
        if (before.lastSeen !== undefined) tell(id, { cambio: 'reaparecio', despues: whole(id) });
        if (before.total !== total) {
          tell(id, { cambio: 'cambio', campo: 'totales_total', antes: before.total, despues: total });
        }
      }
    }
    for (const [id, before] of stored) {
      if (listing.has(id) || before.lastSeen !== undefined) continue;
      stored.set(id, { ...before, lastSeen: moment });
      tell(id, { cambio: 'desaparecio', antes: whole(id) });
    }
    record(changeCount > 0 ? 'exportado' : 'sin_cambios');
  }
  for (const [id, { total, lastSeen }] of stored) {
    const gone: MadeRow = lastSeen === undefined ? {} : { visto_por_ultima_vez: lastSeen };
    rows[direccion]?.push({ rut: RUT, fecha, id, serie: 'A', numero: id, totales_total: total, ...gone });
  }
}

function whole(id: number): string {
  return `{"id":"${id}"}`;
}

/** What is to be told of a unit, from its readings alone; and of how many receipts that is not known. */
function expectedOf({ fecha, readings }: Unit): { changes: string[]; unknown: number; firstRead: string } {
  const read = readings.flatMap(({ runDay, listing }) => (listing === null ? [] : [{ runDay, listing }]));
  const first = read.findIndex(({ listing }) => listing.size > 0);
  const firstRead = read[first]?.runDay ?? '';
  if (first === -1 || fecha >= CLOSE) return { changes: [], unknown: 0, firstRead };
  const isFirstReadSince = firstRead >= CLOSE;
  const isLate = isFirstReadSince && read.slice(0, first).some(({ runDay }) => runDay > fecha);
  // The reading that shows how it stood: the last one before the close, else the first.
  const closing = isFirstReadSince
    ? first - Number(isLate)
    : read.findLastIndex(({ runDay }) => runDay < CLOSE);
  const changes: string[] = [];
  let unknown = 0;
  for (const id of new Set(read.flatMap(({ listing }) => [...listing.keys()]))) {
    const then = read[closing]?.listing.get(id);
    const now = read.at(-1)?.listing.get(id);
    const turn = read.findLastIndex(
      ({ listing }, at) => listing.has(id) !== (read[at - 1]?.listing.has(id) ?? false),
    );
    const wasThere = read.slice(0, closing + 1).some(({ listing }) => listing.has(id));
    if (then === undefined && now === undefined) continue;
    if (then === undefined) {
      const inCambios = turn === first ? 'null' : whole(id);
      changes.push(`${id} ${wasThere ? 'reaparecio' : 'aparecio'} null ${inCambios} ${read[turn]?.runDay}`);
    } else if (now === undefined) changes.push(`${id} desaparecio ${whole(id)} null ${read[turn]?.runDay}`);
    // As it stood when it came, and when it was last listed.
    const old = then ?? read[turn]?.listing.get(id);
    const last = read.findLast(({ listing }) => listing.has(id))?.listing.get(id);
    const changed = read.findLast(({ runDay, listing }, at) => {
      const before = read.slice(0, at).findLast((other) => other.listing.has(id));
      return runDay >= CLOSE && listing.has(id) && before?.listing.get(id) !== listing.get(id);
    });
    if (old !== last) changes.push(`${id} cambio ${old} ${last} ${changed?.runDay}`);
    if (isFirstReadSince && !isLate && then !== undefined && now !== undefined) unknown += 1;
  }
  return { changes, unknown, firstRead };
}

async function ask(units: readonly Unit[], more: Readonly<Record<string, readonly MadeRow[]>> = {}) {
  const rows: Record<string, MadeRow[]> = { exportaciones: [], cambios: [], recibidos: [], emitidos: [] };
  for (const unit of units) addRows(unit, rows);
  for (const [table, added] of Object.entries(more)) rows[table]?.push(...added);
  const answerOf = await madeLake(rows);
  return (await answerOf('changes-since-close', TODAY)).map((row) => {
    const [id = null, change = null, , before = null, after = null, moment = null] = row.slice(7);
    const line = `${id} ${change} ${before} ${after} ${moment?.slice(0, 10)}`;
    return id === null ? `${row.slice(0, 8).join(',')} ${line}` : line;
  });
}

function counted(direccion: string, count: number, firstRead: string): string {
  const receipts = `${count} ${count === 1 ? 'comprobante' : 'comprobantes'}`;
  return `${RUT},${direccion},,,,,, null primera_lectura null ${receipts} de dias que nadie habia leido antes del cierre ${firstRead}`;
}

describe('days first read with receipts after the close', () => {
  const unit = (fecha: string, ...readings: readonly (readonly [string, Listing])[]): Unit => ({
    direccion: 'recibidos',
    fecha,
    readings: readings.map(([runDay, listing]) => ({ runDay, listing })),
  });

  it.each<[name: string, unit: Unit, changes: readonly string[]]>([
    [
      'late, of a day that was read empty before the close',
      unit('2026-10-20', ['2026-10-21', EMPTY], ['2026-11-05', listed(1, 2)]),
      ['1 aparecio null null 2026-11-05', '2 aparecio null null 2026-11-05'],
    ],
    [
      'late, of one read empty after the close, though a reading failed in between',
      unit('2026-10-20', ['2026-11-01', EMPTY], ['2026-11-05', null], ['2026-11-06', listed(1)]),
      ['1 aparecio null null 2026-11-06'],
    ],
    [
      'not late, of one read empty before it was over',
      unit('2026-10-20', ['2026-10-20', EMPTY], ['2026-11-05', listed(1)]),
      [counted('recibidos', 1, '2026-11-05')],
    ],
    [
      'late and changed, in one month',
      unit(
        '2026-10-31',
        ['2026-11-01', EMPTY],
        ['2026-11-05', listed(1)],
        ['2026-11-06', new Map([[1, '2.00']])],
      ),
      ['1 cambio 1.00 2.00 2026-11-06', '1 aparecio null null 2026-11-05'],
    ],
    [
      'late and gone',
      unit('2026-10-31', ['2026-11-01', EMPTY], ['2026-11-05', listed(1, 2)], ['2026-11-06', listed(2)]),
      ['2 aparecio null null 2026-11-05'],
    ],
    [
      'known before the close, of a day that had been read empty',
      unit('2026-10-20', ['2026-10-21', EMPTY], ['2026-10-31', listed(1)], ['2026-11-05', listed(1)]),
      [],
    ],
  ])('have receipts that are %s', async (_name, given, changes) => {
    expect(await ask([given])).toEqual(changes);
    const { unknown, firstRead, changes: ofOracle } = expectedOf(given);
    const sentence = unknown === 0 ? [] : [counted('recibidos', unknown, firstRead)];
    expect([...ofOracle, ...sentence].toSorted()).toEqual(changes.toSorted());
  });

  it('are one row for each list, if nobody had read a month before', async () => {
    const days = Array.from({ length: 31 }, (_, index) => `2026-10-${String(index + 1).padStart(2, '0')}`);
    const units = days.flatMap((fecha, index) =>
      (['recibidos', 'emitidos'] as const).map((direccion) => ({
        ...unit(fecha, ['2026-11-05', listed(2 * index, 2 * index + 1)]),
        direccion,
      })),
    );
    expect(await ask(units)).toEqual([
      counted('emitidos', 62, '2026-11-05'),
      counted('recibidos', 62, '2026-11-05'),
    ]);
  });

  it('are told as they are, whatever was read', async () => {
    const Listings = fc.array(
      fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom('unread' as const, null) },
        {
          weight: 2,
          arbitrary: fc
            .array(fc.constantFrom(undefined, undefined, '1.00', '2.00'), { minLength: 2, maxLength: 2 })
            .map(
              (totals) =>
                new Map(totals.flatMap((total, id) => (total === undefined ? [] : [[id, total] as const]))),
            ),
        },
      ),
      { minLength: RUN_DAYS.length, maxLength: RUN_DAYS.length },
    );
    const Units = fc.array(Listings, { minLength: 2 * DAYS.length, maxLength: 2 * DAYS.length });
    await fc.assert(
      fc.asyncProperty(Units, async (drawn) => {
        const units = drawn.map((listings, place): Unit => {
          const readings = listings.flatMap((listing, run) => {
            const runDay = RUN_DAYS[run] ?? '';
            if (listing === 'unread') return [];
            // Each unit has receipts of its own.
            const ownListing =
              listing && new Map([...listing].map(([id, total]) => [10 * place + id, total]));
            return [{ runDay, listing: ownListing }];
          });
          return {
            direccion: place < DAYS.length ? 'recibidos' : 'emitidos',
            fecha: DAYS[place % DAYS.length] ?? '',
            readings,
          };
        });
        const expected = units.flatMap((unit) => expectedOf(unit).changes);
        for (const direccion of ['recibidos', 'emitidos']) {
          const first = units.filter((unit) => unit.direccion === direccion).map(expectedOf);
          const some = first.filter(({ unknown }) => unknown > 0);
          const count = some.reduce((sum, { unknown }) => sum + unknown, 0);
          const last = some
            .map(({ firstRead }) => firstRead)
            .sort()
            .at(-1);
          if (last !== undefined) expected.push(counted(direccion, count, last));
        }
        expect((await ask(units)).toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: campaign({ quick: 25, long: 300 }) },
    );
  });

  it('tell a late receipt once that an older version told of, with its row', async () => {
    const given = unit('2026-10-20', ['2026-10-21', EMPTY], ['2026-11-05', listed(1, 2)]);
    const change = {
      rut: RUT,
      direccion: 'recibidos',
      fecha: given.fecha,
      id: 1,
      cambio: 'aparecio',
      fecha_corrida: '2026-11-05',
      corrida: 'run-2026-11-05',
      momento: '2026-11-05T03:00:00',
      despues: whole(1),
    };
    expect(await ask([given], { cambios: [change] })).toEqual([
      '1 aparecio null {"id":"1"} 2026-11-05',
      '2 aparecio null null 2026-11-05',
    ]);
  });

  it.each<[name: string, isLate: boolean]>([
    ['never', false],
    ['empty', true],
  ])('have a receipt that moved to them once; read before: %s', async (_name, isLate) => {
    const [from, to] = ['2026-10-20', '2026-10-22'];
    const moved = {
      rut: RUT,
      direccion: 'recibidos',
      fecha: from,
      id: 1,
      cambio: 'desaparecio',
      fecha_corrida: '2026-11-05',
      corrida: 'run-2026-11-05',
      momento: '2026-11-05T03:00:00',
      antes: whole(1),
    };
    const before: readonly (readonly [string, Listing])[] = isLate ? [['2026-10-31', EMPTY]] : [];
    const given = unit(to, ...before, ['2026-11-05', listed(1, 2)]);
    expect(await ask([given], { cambios: [moved] })).toEqual([
      // Of days that nobody had read, receipts are counted: where it is now is not known.
      isLate ? `1 movido ${from} ${to} 2026-11-05` : `1 desaparecio ${whole(1)} null 2026-11-05`,
      isLate ? '2 aparecio null null 2026-11-05' : counted('recibidos', 2, '2026-11-05'),
    ]);
  });
});
