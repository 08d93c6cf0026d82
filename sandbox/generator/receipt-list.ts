import type { Direction } from '../../lib/api/directions.ts';
import type { Amounts } from './amounts.ts';
import { dayText } from './calendar.ts';
import { hashText, mix } from './hash.ts';
import { firstIdOf, type Numbering } from './numbering.ts';
import type { Party, SandboxCompany } from './parties.ts';
import type { StatusRules } from './timeline.ts';
import { type ReceiptsPerDay, volumeOf } from './volume.ts';

/** The parameters of the data. The rules may change while the sandbox runs, the others never do. */
export interface World {
  seed: number;
  receiptsPerDay: ReceiptsPerDay | undefined;
  /** Whether rare amounts have 17 digits. */
  hasLongAmounts: boolean;
  /** One number in this many is skipped in issued series; 0: none. */
  numberingGaps: number;
  rules(): StatusRules & { lateArrivals: boolean };
}

/** All receipts of one company and direction, each made on demand. Days are days since FIRST_DAY. */
export interface ReceiptList {
  rut: string;
  direction: Direction;
  /** Number of receipts of this issue day that have appeared by now: those with the lowest indexes. */
  appeared(day: number, now: number): number;
  receipt(day: number, index: number, now: number): SandboxReceipt;
  /** The receipt's type and number alone: much cheaper than the whole receipt. */
  numberAt(day: number, index: number): TypeAndNumber;
  /** The issuer's numbering; undefined for received receipts. */
  numbering: Numbering | undefined;
}

export interface TypeAndNumber {
  tipo_comprobante: number;
  numero: number;
}

/** A company and its position among the sandbox's companies, which is part of its receipts' ids. */
export interface ListOwner {
  company: SandboxCompany;
  position: number;
}

export interface DayFacts {
  day: number;
  text: string;
  /** `fecha_emision` of the day's receipts. */
  issued: string;
  count: number;
  /** Receipts of the list before this day. */
  before: number;
  firstId: bigint;
  seed: number;
}

/**
 * A receipt inside the sandbox: plain values, under the API's names where it has them. Amounts are in cents. The JSON
 * of lists and details is rendered from it.
 */
export interface SandboxReceipt {
  id: bigint;
  /** The company whose list this is in. */
  rut: string;
  direction: Direction;
  /** The issue day, `YYYY-MM-DD`, and the receipt's index in that day's list. */
  day: string;
  index: number;
  tipo_comprobante: number;
  serie: string;
  numero: number;
  forma_pago: number | null;
  moneda: string | null;
  /** Local date-times as sent; the signature with 0 to 7 fractional digits. */
  fecha_emision: string;
  fecha_firma: string;
  emisor: Party;
  receptor: Party | null;
  amounts: Amounts;
  total: bigint | null;
  total_pagar: bigint | null;
  /** `estado.codigo`; only received receipts have one. */
  estado: string | null;
  /** `estado_receptor.codigo` and `estado_dgi.codigo`; only issued receipts have them. */
  estado_receptor: string | null;
  estado_dgi: string | null;
  id_externo: string | null;
  /** Code of the issuer's branch. */
  sucursal: number;
  /** The hash that decides the receipt's contents and details. */
  chance: number;
  /** The receipt's number among all that this company issues or receives. */
  sequence: number;
}

const DAYS_KEPT = 512;

/** The facts of a list's days, each computed once while it is in use. */
export function dayFacts(owner: ListOwner, direction: Direction, world: World): (day: number) => DayFacts {
  const { company, position } = owner;
  const volume = volumeOf(world.receiptsPerDay, { rut: company.rut, position }, direction);
  const listSeed = mix(hashText(`${company.rut} ${direction}`), world.seed);
  const kept = new Map<number, DayFacts>();

  return (day) => {
    const known = kept.get(day);
    if (known !== undefined) return known;
    if (kept.size >= DAYS_KEPT) kept.clear();
    const text = dayText(day);
    const count = volume.count(day);
    const isEmpty = count === 0;
    const place = { companyPosition: position, isIssued: direction === 'emitidos', day };
    const facts = {
      day,
      text,
      issued: `${text}T00:00:00`,
      count,
      before: isEmpty ? 0 : volume.before(day),
      firstId: isEmpty ? 0n : firstIdOf(place),
      seed: mix(listSeed, day),
    };
    kept.set(day, facts);
    return facts;
  };
}
