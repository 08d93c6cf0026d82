import * as v from 'valibot';
import type { UnknownFields } from '../../units/unit.ts';
import type { Value } from '../parquet/writer.ts';
import type { Table } from '../tables.ts';

/** Fields of a unit that are told apart. Whoever sends a new name with each receipt fills no audit. */
const MOST_NAMES = 20;
/** Stands for all others. No name is shown like this. */
export const OTHER_FIELDS = '*';
const LONGEST_NAME = 60;

/** Finds them in `otros`, which also has values that did not fit their column. */
export class UnknownFieldCounter {
  private readonly known: ReadonlySet<string>;
  private readonly receipts = new Map<string, number>();

  constructor({ columns }: Table) {
    this.known = new Set(
      columns.flatMap(({ path }) => (path === undefined ? [] : [path, ...levelsOf(path)])),
    );
  }

  /** `others`: `otros` of a receipt. */
  add(others: Value | undefined): void {
    if (typeof others !== 'string') return;
    const names = new Set<string>();
    for (const path of Object.keys(JSON.parse(others))) {
      if (this.known.has(path)) continue;
      const name = printableName(path);
      const isTold = this.receipts.has(name) || this.receipts.size < MOST_NAMES;
      if (isTold && !this.receipts.has(name)) this.receipts.set(name, 0);
      names.add(isTold ? name : OTHER_FIELDS);
    }
    for (const name of names) this.receipts.set(name, (this.receipts.get(name) ?? 0) + 1);
  }

  /** Undefined if there are none. */
  get found(): UnknownFields | undefined {
    return this.receipts.size === 0 ? undefined : this.receipts;
  }
}

/** `a.b.c` is in `a` and `a.b`. */
function levelsOf(path: string): string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}

/** The API makes the name up: it goes into the audit, the log and the page, so it is short and of plain characters. */
function printableName(path: string): string {
  return path.slice(0, LONGEST_NAME).replaceAll(/[^\w.-]/g, '?');
}

/** Both together. Names of details are marked: a field may be known in the one and not in the other. */
export function withDetailFields(
  ofList: UnknownFields | undefined,
  ofDetails: UnknownFields | undefined,
): UnknownFields | undefined {
  if (ofDetails === undefined) return ofList;
  const marked = [...ofDetails].map(([name, receipts]) => [`detalle:${name}`, receipts] as const);
  return new Map([...(ofList ?? []), ...marked]);
}

/** As `exportaciones` stores them. */
export function unknownFieldsJson(fields: UnknownFields): string {
  return JSON.stringify(Object.fromEntries([...fields].sort(([one], [other]) => (one < other ? -1 : 1))));
}

const FieldsSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()));

/** None if the audit has none, or they can't be parsed. */
export function parseUnknownFields(json: string | null): (readonly [name: string, receipts: number])[] {
  if (json === null) return [];
  const parsed = v.safeParse(FieldsSchema, json);
  return parsed.success ? Object.entries(parsed.output) : [];
}
