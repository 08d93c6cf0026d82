import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { addDays, daysBetween } from '../../lib/time/days.ts';
import { DIRECTIONS, type Direction } from '../../lib/units/unit.ts';
import { DEFAULT_BEHAVIOUR, type SandboxBehaviour } from '../../sandbox/behaviour.ts';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { campaign } from '../support/campaign.ts';
import { newSandbox, sharedSandbox } from '../support/sandbox.ts';
import { addressOf, filtersOf, inOrder, type ListRequest, pageOf, selectedBy } from './list-model.ts';
import { ask, DAY, idsOf, NOW, type Reply, rutOf } from './support.ts';

const PER_DAY = 12;
const DAYS = daysBetween(addDays(DAY, -4), DAY);
/** A minute after the day, a night, days later, and when everything has arrived and no status changes any more. */
const MOMENTS = ['2026-11-20T00:01:00', NOW, '2026-11-24T03:00:00', '2027-03-01T00:00:00'] as const;

const sandbox = await sharedSandbox({ now: NOW, receiptsPerDay: PER_DAY, longAmounts: true });
afterEach(() => {
  sandbox.behave(DEFAULT_BEHAVIOUR);
  sandbox.setNow(NOW);
});

function truthOn(day: string, direction: Direction, company = 0): SandboxReceipt[] {
  return [...sandbox.truth(rutOf(sandbox, company), direction, day)];
}

/** A row as it should be sent, without what is null. */
function expectedRow(receipt: SandboxReceipt): object {
  const { id, tipo_comprobante, serie, numero, fecha_emision, fecha_firma, emisor, receptor } = receipt;
  const texts = { id: `${id}`, tipo_comprobante: `${tipo_comprobante}`, serie, numero: `${numero}` };
  const totales = { total: amountText(receipt.total), total_pagar: amountText(receipt.total_pagar) };
  const common = { ...texts, fecha_emision, fecha_firma, totales };
  if (receipt.direction === 'emitidos')
    return withoutNulls({
      ...common,
      receptor: { ruc: receptor?.document, razon_social: receptor?.name },
      estado_receptor: { codigo: receipt.estado_receptor },
      estado_dgi: { codigo: receipt.estado_dgi },
    });
  return withoutNulls({
    ...common,
    forma_pago: receipt.forma_pago?.toString(),
    moneda: receipt.moneda,
    emisor: { ruc: emisor.document, razon_social: emisor.name },
    receptor: { nro_doc: receptor?.document, denominacion: receptor?.name },
    estado: { codigo: receipt.estado },
  });
}

function amountText(cents: bigint | null): string | null {
  if (cents === null) return null;
  const size = cents < 0n ? -cents : cents;
  const text = `${size / 100n}.${String(size % 100n).padStart(2, '0')}`.replace(/\.?0+$/, '');
  return cents < 0n ? `-${text}` : text;
}

function withoutNulls(row: object): object {
  return JSON.parse(JSON.stringify(row), (_, value) =>
    value === null || (typeof value === 'object' && Object.keys(value).length === 0) ? undefined : value,
  );
}

const behaviours = fc.record(
  {
    pageCap: fc.constantFrom(100, 7, 1),
    pageSizeIgnored: fc.constantFrom(0, 0, 8, 150),
    upperBound: fc.constantFrom('inclusive', 'exclusive'),
    pastEnd: fc.constantFrom('empty', 'repeat', '404'),
    order: fc.constantFrom('id', 'id-desc', 'signature-desc'),
    pageParameterIgnored: fc.constantFrom('no', 'no', 'echo', 'one'),
    lateArrivals: fc.boolean(),
    statusFlips: fc.boolean(),
    maxRangeDays: fc.constantFrom(0, 1, 4),
    overRange: fc.constantFrom('500', '400', 'empty', 'last', 'first'),
    resultWindow: fc.constantFrom(0, 10, 15),
  },
  { requiredKeys: [] },
);

/** Indexes of one day that are not shown. */
const hiddenBlocks = fc.array(
  fc
    .tuple(fc.constantFrom(...DAYS.slice(-2)), fc.nat(PER_DAY), fc.nat(4))
    .map(([day, start, length]) => ({ day, start, end: start + length })),
  { maxLength: 4 },
);

/** Some in a row that differ in little, because what one is answered from is kept for the next. */
function requests() {
  const within = (least: number, most: number) =>
    fc.option(
      fc.integer({ min: least, max: most }).map((days) => addDays(DAY, days)),
      { nil: undefined, freq: 12 },
    );
  return fc.constantFrom(...DIRECTIONS).chain((direction) => {
    const filters = filtersOf(
      direction,
      DAYS.flatMap((day) => truthOn(day, direction)),
    );
    const condition = fc.constantFrom(...filters).chain((filter) => {
      const value = fc.constantFrom(...filter.values);
      return fc.record({
        filter: fc.constant(filter),
        values: filter.isRepeatable ? fc.array(value, { maxLength: 3 }) : fc.tuple(value),
        excluding: fc.constantFrom(undefined, undefined, 'true', 'True', 'false'),
      });
    });
    const parts = {
      endpoint: fc.constantFrom('list', 'legacy'),
      company: fc.constantFrom(0, 0, 0, 1),
      now: fc.constantFrom(...MOMENTS),
      from: within(-5, 0),
      to: within(-2, 3),
      page: fc.constantFrom(undefined, 1, 1, 2, 3, 6, 2_000_000_000),
      size: fc.constantFrom(undefined, 1, 5, 10, 50, 5_000),
      conditions: fc.uniqueArray(condition, { maxLength: 3, selector: ({ filter }) => filter.name }),
    } as const;
    const { endpoint, company, now, page, size, conditions } = parts;
    const changed = fc.oneof(
      fc.record({ endpoint }),
      fc.record({ company }),
      fc.record({ now }),
      fc.record({ now }),
      fc.record({ page, size }),
      fc.record({ conditions }),
      fc.constant({ isTurnedRound: true }),
    );
    const courses = fc.tuple(fc.record(parts), fc.array(changed, { maxLength: 4 }));
    return courses.map(([rest, changes]) => {
      const first: ListRequest = { direction, ...rest };
      return [first, ...changes.map((change) => varied(first, change))];
    });
  });
}

/** The request with a part in place of its own, or with its filters turned round. */
function varied(
  request: ListRequest,
  change: Partial<ListRequest> | { isTurnedRound: boolean },
): ListRequest {
  if (!('isTurnedRound' in change)) return { ...request, ...change };
  const turned = request.conditions.map((condition) => ({
    ...condition,
    excluding: condition.excluding === 'true' ? 'false' : 'true',
  }));
  return { ...request, conditions: turned };
}

function expectAnswer(
  { status, json, rows }: Reply,
  request: ListRequest,
  behaviour: SandboxBehaviour,
  selected: SandboxReceipt[] | number,
): void {
  const expected =
    typeof selected === 'number'
      ? { status: selected, receipts: [], number: 0 }
      : request.endpoint === 'legacy'
        ? { status: 200, receipts: selected, number: 0 }
        : pageOf(request, behaviour, selected);
  expect(status).toBe(expected.status);
  expect(rows.map(withoutNulls)).toEqual(expected.receipts.map(expectedRow));
  if (status !== 200) expect(json).toEqual({ message: expect.any(String) });
  else if (request.endpoint === 'list') {
    const envelope = { items: rows, page_number: `${expected.number}`, page_size: `${rows.length}` };
    expect(json).toEqual(envelope);
  }
}

describe('a list', () => {
  it('has the rows that its request selects, whatever it is and however the service behaves', async () => {
    await fc.assert(
      fc.asyncProperty(behaviours, hiddenBlocks, requests(), async (changes, blocks, asked) => {
        const behaviour = { ...DEFAULT_BEHAVIOUR, ...changes };
        sandbox.behave(behaviour);
        const expected = asked.map((request) => {
          sandbox.setNow(request.now);
          return selectedBy(request, behaviour, (ofDay) => {
            const hidden = blocks.filter(({ day }) => day === ofDay);
            const isShown = (index: number) =>
              !hidden.some(({ start, end }) => start <= index && index < end);
            return truthOn(ofDay, request.direction, request.company).filter((_, index) => isShown(index));
          });
        });
        sandbox.behave({ hidden: ({ day: ofDay }) => blocks.filter(({ day }) => day === ofDay) });
        for (const [index, request] of asked.entries()) {
          sandbox.setNow(request.now);
          const reply = await ask(sandbox, addressOf(request), request);
          expectAnswer(reply, request, behaviour, expected[index] ?? 0);
        }
      }),
      { numRuns: campaign({ quick: 50, long: 3_000 }) },
    );
  });

  const request = { endpoint: 'list', company: 0, now: NOW, from: DAY, to: DAY, conditions: [] } as const;

  it.each([
    ['what its receipts’ statuses are at each moment', 'EstadoReceptor', ['ACEPTADO']],
    ['a whole external id, and no part of it', 'id_externo', undefined],
  ])('is selected by %s', async (_, name, given) => {
    const receipts = truthOn(DAY, 'emitidos');
    const filter = filtersOf('emitidos', receipts).find((known) => known.name === name);
    if (filter === undefined) throw new RangeError(`there is no filter ${name}`);
    const found: number[] = [];
    for (const value of given ?? filter.values)
      for (const now of [MOMENTS[0], MOMENTS[3], MOMENTS[0]]) {
        sandbox.setNow(now);
        const conditions = [{ filter, values: [value] }];
        const asked = { ...request, direction: 'emitidos', now, conditions } as const;
        const expected = selectedBy(asked, DEFAULT_BEHAVIOUR, (day) => truthOn(day, 'emitidos'));
        expectAnswer(await ask(sandbox, addressOf(asked)), asked, DEFAULT_BEHAVIOUR, expected);
        found.push(Number(typeof expected === 'number' || expected.length));
      }
    expect(new Set(found).size).toBe(2);
  });

  it.each(DIRECTIONS)('of many %s is in its order, in pages of any size', async (direction) => {
    const large = await newSandbox({ now: NOW, receiptsPerDay: 1_000 });
    const truth = [...large.truth(rutOf(large), direction, DAY)];
    const idsInPagesOf = async (size: number) => {
      const ids: string[] = [];
      for (let page = 1; page <= Math.ceil(truth.length / size); page++)
        ids.push(...idsOf((await ask(large, addressOf({ ...request, direction, page, size }))).rows));
      return ids;
    };
    large.behave({ order: 'signature-desc' });
    expect(await idsInPagesOf(100)).toEqual(idsOf(inOrder(truth, 'signature-desc')));
    large.behave({ order: 'shuffled' });
    const ids = await idsInPagesOf(70);
    expect(await idsInPagesOf(100)).toEqual(ids);
    expect(ids.toSorted()).toEqual(idsOf(truth).toSorted());
    expect(ids).not.toEqual(idsOf(truth));
  });

  it.each(['1999-01-01', '2011-12-31', '2027-06-01', '2150-01-01'] as const)(
    'of %s is empty',
    async (day) => {
      for (const direction of DIRECTIONS)
        expect((await ask(sandbox, addressOf({ ...request, direction, from: day, to: day }))).rows).toEqual(
          [],
        );
    },
  );
});
