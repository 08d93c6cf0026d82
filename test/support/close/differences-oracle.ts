import { RECEIPT_TABLES } from '../../../lib/lake/tables.ts';
import { centsText, scaled, sumOf } from '../query/exact-sums.ts';
import {
  type Cells,
  type DeclaredCells,
  declaredOf,
  numberText,
  type Rates,
  type Stated,
} from './declared-oracle.ts';
import { detailRow, listRow } from './stated-rows.ts';

/** What differs between a month as it was closed and as it is now, row by row, composed by plain code from receipts. */

export const COLUMNS = (
  'rut parte tabla cambio fecha tipo_comprobante serie numero documento concepto linea codigo tasa moneda' +
  ' campo declarado actual diferencia id'
).split(' ');
export type Difference = Cells;
type Tables = ReturnType<typeof declaredOf>;

export interface Month {
  before: readonly Stated[];
  after: readonly Stated[];
  rates: readonly [before: Rates, after: Rates];
  /** Whether the close is of an earlier version, with OLD's columns. */
  isOld: boolean;
}

/** A column that a query had in an earlier version, with its value, and columns that a query and a list did not have. */
export const GONE = { query: 'libro-iva-ventas', column: 'antes', number: '1', value: 'x' };
export const NEW = { query: 'resguardos', column: 'valor_pesos' };
export const NEW_IN_LIST = { list: 'recibidos', column: 'fecha_firma' };

const PARTS = ['declarado', 'suma', 'otro cambio'];
const ORDER = 'rut parte tabla fecha documento concepto id codigo tasa linea moneda campo'.split(' ');
/** Cells that have no difference: all others are amounts or counts. */
const TEXTS =
  'tipo_comprobante tipo serie numero documento contraparte nombre tipo_cambio cambio_de estado nota';
const BOOKS = { 'libro-iva-ventas': 'emitidos', 'libro-iva-compras': 'recibidos' } as const;
const AMOUNT = /^(no_gravado|exportacion|neto_|iva_|otros|total)/;

/** A row of the answer; what it does not name is null. */
function toldRow(row: Difference): Difference {
  return Object.fromEntries(COLUMNS.map((name) => [name, row[name] ?? null]));
}

const cents = (text: string | null | undefined) => (text == null ? null : scaled(text, 2));

function difference(declared: string | null, now: string | null): string | null {
  return centsText((cents(now) ?? 0n) - (cents(declared) ?? 0n));
}

/** The lines of a table on both sides, one or both of which are there. */
function pairsOf(was: DeclaredCells = new Map(), is: DeclaredCells = new Map()) {
  return [...new Set([...was.keys(), ...is.keys()])].map((key) => ({
    key: JSON.parse(key) as Cells,
    old: was.get(key),
    current: is.get(key),
  }));
}

function changeOf(old: unknown, current: unknown): string {
  if (old === undefined) return 'aparecio';
  return current === undefined ? 'desaparecio' : 'cambio';
}

function cellsOf(declared: Tables, now: Tables, isOld: boolean): Difference[] {
  return [...declared].flatMap(([tabla, was]) =>
    pairsOf(was, now.get(tabla)).flatMap(({ key, old, current }) => {
      const names = Object.keys({ ...old, ...current }).filter(
        (name) => !(isOld && tabla === NEW.query && name === NEW.column),
      );
      if (isOld && tabla === GONE.query) names.push(GONE.column);
      return names.flatMap((campo) => {
        const wasThere = campo === GONE.column && old?.numero === GONE.number ? GONE.value : null;
        const [declarado, actual] = [old?.[campo] ?? wasThere, current?.[campo] ?? null];
        if (declarado === actual) return [];
        const isText = [...TEXTS.split(' '), GONE.column].includes(campo);
        const cell = { campo, declarado, actual, diferencia: isText ? null : difference(declarado, actual) };
        const known = Object.entries(current ?? {}).filter(([, value]) => value !== null);
        const shown = { ...old, ...Object.fromEntries(known), ...key };
        const place = { parte: 'declarado', tabla, cambio: changeOf(old, current) };
        return [toldRow({ ...shown, ...place, ...cell })];
      });
    }),
  );
}

function sumsOf(declared: Tables, now: Tables): Difference[] {
  return Object.keys(BOOKS).flatMap((tabla) => {
    const groups = Map.groupBy(pairsOf(declared.get(tabla), now.get(tabla)), ({ key: { rut, moneda } }) =>
      JSON.stringify({ rut, moneda }),
    );
    return [...groups].flatMap(([group, lines]) => {
      const { rut = null, moneda = null }: Cells = JSON.parse(group);
      const amounts = Object.keys(lines[0]?.old ?? lines[0]?.current ?? {}).filter((name) =>
        AMOUNT.test(name),
      );
      return amounts.flatMap((campo) => {
        const isEqual = lines.every(
          ({ old, current }) => (old?.[campo] ?? null) === (current?.[campo] ?? null),
        );
        if (isEqual || moneda === null) return [];
        const sums = (['old', 'current'] as const).map((side) =>
          centsText(sumOf(lines.map((line) => cents(line[side]?.[campo])))),
        );
        const [declarado = null, actual = null] = sums;
        const cell = { campo, declarado, actual, diferencia: difference(declarado, actual) };
        return [toldRow({ rut, parte: 'suma', tabla, cambio: 'total', moneda, ...cell })];
      });
    });
  });
}

const FIELDS = RECEIPT_TABLES.map(({ name, columns }) => ({
  list: name.replace('_detalle', ''),
  names: columns.map((column) => `${name.endsWith('_detalle') ? 'detalle:' : ''}${column.name}`),
}));
const NOT_COMPARED = /^(detalle:)?(id|rut|fecha|leido|motivo|resumen_sha256|visto_por_ultima_vez)$/;

/** What list and detail state of a receipt, as texts, in the order of their columns. */
function fieldsOf(receipt: Stated, isOld: boolean): Map<string, string | null> {
  const details = Object.entries(receipt.hasDetail ? detailRow(receipt) : {});
  const row = {
    ...listRow(receipt),
    ...Object.fromEntries(details.map(([name, value]) => [`detalle:${name}`, value])),
  };
  const names = FIELDS.filter(({ list }) => list === receipt.direction)
    .flatMap((table) => table.names)
    .filter(
      (name) =>
        !NOT_COMPARED.test(name) &&
        !(isOld && receipt.direction === NEW_IN_LIST.list && name === NEW_IN_LIST.column),
    );
  const textOf = (name: string) => (row[name] === undefined ? null : String(row[name]));
  return new Map(names.map((name) => [name, textOf(name)?.replace(/(?<=^\d{4}-\d\d-\d\d)T/, ' ') ?? null]));
}

const listOf = ({ tabla, concepto }: Difference) => {
  if (tabla === 'resguardos') return concepto === 'efectuada' ? 'emitidos' : 'recibidos';
  return BOOKS[tabla as keyof typeof BOOKS];
};

/** Receipts that came, went or changed, as far as no line of a book or resguardo tells it with the same values. */
function receiptsOf({ before, after, isOld }: Month, cells: readonly Difference[]): Difference[] {
  const listed = (all: readonly Stated[]) =>
    new Map(all.flatMap((receipt) => (receipt.isGone ? [] : [[keyOf(receipt), receipt]])));
  const [was, is] = [listed(before), listed(after)];
  return [...new Map([...was, ...is])].flatMap(([key, stated]) => {
    const { rut, direction: tabla, fecha, type } = stated;
    const [old, current] = [was.get(key), is.get(key)];
    const lines = cells.filter(
      (cell) =>
        listOf(cell) === tabla && cell.rut === rut && cell.fecha === fecha && cell.id === String(stated.id),
    );
    const receipt = {
      rut,
      parte: 'otro cambio',
      tabla,
      cambio: changeOf(old, current),
      fecha,
      id: String(stated.id),
      tipo_comprobante: String(type),
      serie: current?.serie ?? old?.serie ?? null,
      numero: numberText(current?.numero ?? old?.numero ?? null),
      documento: current?.documento ?? old?.documento ?? null,
    };
    if (old === undefined || current === undefined) return lines.length > 0 ? [] : [toldRow(receipt)];
    const [declared, now] = [fieldsOf(old, isOld), fieldsOf(current, isOld)];
    const changed = [...declared.keys()].filter((name) => {
      const [a, b] = [declared.get(name), now.get(name)];
      const isTold = lines.some(
        (cell) => cell.cambio === 'cambio' && cell.declarado === a && cell.actual === b,
      );
      return a !== b && !isTold;
    });
    if (changed.length === 0) return [];
    const textsIn = (fields: typeof now) =>
      changed.flatMap((name) => (fields.get(name) === null ? [] : `${name}: ${fields.get(name)}`)).join('; ');
    return [
      toldRow({ ...receipt, campo: changed.join(', '), declarado: textsIn(declared), actual: textsIn(now) }),
    ];
  });
}

/** A receipt's place: no list has two of an id on a day. */
export function keyOf({ rut, direction, fecha, id }: Stated): string {
  return [rut, direction, fecha, id].join(' ');
}

/** Nothing comes last; ids are numbers. */
function compare(a: Difference, b: Difference): number {
  for (const name of ORDER) {
    const placed = (row: Difference) =>
      name === 'parte' ? PARTS.indexOf(row.parte ?? '') : (row[name] ?? null);
    const [place, otherPlace] = [placed(a), placed(b)];
    if (place === otherPlace) continue;
    if (place === null || otherPlace === null) return place === null ? 1 : -1;
    const isLess = name === 'id' ? Number(place) < Number(otherPlace) : place < otherPlace;
    return isLess ? -1 : 1;
  }
  return 0;
}

/** The answer about a month: of these receipts and no others. */
export function differencesOf(month: Month): Difference[] {
  const { before, after, rates, isOld } = month;
  const [declared, now] = [declaredOf(before, rates[0]), declaredOf(after, rates[1])];
  const cells = cellsOf(declared, now, isOld);
  return [...cells, ...sumsOf(declared, now), ...receiptsOf(month, cells)].toSorted(compare);
}
