import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { allRows, ask, DAY, idsOf, LIST, NOW, pageOf, truthOf } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: NOW, receiptsPerDay: 250, longAmounts: true });
});
afterEach(() => sandbox.behave(DEFAULT_BEHAVIOUR));
afterAll(() => sandbox.close());

const idsOfPage = async (page: number, size: number, more = ''): Promise<string[]> =>
  idsOf((await ask(sandbox, pageOf('emitidos', page, size, more))).rows);
const truthIds = (): string[] => idsOf(truthOf(sandbox, 'emitidos'));

describe('pages', () => {
  it.each(['recibidos', 'emitidos'] as const)(
    'of %s make up the truth, whatever their size',
    async (direction) => {
      for (const size of [7, 50, 100])
        expect(idsOf(await allRows(sandbox, direction, { size }))).toEqual(
          idsOf(truthOf(sandbox, direction)),
        );
    },
  );

  it('carry exactly what the truth says, even what a double would round', async () => {
    const rows = await allRows(sandbox, 'recibidos', { company: 1 });
    const truth = truthOf(sandbox, 'recibidos', 1);
    const cents = (text: string | null): bigint | null => {
      if (text === null) return null;
      const [whole = '', fraction = ''] = text.split('.');
      return BigInt(whole + fraction.padEnd(2, '0'));
    };
    for (const [i, receipt] of truth.entries()) {
      const row = rows[i];
      expect(row).toMatchObject({
        id: String(receipt.id),
        tipo_comprobante: String(receipt.tipo_comprobante),
        serie: receipt.serie,
        numero: String(receipt.numero),
        fecha_emision: receipt.fecha_emision,
        fecha_firma: receipt.fecha_firma,
        moneda: receipt.moneda,
        emisor: { ruc: receipt.emisor.document, razon_social: receipt.emisor.name },
      });
      expect(row?.receptor?.denominacion ?? null).toBe(receipt.receptor?.name ?? null);
      expect(row?.forma_pago ?? null).toBe(receipt.forma_pago === null ? null : String(receipt.forma_pago));
      expect(row?.estado?.codigo ?? null).toBe(receipt.estado);
      expect(cents(row?.totales?.total ?? null)).toBe(receipt.total);
      expect(cents(row?.totales?.total_pagar ?? null)).toBe(receipt.total_pagar);
    }
  });

  it('say their number and how many rows they hold, and no total', async () => {
    const { json } = await ask(sandbox, pageOf('emitidos', 3, 100));
    expect(Object.keys(json)).toEqual(['items', 'page_number', 'page_size']);
    expect([json.page_number, json.page_size]).toEqual(['3', '50']);
  });

  it('are the first one of 20 rows when nothing is asked', async () => {
    const { json, rows } = await ask(sandbox, `${LIST.emitidos}?FechaDesde=${DAY}&FechaHasta=${DAY}`);
    expect(json.page_number).toBe('1');
    expect(idsOf(rows)).toEqual(truthIds().slice(0, 20));
  });

  it('hold 100 rows at most', async () => {
    expect(await idsOfPage(1, 5000)).toEqual(truthIds().slice(0, 100));
  });

  it('past the end are empty', async () => {
    expect(await idsOfPage(4, 100)).toEqual([]);
    expect(await idsOfPage(2_000_000_000, 100)).toEqual([]);
  });
});

describe('switches of paging', () => {
  it('pastEnd repeats the last page, but not of an empty list', async () => {
    sandbox.behave({ pastEnd: 'repeat' });
    expect(await idsOfPage(9, 100)).toEqual(truthIds().slice(200));
    expect((await ask(sandbox, pageOf('emitidos', 9, 100))).json.page_number).toBe('9');
    expect(await idsOfPage(2, 100, '&Serie=ZZ')).toEqual([]);
  });

  it('pastEnd is 404, but not for the first page of an empty list', async () => {
    sandbox.behave({ pastEnd: '404' });
    expect((await ask(sandbox, pageOf('emitidos', 4, 100))).status).toBe(404);
    expect((await ask(sandbox, pageOf('emitidos', 3, 100))).status).toBe(200);
    expect((await ask(sandbox, pageOf('emitidos', 1, 100, '&Serie=ZZ'))).status).toBe(200);
  });

  it('FechaFirmaHasta leaves out what is signed within its second, after it', async () => {
    const last = truthOf(sandbox, 'emitidos').at(-1);
    expect(last?.fecha_firma).toMatch(/T23:59:59\.[1-9]/);
    const second = last?.fecha_firma.slice(0, 19);
    expect(await idsOfPage(1, 100, `&FechaFirmaDesde=${second}`)).toEqual([String(last?.id)]);
    expect(await idsOfPage(1, 100, `&FechaFirmaDesde=${second}&FechaFirmaHasta=${second}`)).toEqual([]);
  });
});

describe('order', () => {
  it('by id-desc is the truth backwards', async () => {
    sandbox.behave({ order: 'id-desc' });
    expect(idsOf(await allRows(sandbox, 'emitidos'))).toEqual(truthIds().toReversed());
    const tickets = truthOf(sandbox, 'emitidos').filter((r) => r.tipo_comprobante === 101);
    expect(idsOf(await allRows(sandbox, 'emitidos', { more: '&TipoComprobante=101' }))).toEqual(
      idsOf(tickets).toReversed(),
    );
  });

  it('shuffled is neither, the same every time, and complete', async () => {
    sandbox.behave({ order: 'shuffled' });
    const ids = idsOf(await allRows(sandbox, 'emitidos', { size: 30 }));
    expect(ids).not.toEqual(truthIds());
    expect(ids).toEqual(idsOf(await allRows(sandbox, 'emitidos', { size: 100 })));
    expect(ids.toSorted()).toEqual(truthIds().toSorted());
  });
});

describe('the clock', () => {
  const idsAt = async (now: string): Promise<string[]> => {
    sandbox.setNow(now);
    const rows = idsOf(await allRows(sandbox, 'recibidos'));
    expect(rows).toEqual(idsOf(truthOf(sandbox, 'recibidos')));
    return rows;
  };
  afterEach(() => sandbox.setNow(NOW));

  it('decides what has arrived: what was there stays, and more comes behind it', async () => {
    const night = await idsAt('2026-11-20T03:00:00');
    const later = await idsAt('2026-11-24T03:00:00');
    const atLast = await idsAt('2026-12-24T03:00:00');
    expect(later.length).toBeGreaterThan(night.length);
    expect(later.slice(0, night.length)).toEqual(night);
    expect(atLast.slice(0, later.length)).toEqual(later);
    expect(atLast).toHaveLength(250);
  });

  it('decides how statuses stand, even on pages and in filters that were served before', async () => {
    const accepted = '&EstadoReceptor=ACEPTADO';
    const seen = async (now: string) => {
      sandbox.setNow(now);
      const { rows } = await ask(sandbox, pageOf('emitidos', 1, 100));
      const truth = truthOf(sandbox, 'emitidos');
      expect(truth).toHaveLength(250);
      expect(rows.map((row) => row.estado_receptor?.codigo ?? null)).toEqual(
        truth.slice(0, 100).map((receipt) => receipt.estado_receptor),
      );
      const ids = idsOf(await allRows(sandbox, 'emitidos', { more: accepted }));
      expect(ids).toEqual(idsOf(truth.filter((receipt) => receipt.estado_receptor === 'ACEPTADO')));
      return { rows, ids };
    };
    const early = await seen('2026-11-20T00:01:00');
    const late = await seen('2027-03-01T00:00:00');
    expect(late.rows).not.toEqual(early.rows);
    expect(late.ids.length).toBeGreaterThan(early.ids.length);
    expect(await seen('2026-11-20T00:01:00')).toEqual(early);
  });
});
