import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addDays, type Day, daysBetween } from '../../lib/time/days.ts';
import { DIRECTIONS, type Direction } from '../../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { ask, idsOf, LEGACY, LIST, NOW, rutOf } from './support.ts';

const PER_DAY = 7;
const FROM = '2026-11-11';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: NOW, receiptsPerDay: PER_DAY, behaviour: { lateArrivals: false } });
});
afterEach(() => sandbox.behave({ ...DEFAULT_BEHAVIOUR, lateArrivals: false }));
afterAll(() => sandbox.close());

function truthBetween(direction: Direction, from: Day, to: Day): string[] {
  return daysBetween(from, to).flatMap((day) => idsOf([...sandbox.truth(rutOf(sandbox), direction, day)]));
}

/** Asks for the list between two bounds, as they are sent. `more` is appended to the query. */
function askList(direction: Direction, from: string, to: string, more = '') {
  const size = direction === 'recibidos' ? 'PageSize' : 'pageSize';
  return ask(sandbox, `${LIST[direction]}?FechaDesde=${from}&FechaHasta=${to}&${size}=100${more}`);
}

/** For each kind of bound, the number of days from the list's last day to `FechaHasta`. */
const BOUNDS = [
  { upperBound: 'inclusive', lastBound: 0 },
  { upperBound: 'exclusive', lastBound: 1 },
] as const;

describe.each(DIRECTIONS)('of %s', (direction) => {
  describe.each(BOUNDS)('with an $upperBound bound', ({ upperBound, lastBound }) => {
    const limits = { upperBound, maxRangeDays: 5, lateArrivals: false };
    const bound = (day: Day) => addDays(day, lastBound);

    it.each(['500', '400', 'empty', 'last', 'first'] as const)(
      'the widest list is whole (%s)',
      async (overRange) => {
        sandbox.behave({ ...limits, overRange });
        const to = addDays(FROM, 4);
        const { status, rows } = await askList(direction, FROM, bound(to));
        expect([status, idsOf(rows)]).toEqual([200, truthBetween(direction, FROM, to)]);
        expect(rows).toHaveLength(5 * PER_DAY);
      },
    );

    it.each(['500', '400'] as const)('a wider one is refused with %s', async (overRange) => {
      sandbox.behave({ ...limits, overRange });
      for (const width of [6, 9]) {
        const { status, json } = await askList(direction, FROM, bound(addDays(FROM, width - 1)));
        expect([status, typeof json.message]).toEqual([Number(overRange), 'string']);
      }
    });

    it('a wider one is empty', async () => {
      sandbox.behave({ ...limits, overRange: 'empty' });
      const { status, json } = await askList(direction, FROM, bound(addDays(FROM, 5)));
      expect([status, json]).toMatchObject([200, { items: [], page_number: '1', page_size: '0' }]);
    });

    it('a wider one has its last days only', async () => {
      sandbox.behave({ ...limits, overRange: 'last' });
      const to = addDays(FROM, 8);
      const { rows } = await askList(direction, FROM, bound(to));
      expect(idsOf(rows)).toEqual(truthBetween(direction, addDays(FROM, 4), to));
    });

    it('a wider one has its first days only', async () => {
      sandbox.behave({ ...limits, overRange: 'first' });
      const { rows } = await askList(direction, FROM, bound(addDays(FROM, 8)));
      expect(idsOf(rows)).toEqual(truthBetween(direction, FROM, addDays(FROM, 4)));
    });
  });

  it('what a filter selects is limited as well', async () => {
    const [receipt] = sandbox.truth(rutOf(sandbox), direction, FROM);
    const filter = `&TipoComprobante=${receipt?.tipo_comprobante}&NumeroDesde=${receipt?.numero}&NumeroHasta=${receipt?.numero}`;
    const idsTo = async (to: string) => idsOf((await askList(direction, FROM, to, filter)).rows);
    sandbox.behave({ maxRangeDays: 5, overRange: 'last' });
    expect(await idsTo(addDays(FROM, 4))).toContain(String(receipt?.id));
    expect(await idsTo(addDays(FROM, 5))).not.toContain(String(receipt?.id));
  });

  it('legacy lists are limited as well, and have a bound of their own', async () => {
    const legacy = (to: string) => ask(sandbox, `${LEGACY[direction]}?FechaDesde=${FROM}&FechaHasta=${to}`);
    const [widest, wider] = [addDays(FROM, 4), addDays(FROM, 5)];
    const limits = { maxRangeDays: 5, upperBound: 'exclusive' } as const;
    for (const overRange of ['500', '400'] as const) {
      sandbox.behave({ ...limits, overRange });
      expect((await legacy(wider)).status).toBe(Number(overRange));
      expect(idsOf((await legacy(widest)).rows)).toEqual(truthBetween(direction, FROM, widest));
    }
    sandbox.behave({ ...limits, overRange: 'empty' });
    expect(await legacy(wider)).toMatchObject({ status: 200, rows: [] });
    sandbox.behave({ ...limits, overRange: 'last' });
    expect(idsOf((await legacy(wider)).rows)).toEqual(truthBetween(direction, addDays(FROM, 1), wider));
    sandbox.behave({ ...limits, overRange: 'first' });
    expect(idsOf((await legacy(wider)).rows)).toEqual(truthBetween(direction, FROM, widest));
  });

  it('truth has no limit', async () => {
    const before = truthBetween(direction, FROM, FROM);
    expect(before).toHaveLength(PER_DAY);
    sandbox.behave({ maxRangeDays: 1, overRange: 'empty', resultWindow: 3 });
    expect(truthBetween(direction, FROM, FROM)).toEqual(before);
  });
});

describe.each(DIRECTIONS)('a result window, of %s,', (direction) => {
  const number = direction === 'recibidos' ? 'PageNumber' : 'pageNumber';
  const size = direction === 'recibidos' ? 'PageSize' : 'pageSize';
  const pageIds = async (page: number, to = addDays(FROM, 3)) => {
    const path = `${LIST[direction]}?FechaDesde=${FROM}&FechaHasta=${to}&${number}=${page}&${size}=10`;
    return idsOf((await ask(sandbox, path)).rows);
  };
  const truth = () => truthBetween(direction, FROM, addDays(FROM, 3));

  it('shows the first rows of a list, in whatever pages, and none behind them', async () => {
    sandbox.behave({ resultWindow: 15 });
    expect(await pageIds(1)).toEqual(truth().slice(0, 10));
    expect(await pageIds(2)).toEqual(truth().slice(10, 15));
    expect(await pageIds(3)).toEqual([]);
    const { rows } = await askList(direction, FROM, addDays(FROM, 3));
    expect(idsOf(rows)).toEqual(truth().slice(0, 15));
  });

  it('is of the list as it is ordered and as it is asked for', async () => {
    sandbox.behave({ resultWindow: 15, order: 'id-desc' });
    expect(await pageIds(2)).toEqual(truth().toReversed().slice(10, 15));
    expect(await pageIds(1, FROM)).toEqual(truth().slice(0, PER_DAY).toReversed());
  });

  it('ends where pastEnd begins', async () => {
    sandbox.behave({ resultWindow: 15, pastEnd: 'repeat' });
    expect(await pageIds(3)).toEqual(truth().slice(10, 15));
    sandbox.behave({ resultWindow: 15, pastEnd: '404' });
    const page = `${LIST[direction]}?FechaDesde=${FROM}&FechaHasta=${addDays(FROM, 3)}&${number}=3&${size}=10`;
    expect((await ask(sandbox, page)).status).toBe(404);
  });

  it('does not apply to legacy lists, which have no pages', async () => {
    sandbox.behave({ resultWindow: 15 });
    const { rows } = await ask(
      sandbox,
      `${LEGACY[direction]}?FechaDesde=${FROM}&FechaHasta=${addDays(FROM, 3)}`,
    );
    expect(idsOf(rows)).toEqual(truth());
  });
});
