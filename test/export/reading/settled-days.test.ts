import { expect, it } from 'vitest';
import { ApiError, HttpStatusError, UnprovedDayError } from '../../../lib/api/errors.ts';
import { type AskedDays, noFacts } from '../../../lib/export/reading/facts.ts';
import { List } from '../../../lib/export/reading/list.ts';
import { type Lists, readRange } from '../../../lib/export/reading/read.ts';
import { type Day, daysBetween } from '../../../lib/time/days.ts';
import { RUT, received } from '../../support/export/unit-world.ts';

const [FIRST, LAST] = ['2026-11-18', '2026-11-19'] as const;
const CONTEXT = { rut: RUT, direction: 'recibidos', day: LAST } as const;

/** A list with so many rows of each day, all of them dates. */
function listOf(asked: AskedDays, counts: Partial<Record<Day, number>>): List {
  const list = new List(CONTEXT, asked);
  const items = daysBetween(FIRST, LAST).flatMap((day, index) =>
    Array.from({ length: counts[day] ?? 0 }, (_, row) =>
      received(100 * (index + 1) + row, { fecha_emision: `${day}T00:00:00` }),
    ),
  );
  list.add({ pageNumber: 1, items, ids: items.map(({ id }) => id) }, 0);
  return list;
}

/** Of the last day, the list of both days has `wide` rows and its own list twelve; it can't be had with the next one. */
async function lastDay(wide: number) {
  const lists: Lists<List> = {
    context: CONTEXT,
    facts: { ...noFacts(), isMidnightInclusive: true, deepestRow: 1000 },
    company: { rowCount: 0, hasTimes: false },
    isAborted: () => false,
    hasRowPast: async () => false,
    endsWithRow: async () => false,
    ask: async () => undefined,
    storedDates: async () => ({ rowCount: 0, hasTimes: false }),
    read: async (asked) => {
      if (asked.from === LAST && asked.includesNextDay) throw new HttpStatusError(CONTEXT, 500, 6);
      const isWide = asked.from === FIRST && asked.to === LAST;
      const first = asked.from === FIRST ? { [FIRST]: 12 } : {};
      const last = asked.to === LAST ? { [LAST]: isWide ? wide : 12 } : {};
      return { lists: [listOf(asked, { ...first, ...last })], isStable: true };
    },
  };
  return (await readRange({ from: FIRST, to: LAST }, lists)).days.get(LAST);
}

it('a day that nothing proved is read once other days show that the company gives dates', async () => {
  expect(await lastDay(12)).toMatchObject({ kind: 'read', isStable: true });
});

it('but not where a list of several days had a row that its own list lacks: it fails by name', async () => {
  const result = await lastDay(13);
  expect(result?.kind).toBe('failed');
  expect(result?.kind === 'failed' && result.error).toBeInstanceOf(UnprovedDayError);
  expect(result?.kind === 'failed' && result.error).toBeInstanceOf(ApiError);
});
