import { gunzipSync, gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { DIRECTIONS } from '../../api/directions.ts';
import type { KnownUnit } from '../company-readings.ts';
import type { TypeTotal } from '../day-totals.ts';

/** What earlier pages read of a company, so that the next one reads only what came since. */
export interface KeptCompany {
  /** First issue date of which the audit was read. */
  from: string;
  /** Audit objects that the readings come from. */
  auditKeys: readonly string[];
  units: readonly KeptUnit[];
}

export interface KeptUnit extends KnownUnit {
  totals?: KeptTotals;
}

/** Totals of a unit's object, and the sum of when it was written until then: they hold until it is written again. */
export interface KeptTotals {
  writtenAt: number | null;
  receipts: number;
  byType: readonly TypeTotal[];
}

/** To be raised whenever what is kept means something else: what another version kept is read anew. */
const VERSION = 1;
/** Half a year of one company is some 500 KB. */
const MAX_BYTES = 64 * 2 ** 20;

const Text = v.nullable(v.string());
const Whole = v.nullable(v.number());
const ReadingSchema = v.object({
  corrida: v.string(),
  estado: v.string(),
  filas: Whole,
  nuevas: Whole,
  cambiadas: Whole,
  desaparecidas: Whole,
  avisos: Whole,
  estable: v.nullable(v.boolean()),
  paginas: Whole,
  solicitudes: Whole,
  reintentos: Whole,
  bytes: Whole,
  error: Text,
  inicio: Whole,
  fin: Whole,
});
const TypeTotalSchema = v.object({
  tipo: Whole,
  moneda: Text,
  receipts: v.number(),
  withoutTotal: v.number(),
  total: v.pipe(
    v.string(),
    v.regex(/^-?\d+$/),
    v.transform((digits) => BigInt(digits)),
  ),
});
const KeptSchema = v.object({
  version: v.literal(VERSION),
  from: v.string(),
  auditKeys: v.array(v.string()),
  units: v.array(
    v.object({
      direction: v.picklist(DIRECTIONS),
      day: v.number(),
      readings: v.object({ shown: v.pipe(v.array(ReadingSchema), v.minLength(1)), count: v.number() }),
      totals: v.optional(
        v.object({ writtenAt: Whole, receipts: v.number(), byType: v.array(TypeTotalSchema) }),
      ),
    }),
  ),
});

export function packKeptCompany(company: KeptCompany): Uint8Array {
  const text = JSON.stringify({ version: VERSION, ...company }, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return gzipSync(text);
}

/** Undefined for what another version of this program kept, or what is no such thing at all. */
export function unpackKeptCompany(bytes: Uint8Array): KeptCompany | undefined {
  try {
    return v.parse(
      KeptSchema,
      JSON.parse(gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString('utf8')),
    );
  } catch {
    return undefined;
  }
}
