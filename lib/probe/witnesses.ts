import { ApiError } from '../api/errors.ts';
import { FIRST_PAGE, type ListPage } from '../api/list/page.ts';
import { issueMoment } from '../api/receipt.ts';
import type { CompanyLists } from '../export/reading/company-lists.ts';
import { askedWidth, type DayRows } from '../export/reading/facts.ts';
import { List } from '../export/reading/list.ts';
import type { Witnesses } from '../export/reading/witness.ts';
import { isJsonObject } from '../text/exact-json.ts';
import { addDays, type Day } from '../time/days.ts';
import type { Rut } from '../units/rut.ts';
import { wordsOf } from './facts.ts';

/**
 * Witnesses without a lake: receipts that narrow lists show, which a wider one must have too. It is asked for each by
 * its number, so that no wide list needs to be read to its end. All pairs end on `to`, of which `page` has rows.
 * `faults`: what was wrong with lists, by their width in days.
 */
export function probedWitnesses(
  rut: Rut,
  lists: CompanyLists,
  to: Day,
  page: ListPage,
): Witnesses<List> & { faults: Map<number, string> } {
  const { context } = lists;
  const faults = new Map<number, string>();
  const known = new Map<Day, { id: bigint; filters: object; rows: DayRows }>();
  const looked = new Set<Day>();

  function note({ items, ids }: ListPage): void {
    for (const [index, item] of items.entries()) {
      const issued = issueMoment(item);
      if (issued === undefined || !isJsonObject(item)) continue;
      const { day, isAfterMidnight: hasTimes, isEvening: hasEveningRow } = issued;
      // A row of the evening tells about a list that ends on its day, and nothing about one that begins there.
      if (known.get(day)?.rows.hasEveningRow === (day === to)) continue;
      const { tipo_comprobante: type, numero: number } = item;
      const filters = { TipoComprobante: [type], NumeroDesde: number, NumeroHasta: number };
      const id = BigInt(ids[index] ?? 0);
      const rows = { ids: [id], count: 1, hasTimes, hasRowBeforeEvening: !hasEveningRow, hasEveningRow };
      known.set(day, { id, filters, rows });
    }
  }
  note(page);

  async function look(day: Day): Promise<void> {
    const isNew = !known.has(day) && !looked.has(day);
    looked.add(day);
    // Days long ago may be refused.
    if (isNew) await lists.readPage({ from: day, to: day, isPast: true }).then(note, wordsOf);
  }

  return {
    faults,
    async find(width, without) {
      for (let wanted = width; wanted >= 2 && !without.has(rut); wanted >>= 1) {
        // Three days before a day without business is one with it.
        for (const day of [addDays(to, 1 - wanted), addDays(to, -2 - wanted)]) {
          await look(day);
          // Where the newest rows come first, the page may have the next day's alone.
          const from = [day, addDays(day, 1)].find((each) => known.has(each) && each < to);
          if (from !== undefined) return { rut, days: { from, to }, rowCount: 2 };
        }
      }
      return undefined;
    },
    knownRows: async ({ days }) =>
      known.get(to)?.rows ?? new List(context, { ...days, isPast: false }).on(to),
    async readEnds({ days: { from } }, asked) {
      const list = new List(context, asked);
      const width = askedWidth(asked);
      try {
        list.add(await lists.readPage(asked), 0);
        for (const day of list.rowCount === 0 ? [] : [from, to]) {
          const { id = 0n, filters } = known.get(day) ?? {};
          if (![...list.on(day).ids].includes(id))
            list.add(await lists.readPage(asked, FIRST_PAGE, filters), 0);
        }
      } catch (error) {
        if (error instanceof ApiError) faults.set(width, wordsOf(error));
        throw error;
      }
      if (list.rowCount === 0) faults.set(width, 'no rows');
      else if (list.countOn(from) === 0) faults.set(width, 'the first ones are left out in silence');
      else if (list.countOn(to) === 0) faults.set(width, 'the last ones are left out in silence');
      return list;
    },
  };
}
