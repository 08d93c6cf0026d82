import { expect, it } from 'vitest';
import { type AskedDays, askedWidth, noFacts } from '../../../lib/export/reading/facts.ts';
import { List } from '../../../lib/export/reading/list.ts';
import { proveWidth } from '../../../lib/export/reading/witness.ts';
import { addDays, type Day } from '../../../lib/time/days.ts';
import { CONTEXT, DAY, RUT } from '../../support/api/api-client.ts';

/** The list of a service that answers lists over two days at most, with a row in the evening of each. */
function listOver(asked: AskedDays): List {
  const list = new List(CONTEXT, asked);
  const days: Day[] = askedWidth(asked) > 2 ? [] : [asked.from, asked.to];
  const items = days.map((day, index) => ({ id: index + 1, fecha_emision: `${day}T22:00:00` }));
  list.add({ pageNumber: 1, items, ids: items.map(({ id }) => id) }, 0);
  return list;
}

it('still has a day asked for with the next one, where the widest list proves a single day only', async () => {
  const facts = noFacts();
  await proveWidth(facts, 4, {
    find: async (widthDays) => ({
      rut: RUT,
      days: { from: addDays(DAY, 1 - widthDays), to: DAY },
      rowCount: 2,
    }),
    knownRows: async () => new List(CONTEXT, { from: DAY, to: DAY, isPast: false }).on(DAY),
    readEnds: async ({ days }, { isPast }) => listOver({ ...days, isPast }),
  });
  expect(facts).toMatchObject({ provedWidthDays: 1, widestDays: 2 });
});
