import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TypeTotal } from '../../lib/audit/columns.ts';
import { type Calendar, READING_COLUMNS } from '../../lib/coverage/company-coverage.ts';
import { READING_FIELDS, type Reading } from '../../lib/coverage/day.ts';
import { unpackDay } from '../../lib/coverage/html/packed.ts';
import { packDetails } from '../../lib/coverage/html/render-html.ts';
import { anyText } from '../support/texts.ts';

const count = fc.option(fc.nat());
const text = anyText();
const reading: fc.Arbitrary<Reading> = fc.record({
  runId: text,
  state: fc.constantFrom('exportado', 'fallido', 'vacio'),
  receipts: count,
  appeared: count,
  changed: count,
  vanished: count,
  misfits: count,
  isStable: fc.option(fc.boolean()),
  pages: count,
  requests: count,
  retries: count,
  bytes: count,
  error: fc.option(text),
  startedAtSeconds: fc.option(fc.integer()),
  endedAtSeconds: fc.option(fc.integer()),
});
const total: fc.Arbitrary<TypeTotal> = fc.record({
  type: fc.option(fc.integer()),
  currency: fc.option(text),
  receipts: fc.nat(),
  withoutTotal: fc.nat(),
  total: fc.string(),
});
const day = fc.record({
  readings: fc.array(reading, { maxLength: 3 }),
  count: fc.integer({ min: 1, max: 50 }),
  totals: fc.option(fc.array(total, { maxLength: 3 }), { nil: undefined }),
});

describe('packDetails and unpackDay', () => {
  it('give every day back as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.array(day, { maxLength: 5 }), { maxLength: 2 }), (given) => {
        const calendars = given.map((days): Calendar => {
          const cells = days.map(({ readings: shown, count: n }) => {
            const [last] = shown;
            const readings = last && {
              shown,
              count: n,
              last,
              lastGood: undefined,
              totals: null,
              companyName: null,
            };
            return { day: '2026-11-19', state: 'open', receipts: null, readings } as const;
          });
          return { direction: 'recibidos', days: cells };
        });
        const cells = calendars.flatMap(({ days }) => days);
        const packed = packDetails(
          { rut: '', name: undefined, calendars },
          (cell) => given.flat()[cells.indexOf(cell)]?.totals,
        );
        const carried = JSON.parse(JSON.stringify(packed));
        for (const [direction, days] of given.entries()) {
          for (const [place, { readings, count: n, totals }] of days.entries()) {
            const isMissing = readings.length === 0;
            expect(unpackDay(carried, direction, place)).toEqual(
              isMissing ? undefined : { count: n, readings, totals },
            );
          }
        }
      }),
    );
  });

  it('know every field of a reading', () => {
    const fields: readonly string[] = READING_FIELDS;
    expect(READING_COLUMNS.filter((name) => !fields.includes(name))).toEqual(['totals', 'companyName']);
    expect(fields).toHaveLength(READING_COLUMNS.length - 2);
  });
});
