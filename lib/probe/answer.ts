import type { Direction } from '../api/directions.ts';
import { isJsonObject, type JsonObject, readInt64 } from '../exact-json.ts';
import { plural } from '../text/terminal.ts';
import { type Day, isDay } from '../time/days.ts';

/** The response to one request. */
export interface ProbeAnswer {
  /** 0: no response. */
  status: number;
  /** Why there was no response: a code such as ECONNRESET, or the time limit. */
  failure?: string;
  latencyMs: number;
  retryAfter?: RetryAfter;
  /** The parsed body; undefined if there is none or it is not JSON. */
  body?: unknown;
  bodyKind: 'json' | 'other' | 'none';
}

export interface RetryAfter {
  form: 'seconds' | 'date';
  waitMs: number;
}

/** What the probe needs of a row of a page. */
export interface ProbeRow {
  /** The id as text; '' if there is none. */
  id: string;
  /** Issue date; undefined if missing or unreadable. */
  day: Day | undefined;
  /** Signature date-time, as it came. */
  signature: string | undefined;
  /** Identifies the receipt in filters; undefined if any part is missing. */
  number: FiscalNumber | undefined;
}

export interface FiscalNumber {
  type: string;
  series: string;
  number: string;
}

/** A page envelope (the contract, §2.1). */
export interface ProbePage {
  rows: readonly ProbeRow[];
  pageNumber: unknown;
  pageSize: unknown;
}

/** The page in a response; undefined for any other response. */
export function pageIn({ status, body }: ProbeAnswer): ProbePage | undefined {
  if (status !== 200 || !isJsonObject(body) || !Array.isArray(body.items)) return undefined;
  const items: readonly unknown[] = body.items;
  return { rows: items.map(rowOf), pageNumber: body.page_number, pageSize: body.page_size };
}

function rowOf(item: unknown): ProbeRow {
  if (!isJsonObject(item)) return { id: '', day: undefined, signature: undefined, number: undefined };
  return {
    id: String(readInt64(item.id) ?? ''),
    day: dayOf(item.fecha_emision),
    signature: typeof item.fecha_firma === 'string' ? item.fecha_firma : undefined,
    number: fiscalNumberOf(item),
  };
}

function dayOf(issued: unknown): Day | undefined {
  const day = typeof issued === 'string' ? issued.slice(0, 10) : '';
  return isDay(day) ? day : undefined;
}

function fiscalNumberOf({ tipo_comprobante, serie, numero }: JsonObject) {
  const [type, number] = [readInt64(tipo_comprobante), readInt64(numero)];
  if (type === undefined || number === undefined || typeof serie !== 'string' || serie === '')
    return undefined;
  return { type: String(type), series: serie, number: String(number) };
}

/** What the answers say about one question that the contract leaves open. */
export interface Finding {
  /** For machines: `pageSize`. */
  name: string;
  /** The list that it is about; undefined for the API as a whole. */
  direction?: Direction;
  question: string;
  /** In few words; begins with `unknown` if it could not be found out. */
  finding: string;
  /** Requests and responses: counts, statuses and names of fields, never the content of a body. */
  evidence: readonly string[];
}

/** The response in few words: its status, and how many rows or which fields it has. */
export function describeAnswer(answer: ProbeAnswer): string {
  if (answer.status === 0) return `no answer (${answer.failure ?? 'unknown'})`;
  const page = pageIn(answer);
  if (page !== undefined) return `status 200, ${rowCount(page)}`;
  return `status ${answer.status}, ${shapeOf(answer)}`;
}

export function rowCount({ rows }: ProbePage): string {
  return plural(rows.length, 'row');
}

/** A field of the envelope as text, if it is a number. */
export function numberText(value: unknown): string {
  return typeof value === 'number' ? String(value) : 'no number';
}

const MAX_KEYS = 10;

/** The shape of a body: names of its fields, never their values. */
function shapeOf({ body, bodyKind }: ProbeAnswer): string {
  if (bodyKind === 'none') return 'no body';
  if (bodyKind === 'other') return 'a body that is not JSON';
  if (Array.isArray(body)) return 'a JSON array';
  if (!isJsonObject(body)) return 'a JSON value';
  const keys = Object.keys(body).slice(0, MAX_KEYS);
  return `{${keys.map(safeKey).join(', ')}}`;
}

/** A name may hold anything. It is shown only if it looks like a field's. */
function safeKey(key: string): string {
  return /^[A-Za-z_]\w{0,39}$/.test(key) ? key : '…';
}
