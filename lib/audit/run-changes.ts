import { OTHER_FIELDS, parseUnknownFields } from '../lake/rows/fields.ts';
import { DIRECTIONS, type Direction } from '../units/unit.ts';
import { type AuditRow, unitName } from './row.ts';

/** Receipts that a run found new or different, of one company. */
export interface ReceiptChanges {
  /** The lake did not have them. */
  fresh: number;
  changed: number;
  vanished: number;
  rejected: number;
}

/** A field that the contract does not name, in the lists or details of a direction. */
export interface UnknownField {
  direction: Direction;
  path: string;
  receipts: number;
}

interface UnitChanges extends ReceiptChanges {
  direction: Direction;
  unknown: Map<string, number>;
}

/**
 * Sums what a run found, from its rows in whatever order. A unit that was tried again has several rows, and each counts
 * all that the run had found by then: the greatest number counts, so that a failure at the end takes nothing back.
 */
export function changesOfRun() {
  const units = new Map<string, UnitChanges>();
  return {
    add(row: AuditRow): void {
      const name = unitName(row.rut, row.direction, row.dayNumber);
      const unit = units.get(name) ?? { ...NO_CHANGES, direction: row.direction, unknown: new Map() };
      units.set(name, unit);
      unit.fresh = Math.max(unit.fresh, freshOf(row));
      unit.changed = Math.max(unit.changed, row.changed ?? 0);
      unit.vanished = Math.max(unit.vanished, row.vanished ?? 0);
      unit.rejected = Math.max(unit.rejected, row.rejected ?? 0);
      for (const [path, receipts] of parseUnknownFields(row.unknownFields)) {
        unit.unknown.set(path, Math.max(unit.unknown.get(path) ?? 0, receipts));
      }
    },
    total(): ReceiptChanges {
      const total = { ...NO_CHANGES };
      for (const unit of units.values()) for (const name of CHANGES) total[name] += unit[name];
      return total;
    },
    /** Adds the unknown fields of all units. */
    addUnknownTo(sums: UnknownFieldSums): void {
      for (const { direction, unknown } of units.values()) sums.add(direction, unknown);
    },
  };
}

/** Receipts of a unit that the lake did not have. In a first reading, none counts as appeared. */
export function freshOf({
  isFirstReading,
  receipts,
  appeared,
}: {
  isFirstReading?: boolean | null;
  receipts?: number | null;
  appeared?: number | null;
}): number {
  return (isFirstReading === true ? receipts : appeared) ?? 0;
}

const NO_CHANGES: ReceiptChanges = { fresh: 0, changed: 0, vanished: 0, rejected: 0 };
const CHANGES = ['fresh', 'changed', 'vanished', 'rejected'] as const;

/** Fields of a direction that are told apart. */
const MOST_FIELDS = 100;

/** Unknown fields of many units, by direction and path. */
export class UnknownFieldSums {
  private readonly sums = new Map<Direction, Map<string, number>>();

  add(direction: Direction, fields: Iterable<readonly [path: string, receipts: number]>): void {
    const receiptsByPath = this.sums.get(direction) ?? new Map<string, number>();
    this.sums.set(direction, receiptsByPath);
    for (const [path, receipts] of fields) {
      const name = receiptsByPath.has(path) || receiptsByPath.size < MOST_FIELDS ? path : OTHER_FIELDS;
      receiptsByPath.set(name, (receiptsByPath.get(name) ?? 0) + receipts);
    }
  }

  list(): UnknownField[] {
    return DIRECTIONS.flatMap((direction) =>
      [...(this.sums.get(direction) ?? [])]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, receipts]) => ({ direction, path, receipts })),
    );
  }
}
