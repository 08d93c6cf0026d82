import { valueText } from '../lake/parquet/column-values.ts';
import { type DayRange, isWithin } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import type { LakeReceipt } from './lake-receipts.ts';
import { digitsOf } from './official/identities.ts';
import { type Reading, valueIn } from './official/reading.ts';
import type { OfficialList, OfficialReceipt } from './official/receipts.ts';

export type ComparedField =
  | 'tipo'
  | 'serie'
  | 'numero'
  | 'emisor'
  | 'fecha'
  | 'moneda'
  | 'neto'
  | 'iva'
  | 'total';

/** A field that can't be compared; `official`: what the list has in its place, null where it has nothing. */
export interface UncomparedField {
  field: ComparedField;
  official: string | null;
}

/** Where the two lists differ, or where nobody can tell. */
export type Difference =
  | { kind: 'only there'; official: OfficialReceipt }
  | { kind: 'twice there'; official: OfficialReceipt }
  | { kind: 'only here'; receipt: LakeReceipt }
  | {
      /** No book has it, whatever else differs: `gone`, as the API no longer lists it, or `rejected`. */
      kind: 'different' | 'gone' | 'rejected';
      official: OfficialReceipt;
      receipt: LakeReceipt;
      fields: readonly { field: ComparedField; official: string; stored: string }[];
      uncompared: readonly UncomparedField[];
    }
  | {
      kind: 'not compared';
      official: OfficialReceipt;
      /** The lake's receipt, unless the list does not say which one it is, and none is as far as it can be read. */
      receipt?: LakeReceipt;
      uncompared: readonly UncomparedField[];
    };

export interface Reconciliation {
  /** Receipts that are in both, that the books have, and that agree in all that both say, total and date among it. */
  equal: number;
  /** Receipts of the list whose key the lake has. */
  found: number;
  differences: readonly Difference[];
  /** Receipts of the list, of other days than those compared, that the lake's days do not have. */
  outside: readonly OfficialReceipt[];
  /** Issued e-Tickets below the limit, which the authority gets in the daily summary alone: no difference. */
  smallTickets: number;
  /** Rejected receipts that only the lake has, which the books leave out, too: no difference. */
  rejectedHere: number;
  /** Issued e-Tickets that only the lake has, of which it is not known whether they are below the limit. */
  unknownTickets: number;
  /** Receipts whose net and VAT are in the list, and not in the lake: no detail was read, or it states no amount by rate. */
  withoutDetail: number;
  /** Receipts whose net is in the list, and whose detail has more than net and VAT. */
  withoutNet: number;
  /** Receipts whose currency the list does not say. */
  withoutCurrency: number;
}

/** A number is seen under two ids, never under so many; of thousands each row would be compared with each. */
const MOST_CANDIDATES = 10;

const KEY_FIELDS = ['emisor', 'tipo', 'serie', 'numero'] as const;

/**
 * Compares by issuer, type, series and number; then dates, currencies and amounts, to the cent. A row whose key can't
 * be read takes the receipt that no other row took and that agrees with it as far as it can be read.
 */
export function reconcileLists(
  { receipts: official, columns, days }: Pick<OfficialList, 'receipts' | 'columns'> & { days: DayRange },
  lake: readonly LakeReceipt[],
  direction: Direction,
): Reconciliation {
  const byKey = Map.groupBy(lake, (receipt) => keyOf(valuesHere(receipt, direction)));
  /** By key, the ones that no row took yet; the first is at the end. */
  const waiting = new Map([...byKey].map(([key, receipts]) => [key, standing(receipts).toReversed()]));
  const seen = new Set<string>();
  const differences: Difference[] = [];
  const outside: OfficialReceipt[] = [];
  const withoutKey: OfficialReceipt[] = [];
  let [equal, found, withoutDetail, withoutNet, withoutCurrency] = [0, 0, 0, 0, 0];
  for (const officialReceipt of official) {
    const values = officialValues(officialReceipt, direction);
    if (KEY_FIELDS.some((field) => values[field] === null)) {
      withoutKey.push(officialReceipt);
      continue;
    }
    const key = keyOf(values);
    const left = waiting.get(key) ?? [];
    const candidates = left.slice(-MOST_CANDIDATES).toReversed();
    const pairs = candidates.map((receipt) => ({ receipt, ...compared(officialReceipt, receipt, columns) }));
    const pair =
      pairs.find(({ fields, uncompared }) => fields.length + uncompared.length === 0) ??
      pairs.find(({ fields }) => fields.length === 0) ??
      pairs[0];
    if (pair === undefined) {
      const day = valueIn(officialReceipt.day);
      if (day !== null && !isWithin(days, day)) outside.push(officialReceipt);
      else
        differences.push({ kind: seen.has(key) ? 'twice there' : 'only there', official: officialReceipt });
    } else {
      const { receipt, fields, uncompared } = pair;
      left.splice(left.lastIndexOf(receipt), 1);
      found += 1;
      const kind = !receipt.isListed ? 'gone' : isRejected(receipt) ? 'rejected' : 'different';
      if (kind !== 'different' || fields.length > 0)
        differences.push({ kind, official: officialReceipt, receipt, fields, uncompared });
      else if (uncompared.length > 0)
        differences.push({ kind: 'not compared', official: officialReceipt, receipt, uncompared });
      else equal += 1;
      if (lacksDetail(officialReceipt, receipt)) withoutDetail += 1;
      if (hasMoreThanNet(receipt) && (valueIn(officialReceipt.net) ?? 0n) !== 0n) withoutNet += 1;
      if (officialReceipt.currency.state === 'absent' && receipt.currency !== null) withoutCurrency += 1;
    }
    seen.add(key);
  }
  const left = [...waiting.values()].flatMap((receipts) => receipts.toReversed());
  const guessed = guessesOf(withoutKey, left, direction);
  for (const officialReceipt of withoutKey) {
    const receipt = guessed.get(officialReceipt);
    differences.push({
      kind: 'not compared',
      official: officialReceipt,
      receipt,
      uncompared: unreadKey(officialReceipt, direction),
    });
  }
  const taken = new Set(guessed.values());
  const onlyHere = left.filter((receipt) => !taken.has(receipt));
  const unmatched = onlyHere.filter((receipt) => !isRejected(receipt));
  for (const receipt of unmatched)
    if (receipt.ticket === null || receipt.ticket === 'over')
      differences.push({ kind: 'only here', receipt });
  const ticketsOf = (kind: LakeReceipt['ticket']) => unmatched.filter(({ ticket }) => ticket === kind).length;
  return {
    equal,
    found,
    differences,
    outside,
    rejectedHere: onlyHere.length - unmatched.length,
    smallTickets: ticketsOf('under'),
    unknownTickets: ticketsOf('unknown'),
    withoutDetail,
    withoutNet,
    withoutCurrency,
  };
}

/** As no book has it. */
const isRejected = ({ status }: LakeReceipt) => status === 'BE';

/** Among those with one number, the ones that the API still lists, rejected ones last; else one that is gone. */
function standing(receipts: readonly LakeReceipt[]): readonly LakeReceipt[] {
  const listed = receipts.filter(({ isListed }) => isListed);
  if (listed.length === 0) return receipts.slice(0, 1);
  return [...listed.filter((receipt) => !isRejected(receipt)), ...listed.filter(isRejected)];
}

/** What tells one receipt from another, as texts; null where a row does not say it. */
type Values = Readonly<Record<(typeof KEY_FIELDS)[number] | 'fecha' | 'total', string | null>>;

function officialValues(official: OfficialReceipt, direction: Direction): Values {
  const text = (reading: Reading<string | number | bigint>) =>
    reading.state === 'read' ? String(reading.value) : null;
  return {
    // Who issued a company's own receipts is known.
    emisor: direction === 'emitidos' ? '' : text(official.issuer),
    tipo: text(official.type),
    serie: text(official.series),
    numero: text(official.number),
    fecha: text(official.day),
    total: text(official.total),
  };
}

function valuesHere({ issuer, type, series, number, day, total }: LakeReceipt, direction: Direction): Values {
  return {
    emisor: direction === 'emitidos' ? '' : digitsOf(issuer),
    tipo: String(type),
    serie: series,
    numero: String(number),
    fecha: day,
    total: total === null ? null : String(total),
  };
}

function keyOf(values: Values, fields: readonly (keyof Values)[] = KEY_FIELDS): string {
  return fields.map((field) => values[field] ?? '').join(' ');
}

/** The receipt that each row without a key may be: one that agrees in all that can be read, else in its key alone. */
function guessesOf(
  rows: readonly OfficialReceipt[],
  lake: readonly LakeReceipt[],
  direction: Direction,
): Map<OfficialReceipt, LakeReceipt> {
  const guesses = new Map<OfficialReceipt, LakeReceipt>();
  const taken = new Set<LakeReceipt>();
  const stored = lake.map((receipt) => ({ receipt, values: valuesHere(receipt, direction) }));
  for (const fields of [[...KEY_FIELDS, 'fecha', 'total'], KEY_FIELDS] as const) {
    const readable = rows.flatMap((row) => {
      const values = officialValues(row, direction);
      const known = fields.filter((field) => values[field] !== null);
      const says = known.filter((field) => field !== 'tipo' && field !== 'serie' && values[field] !== '');
      return guesses.has(row) || says.length === 0 ? [] : [{ row, known, key: keyOf(values, known) }];
    });
    // One index of the lake at a time, of what is asked for alone: a list may have cells of all sets unreadable.
    for (const alike of Map.groupBy(readable, ({ known }) => known.join()).values()) {
      const { known = [] } = alike[0] ?? {};
      const candidates = new Map(alike.map(({ key }): [string, LakeReceipt[]] => [key, []]));
      for (const { receipt, values } of stored)
        if (!taken.has(receipt)) candidates.get(keyOf(values, known))?.push(receipt);
      for (const { row, key } of alike) {
        const receipt = candidates.get(key)?.pop();
        if (receipt === undefined) continue;
        guesses.set(row, receipt);
        taken.add(receipt);
      }
    }
  }
  return guesses;
}

function unreadKey(official: OfficialReceipt, direction: Direction): UncomparedField[] {
  const fields = [
    ...(direction === 'emitidos' ? [] : ([['emisor', official.issuer]] as const)),
    ['tipo', official.type],
    ['serie', official.series],
    ['numero', official.number],
  ] as const;
  return fields.flatMap(([field, reading]) =>
    reading.state === 'read' ? [] : [{ field, official: shown(reading) }],
  );
}

function shown(reading: Reading<unknown>): string | null {
  return reading.state === 'unreadable' ? reading.text : null;
}

/**
 * What differs, and what can't be compared: a cell that can't be read, a blank one where the lake has something, or an
 * amount where the lake has none that can be known. A currency that either side does not say is left out, and net
 * amounts and VAT that the list has no column of, or the lake no detail, and a net that with VAT is not all. A blank net
 * amount or VAT is zero, which is no more than any other amount where the lake's is doubtful.
 */
function compared(official: OfficialReceipt, receipt: LakeReceipt, columns: OfficialList['columns']) {
  const fields: { field: ComparedField; official: string; stored: string }[] = [];
  const uncompared: UncomparedField[] = [];
  const compare = (
    field: ComparedField,
    reading: Reading<string | bigint>,
    stored: string | bigint | null,
    isNeeded: boolean,
  ) => {
    if (reading.state === 'unreadable') uncompared.push({ field, official: reading.text });
    else if (reading.state === 'absent') {
      if (isNeeded) uncompared.push({ field, official: null });
    } else if (stored === null) {
      const isUnknown = field === 'total' ? reading.value !== 0n : receipt.breakdown === 'doubtful';
      if (typeof reading.value === 'bigint' && isUnknown)
        uncompared.push({ field, official: textOf(reading.value) });
    } else if (reading.value !== stored)
      fields.push({ field, official: textOf(reading.value), stored: textOf(stored) });
  };
  const isTaxedAlone = columns.has('gravado');
  const net = isTaxedAlone ? receipt.taxedNet : receipt.net;
  // A blank one is zero.
  const isNeeded = (hasColumn: boolean, stored: bigint | null) =>
    hasColumn && (stored === null ? receipt.breakdown === 'doubtful' : stored !== 0n);
  compare('fecha', official.day, receipt.day, true);
  compare('moneda', official.currency, receipt.currency, false);
  compare('neto', official.net, net, isNeeded(columns.has('neto') || isTaxedAlone, net));
  compare('iva', official.vat, receipt.vat, isNeeded(columns.has('iva'), receipt.vat));
  compare('total', official.total, receipt.total, receipt.total !== null);
  return { fields, uncompared };
}

/** Of exports and other taxes, nobody knows what the list says as net. */
const hasMoreThanNet = ({ net, breakdown }: LakeReceipt) => net === null && breakdown === 'whole';

function lacksDetail(official: OfficialReceipt, { breakdown, currency }: LakeReceipt): boolean {
  const hasAmounts = official.net.state === 'read' || official.vat.state === 'read';
  return (breakdown === 'none' && hasAmounts) || (currency === null && official.currency.state === 'read');
}

function textOf(value: string | bigint): string {
  return typeof value === 'string' ? value : decimalOf(value);
}

/** Two decimals of hundredths. */
export function decimalOf(cents: bigint): string {
  return valueText('decimal(17,2)', cents) ?? '';
}
