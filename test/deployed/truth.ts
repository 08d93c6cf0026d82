/**
 * What the service says, read and counted by code of its own: no module of lib is used here, so that a fault in both
 * sides of a comparison is not the same one.
 */

export interface Counted {
  receipts: number;
  /** Sum of the amounts payable, in hundredths; receipts without one count as 0. */
  cents: bigint;
}

export interface Company {
  rut: string;
  token: string;
}

const LIST_PARAMETERS = {
  recibidos: ['PageNumber', 'PageSize'],
  emitidos: ['pageNumber', 'pageSize'],
} as const;
export type List = keyof typeof LIST_PARAMETERS;

/** Reads lists page by page, and each receipt's details. The days are `YYYY-MM-DD`, both included. */
export class ServiceTruth {
  private readonly address: string;
  private readonly companies: readonly Company[];

  constructor(address: string, companies: readonly Company[]) {
    this.address = address;
    this.companies = companies;
  }

  async list(list: List, from: string, to: string): Promise<Counted> {
    const found = await Promise.all(this.companies.map((company) => this.rows(list, company, from, to)));
    return counted(found.flat().map(payableOf));
  }

  async details(list: List, from: string, to: string): Promise<Counted> {
    const amounts: bigint[] = [];
    for (const company of this.companies) {
      const waiting = (await this.rows(list, company, from, to)).map((row) => textOf(row, 'id'));
      const read = async () => {
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
          amounts.push(payableOf(await this.ask(`${list}/${id}`, company)));
      };
      await Promise.all(Array.from({ length: 8 }, read));
    }
    return counted(amounts);
  }

  private async rows(list: List, company: Company, from: string, to: string): Promise<Json[]> {
    const [pageNumber, pageSize] = LIST_PARAMETERS[list];
    const byId = new Map<string, Json>();
    for (let page = 1; ; page += 1) {
      const query = new URLSearchParams({
        FechaDesde: from,
        FechaHasta: to,
        [pageNumber]: String(page),
        [pageSize]: '100',
      });
      const rows = (await this.ask(`${list}?${query}`, company)).items;
      if (!Array.isArray(rows)) throw new TypeError('a page without items');
      if (rows.length === 0) break;
      for (const row of rows.map(objectOf)) byId.set(textOf(row, 'id'), row);
    }
    const dayOf = (row: Json) => String(row.fecha_emision).slice(0, 10);
    return [...byId.values()].filter((row) => dayOf(row) >= from && dayOf(row) <= to);
  }

  private async ask(path: string, { rut, token }: Company): Promise<Json> {
    const headers = { authorization: `Bearer ${token}`, 'x-emisor': rut };
    const answer = await fetch(`${this.address}/v2/consulta/comprobantes/${path}`, { headers });
    if (!answer.ok) throw new TypeError(`the service answered ${answer.status}`);
    return objectOf(JSON.parse(await answer.text(), numbersAsText));
  }
}

type Json = Record<string, unknown>;

/** Numbers as they are written: ids have 64 bits, and an amount is no float. */
function numbersAsText(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' ? source : value;
}

function textOf(row: Json, name: string): string {
  const value = row[name];
  if (typeof value !== 'string') throw new TypeError(`a receipt without ${name}`);
  return value;
}

function objectOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new TypeError('no object where one should be');
  return Object.fromEntries(Object.entries(value));
}

function payableOf({ totales }: Json): bigint {
  const amount = totales === null || totales === undefined ? undefined : objectOf(totales).total_pagar;
  return typeof amount === 'string' ? hundredths(amount) : 0n;
}

/** A decimal with at most two digits after its point, in hundredths. */
export function hundredths(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === '') throw new TypeError('not a decimal');
  const value = BigInt(whole + fraction.padEnd(2, '0'));
  return sign === '-' ? -value : value;
}

function counted(amounts: readonly bigint[]): Counted {
  return { receipts: amounts.length, cents: amounts.reduce((sum, amount) => sum + amount, 0n) };
}
