import { setImmediate } from 'node:timers/promises';
import type { Direction } from '../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** A night on which all of yesterday's issued and most of its received receipts are in. */
export const NOW = '2026-11-20T03:00:00';
export const DAY = '2026-11-19';

/** A row of a list as it was sent. Numbers are kept as text, so that nothing is rounded. */
export interface Row {
  id: string;
  tipo_comprobante: string;
  serie: string;
  numero: string;
  forma_pago?: string;
  moneda?: string | null;
  fecha_emision: string;
  fecha_firma: string;
  emisor?: { ruc: string; razon_social: string };
  receptor?: { nro_doc: string; denominacion: string } | null;
  totales?: { total: string | null; total_pagar: string | null } | null;
  estado?: { codigo: string | null };
  estado_receptor?: { codigo: string | null };
  estado_dgi?: { codigo: string | null };
  canal?: string;
}

/** The fields of answers besides rows: a page's envelope, a detail's fields, or a refusal. */
export interface Body extends Row {
  page_number: string;
  page_size: string;
  message: string;
  error: string;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  json: Body;
  /** The rows of a page or of a legacy list. */
  rows: Row[];
}

/** Reads JSON with its numbers as texts. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  );
}

export interface Asking {
  /** Which of the sandbox's companies asks; the first by default. */
  company?: number;
  headers?: Record<string, string>;
  method?: string;
  signal?: AbortSignal;
}

/** Sends one request and reads the answer, whatever it is. */
export async function ask(sandbox: Sandbox, path: string, asking: Asking = {}): Promise<Reply> {
  const company = sandbox.companies[asking.company ?? 0];
  const response = await fetch(sandbox.url + path, {
    method: asking.method ?? 'GET',
    redirect: 'manual',
    signal: asking.signal,
    headers: {
      authorization: `Bearer ${company?.token}`,
      'x-emisor': company?.rut ?? '',
      ...asking.headers,
    },
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const json = isJson ? jsonOf(text) : {};
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: json as Body,
    rows: rowsIn(json),
  };
}

function jsonOf(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return {};
  }
}

function rowsIn(json: unknown): Row[] {
  if (Array.isArray(json)) return json;
  const { items, comprobantes } = json as { items?: Row[]; comprobantes?: Row[] };
  return items ?? comprobantes ?? [];
}

export const LIST = {
  recibidos: '/v2/consulta/comprobantes/recibidos',
  emitidos: '/v2/consulta/comprobantes/emitidos',
} as const;

export const LEGACY = {
  recibidos: '/consulta/comprobantes/recibidos',
  emitidos: '/consulta/comprobantes/emitidos',
} as const;

/** Turns the event loop until the condition holds. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

/** The address of a page of one day's list. */
export function pageOf(direction: Direction, page: number, size: number, more = ''): string {
  const [number, length] =
    direction === 'recibidos' ? ['PageNumber', 'PageSize'] : ['pageNumber', 'pageSize'];
  return `${LIST[direction]}?FechaDesde=${DAY}&FechaHasta=${DAY}&${number}=${page}&${length}=${size}${more}`;
}

/** The rows of all pages up to the first empty one. */
export async function allRows(
  sandbox: Sandbox,
  direction: Direction,
  { size = 100, more = '', company = 0 }: { size?: number; more?: string; company?: number } = {},
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const reply = await ask(sandbox, pageOf(direction, page, size, more), { company });
    if (reply.status !== 200) throw new Error(`page ${page}: ${reply.status} ${reply.text}`);
    if (reply.rows.length === 0) return rows;
    rows.push(...reply.rows);
  }
}

export function rutOf(sandbox: Sandbox, company = 0): string {
  return sandbox.companies[company]?.rut ?? '';
}

/** The receipts of DAY, according to the sandbox. */
export function truthOf(sandbox: Sandbox, direction: Direction, company = 0): SandboxReceipt[] {
  return [...sandbox.truth(rutOf(sandbox, company), direction, DAY)];
}

export function idsOf(receipts: readonly { id: unknown }[]): string[] {
  return receipts.map(({ id }) => String(id));
}
