import type { Direction } from '../../api/directions.ts';
import type { Amounts } from './amounts.ts';
import type { Party } from './parties.ts';

/**
 * A receipt as the sandbox knows it: plain values, under the API's names where it has one. Amounts are
 * cents. The JSON of lists and details is rendered from this.
 */
export interface SandboxReceipt {
  id: bigint;
  /** The company whose list this is in. */
  rut: string;
  direction: Direction;
  /** The issue day, `YYYY-MM-DD`, and the receipt's place in that day's list. */
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
  /** What the totals are made of. */
  amounts: Amounts;
  /** Cents. */
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
  /** What the generator draws the receipt's contents and details from. */
  chance: number;
  /** The receipt's place in all that this company ever issued or received. */
  sequence: number;
}
