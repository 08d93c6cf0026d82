import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../lib/api/errors.ts';
import { receiptIds } from '../../../lib/api/receipt.ts';
import { List } from '../../../lib/export/reading/list.ts';
import { parseExactJson } from '../../../lib/text/exact-json.ts';
import type { Day } from '../../../lib/time/days.ts';
import { CONTEXT, DAY, RUT } from '../../support/api/api-client.ts';

const NEXT_DAY = '2026-11-20';
const ISSUED_CONTEXT = { ...CONTEXT, direction: 'emitidos' } as const;

/** A sink for one day, whose list may extend to the next day. */
function newSink(to = DAY, context: RequestContext = CONTEXT): List {
  return new List(context, { from: DAY, to: DAY, isPast: to === NEXT_DAY });
}

/** A sink for three days that are asked for as one list. */
function newSinkOfDays(): List {
  return new List(CONTEXT, { from: '2026-11-17', to: DAY, isPast: false });
}

/** Adds a page of these rows to the sink, from index `from` on. */
function add(sink: List, receipts: readonly string[], from = 0): void {
  const items = receipts.map(parseExactJson);
  sink.add({ pageNumber: 1, items, ids: receiptIds(items, CONTEXT) }, from);
}

function idsOf(sink: List, day: Day = DAY): bigint[] {
  const rows = sink.rowsOf(day);
  return Array.from({ length: rows.rowCount }, (_, row) => rows.id(row));
}

describe('the receipts of a unit', () => {
  it('are taken as they come, from the given row on', () => {
    const sink = newSink();
    add(sink, ['{"id":1}', '{"id":2}', '{"id":9007199254740993}'], 1);
    add(sink, ['{"id":4}'], 1);
    expect(idsOf(sink)).toEqual([2n, 9007199254740993n]);
  });

  it.each([
    `"${DAY}T00:00:00"`,
    `"${DAY}T23:59:59.9999999"`,
    `"${DAY}"`,
    'null',
    '"19/11/2026"',
    '20261119',
    '"2026-02-30T00:00:00"',
    '{}',
  ])('of a day by itself are of it, or do not say: %s', (issued) => {
    const sink = newSink();
    add(sink, [`{"id":1,"fecha_emision":${issued}}`, '{"id":2}']);
    expect(idsOf(sink)).toEqual([1n, 2n]);
  });

  it('may be of the day after too, where that was asked for and they do not say', () => {
    const sink = newSink(NEXT_DAY);
    add(sink, [`{"id":1,"fecha_emision":"${DAY}"}`, '{"id":2}', '{"id":3,"fecha_emision":"19/11/2026"}']);
    expect([idsOf(sink), sink.undated]).toEqual([[1n], [2, 3]]);
  });

  it('are not those of the evening before, which a service may count under the day', () => {
    const sink = newSink();
    add(sink, ['{"id":1,"fecha_emision":"2026-11-18T21:00:00"}', '{"id":2}']);
    expect([idsOf(sink), sink.hasEveningBefore]).toEqual([[2n], true]);
  });

  it('are not those of the day after, where that was asked for too', () => {
    const sink = newSink(NEXT_DAY);
    add(sink, [
      `{"id":1,"fecha_emision":"${NEXT_DAY}T00:00:00"}`,
      `{"id":2,"fecha_emision":"${DAY}T00:00:00"}`,
    ]);
    expect([idsOf(sink), sink.days.size]).toEqual([[2n], 1]);
  });
});

describe('a receipt of another day', () => {
  it.each([
    ['2026-11-18T20:59:59', DAY],
    ['2026-11-20T00:00:00', DAY],
    ['2025-11-19T00:00:00', DAY],
    ['2026-11-18T00:00:00', NEXT_DAY],
    ['2026-11-21T00:00:00', NEXT_DAY],
  ])('is refused: %s, when the range ends on %s', (issued, to) => {
    const sink = newSink(to);
    const adding = () => add(sink, ['{"id":1}', `{"id":2,"fecha_emision":"${issued}"}`]);
    expect(adding).toThrow(`receipt 2 has the issue date ${issued.slice(0, 10)}, which was not asked for`);
  });
});

describe('a received receipt', () => {
  it.each([`"${RUT}"`, RUT, `" 21.999983.0019 "`, 'null', '""', '"-"', '{}', 'true'])(
    'is taken with %s as the document of its recipient',
    (document) => {
      const sink = newSink();
      add(sink, [`{"id":1,"receptor":{"nro_doc":${document}}}`]);
      expect(sink.rowsOf(DAY).rowCount).toBe(1);
    },
  );

  it.each(['null', '{}', '"x"', '[]', '12345678901234567890'])(
    'is taken with %s as its recipient',
    (recipient) => {
      const sink = newSink();
      add(sink, [`{"id":1,"receptor":${recipient}}`]);
      expect(sink.rowsOf(DAY).rowCount).toBe(1);
    },
  );

  it.each(['"211003420017"', '211003420017', '"21999983001"', `"${RUT}1"`, '"1"', '"UY 211003420017"'])(
    'of another company is refused: %s',
    (document) => {
      const sink = newSink();
      const adding = () =>
        add(sink, ['{"id":1}', `{"id":9007199254740993,"receptor":{"nro_doc":${document}}}`]);
      expect(adding).toThrow(
        `recibidos of ${RUT}, day ${DAY}: receipt 9007199254740993 has another company as its recipient`,
      );
    },
  );

  it('is that company’s also where a RUT came as a number and lost its leading zero', () => {
    const sink = newSink(DAY, { ...CONTEXT, rut: '020334150013' });
    add(sink, ['{"id":1,"receptor":{"nro_doc":20334150013}}']);
    expect(sink.rowsOf(DAY).rowCount).toBe(1);
  });

  it('of another company is refused also when it is of the day after', () => {
    const sink = newSink(NEXT_DAY);
    const foreign = `{"id":1,"fecha_emision":"${NEXT_DAY}T00:00:00","receptor":{"nro_doc":"211003420017"}}`;
    expect(() => add(sink, [foreign])).toThrow('receipt 1 has another company as its recipient');
  });
});

describe('an issued receipt', () => {
  it('may have any recipient', () => {
    const sink = newSink(DAY, ISSUED_CONTEXT);
    add(sink, ['{"id":1,"receptor":{"ruc":"211003420017","nro_doc":"211003420017"}}']);
    expect(sink.rowsOf(DAY).rowCount).toBe(1);
  });
});

describe('the receipts of several days', () => {
  it('are dealt out to their days', () => {
    const sink = newSinkOfDays();
    add(sink, [
      '{"id":1,"fecha_emision":"2026-11-19T10:00:00"}',
      '{"id":2,"fecha_emision":"2026-11-17"}',
      '{"id":3,"fecha_emision":"2026-11-19T00:00:00"}',
    ]);
    expect([idsOf(sink, '2026-11-17'), idsOf(sink, '2026-11-18'), idsOf(sink)]).toEqual([[2n], [], [1n, 3n]]);
    expect(sink.ends).toEqual({ from: '2026-11-17', to: DAY });
    expect([sink.countOn(DAY), sink.on(DAY).hasTimes]).toEqual([2, true]);
  });

  it.each(['null', '"2026-02-30T00:00:00"', '"19/11/2026"', '7'])(
    'are noted where they say no day that exists: %s',
    (issued) => {
      const sink = newSinkOfDays();
      add(sink, [`{"id":1,"fecha_emision":${issued}}`, '{"id":2}']);
      expect([sink.undated, sink.days.size, sink.rowCount]).toEqual([[1, 2], 0, 2]);
    },
  );

  it('are noted where they say another day', () => {
    const sink = newSinkOfDays();
    add(sink, ['{"id":1,"fecha_emision":"2026-11-16"}']);
    expect([sink.isAmbiguous, sink.days.size]).toEqual([true, 0]);
  });

  it('of another company are a fault of their day alone', () => {
    const sink = newSinkOfDays();
    add(sink, [
      '{"id":1,"fecha_emision":"2026-11-18","receptor":{"nro_doc":"211003420017"}}',
      '{"id":2,"fecha_emision":"2026-11-19"}',
    ]);
    expect([sink.faultOf('2026-11-18'), sink.faultOf(DAY), idsOf(sink)]).toEqual([
      expect.objectContaining({ reason: 'receipt 1 has another company as its recipient' }),
      undefined,
      [2n],
    ]);
  });

  it('have no id under two days', () => {
    const sink = newSinkOfDays();
    add(sink, ['{"id":1,"fecha_emision":"2026-11-18"}', '{"id":2,"fecha_emision":"2026-11-18"}']);
    expect(sink.isAmbiguous).toBe(false);
    add(sink, ['{"id":1,"fecha_emision":"2026-11-19"}']);
    expect(sink.isAmbiguous).toBe(true);
  });

  it('have no id that the day after them has', () => {
    const sink = new List(CONTEXT, { from: '2026-11-17', to: DAY, isPast: true });
    add(sink, ['{"id":1,"fecha_emision":"2026-11-18"}', `{"id":1,"fecha_emision":"${NEXT_DAY}"}`]);
    expect(sink.isAmbiguous).toBe(true);
  });
});
