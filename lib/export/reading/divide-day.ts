import type { IssuedFilters, ReceivedFilters } from '../../api/filters.ts';

/** Filters that divide a day's list (the contract, §4.1, §4.3, §4.5). */
export type PartFilters = Pick<
  ReceivedFilters & IssuedFilters,
  'TipoComprobante' | 'ExcluirTipoComprobante' | 'NumeroDesde' | 'NumeroHasta'
>;

/** What is looked at in a list to divide it. */
export interface DivisibleList {
  readonly rowCount: number;
  /** How many rows have each value; rows without one count under `null`. */
  countBy(column: 'tipo_comprobante' | 'numero'): ReadonlyMap<number | null, number>;
}

/**
 * A day's list in parts, each with so few rows that it was surely not cut: by the types that these lists have, with one
 * part for all others, and these by number. Undefined if the service refuses or ignores a filter, or a part can't be divided
 * further. `readPart` gives undefined in the first case; `mayBeCut` tells of a part.
 */
export async function dividedDay<List extends DivisibleList>(
  lists: readonly List[],
  readPart: (filters: PartFilters) => Promise<List | undefined>,
  mayBeCut: (part: List) => boolean,
): Promise<List[] | undefined> {
  const ofAll = lists.flatMap((list) => [...list.countBy('tipo_comprobante').keys()]);
  const types = [...new Set(ofAll)].filter((type) => type !== null);
  if (types.length === 0) return undefined;
  const others = { TipoComprobante: types, ExcluirTipoComprobante: true };
  const parts: List[] = [];
  const pending: PartFilters[] = [others, ...types.map((type) => ({ TipoComprobante: [type] }))];
  for (let filters = pending.pop(); filters !== undefined; filters = pending.pop()) {
    const part = await readPart(filters);
    if (part === undefined) return undefined;
    if (!mayBeCut(part)) {
      parts.push(part);
      continue;
    }
    const middle = middleNumber(part);
    if (middle === undefined) return undefined;
    pending.push({ ...filters, NumeroDesde: middle }, { ...filters, NumeroHasta: middle - 1 });
  }
  return parts;
}

/** A number with rows below it; undefined if all have the same, or one has none. */
function middleNumber(part: DivisibleList): number | undefined {
  const counts = part.countBy('numero');
  if (counts.has(null)) return undefined;
  const numbers = [...counts.keys()].filter((number) => number !== null).sort((a, b) => a - b);
  const middle = numbers[numbers.length >> 1];
  return middle === numbers[0] ? undefined : middle;
}
