import type { Direction } from '../api/directions.ts';
import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { isJsonObject, type JsonObject, readInt64 } from '../exact-json.ts';
import { plural } from '../text/terminal.ts';
import { type Day, isDay } from '../time/days.ts';

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
  /** The page that the body is; undefined for any other response. */
  page?: ProbePage;
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
export function pageIn(status: number, body: unknown): ProbePage | undefined {
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

/** What the contract leaves open, by the finding's name. */
const QUESTIONS = {
  list: 'What are the habits of this list?',
  pageSize: 'Which page size is honoured?',
  overMaximum: `What does a size over ${MAX_PAGE_SIZE} do?`,
  defaultPageSize: 'How many rows come when no size is asked for?',
  pageSizeField: 'What does page_size count?',
  upperBound: 'Does FechaHasta include its day?',
  pageNumber: 'Is the page number honoured?',
  pastEnd: 'What does a page past the end hold?',
  order: 'In which order do rows come?',
  stability: 'Do pages stay as they are?',
  rangeWidth: 'How many days may a list cover?',
  resultWindow: 'Are rows deep in a list shown?',
  unknownId: 'How is a request for an unknown id answered?',
  missingAuthorization: 'How is a request without the header Authorization answered?',
  missingXEmisor: 'How is a request without the header X-Emisor answered?',
  badFilterValue: 'How is an invalid date answered?',
  unknownParameter: 'How is an unknown parameter answered?',
  parallelism: 'How many requests may be in flight?',
  latency: 'How long does an answer take?',
  retryAfter: 'Does a throttled answer say when to come again (Retry-After)?',
  requestLimit: 'Was everything asked?',
};

/** What the answers say about one question. */
export interface Finding {
  /** For machines. */
  name: keyof typeof QUESTIONS;
  /** The list that it is about; undefined for the API as a whole. */
  direction?: Direction;
  question: string;
  /** In few words; begins with `unknown` if it could not be found out. */
  finding: string;
  /** Requests and responses: counts, statuses and names of fields, never the content of a body. */
  evidence: readonly string[];
}

/** A finding in words, and what it is based on. */
export type Found = readonly [finding: string, evidence: readonly string[]];

export function findingOn(name: Finding['name'], [finding, evidence]: Found, direction?: Direction): Finding {
  return { name, direction, question: QUESTIONS[name], finding, evidence };
}

/** The response in few words: its status, and how many rows or which fields it has. */
export function describeAnswer(answer: ProbeAnswer): string {
  if (answer.status === 0) return `no answer (${answer.failure ?? 'unknown'})`;
  if (answer.page !== undefined) return `status 200, ${rowCount(answer.page)}`;
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
