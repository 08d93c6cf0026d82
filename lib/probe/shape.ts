import type { Table } from '../lake/tables.ts';
import { ExactNumber, isJsonObject, type JsonObject } from '../text/exact-json.ts';

/** By field (`emisor.ruc`, `items[].nombre`), how often it had which JSON type; `absent`: it was not there. */
export type Shape = Map<string, Record<string, number>>;

/** More than any receipt has. */
const MAX_FIELDS = 500;

/** Adds the fields of these objects, with their types: no value. */
export function addShape(shape: Shape, objects: readonly JsonObject[], prefix = ''): void {
  for (const name of new Set(objects.flatMap((object) => Object.keys(object)))) {
    if (shape.size >= MAX_FIELDS) return;
    // A name may hold anything. It is shown only if it looks like a field's.
    const path = prefix + (/^[a-z_](?!.*\d{4})\w{0,39}$/.test(name) ? name : '…');
    const counts = shape.get(path) ?? {};
    shape.set(path, counts);
    const values = objects.map((object) => (Object.hasOwn(object, name) ? object[name] : undefined));
    for (const type of values.map(typeOf)) counts[type] = (counts[type] ?? 0) + 1;
    addShape(shape, values.filter(isJsonObject), `${path}.`);
    addShape(shape, values.filter(Array.isArray).flat().filter(isJsonObject), `${path}[].`);
  }
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The fields for which the table has no column, and those of its columns that never came. */
export function comparedWith({ columns }: Table, shape: Shape): { unknown: string[]; missing: string[] } {
  const paths = columns.flatMap(({ path }) => path ?? []);
  const isIn = (name: string, other: string) => new RegExp(`^${other}([.[]|$)`).test(name);
  const isKnown = (name: string) => paths.some((path) => isIn(name, path) || isIn(path, name));
  const unknown = [...shape.keys()].filter((name) => name.startsWith('…') || !isKnown(name));
  return { unknown, missing: paths.filter((path) => !shape.has(path)) };
}
