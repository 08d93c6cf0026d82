import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  ENDPOINTS,
  FILTER_KINDS,
  LEGACY_FILTER_KINDS,
  toLegacyQuery,
  toQuery,
  withPaging,
} from '../../lib/api/filters.ts';
import type { Direction } from '../../lib/units/unit.ts';

/** A value for every filter of the received list (§4.1). */
const RECEIVED = {
  FechaDesde: '2026-11-01',
  FechaHasta: '2026-11-30',
  FechaFirmaDesde: '2026-11-01T00:00:00',
  FechaFirmaHasta: '2026-11-30T23:59:59',
  Emisor: ['Ñandú & Cía', '211003420017'],
  Serie: ['A', 'BB'],
  ExcluirSerie: true,
  NumeroDesde: 1,
  NumeroHasta: 9_999_999,
  TipoComprobante: [101, 111],
  ExcluirTipoComprobante: false,
  Estado: ['AE', 'BE'],
  ExcluirEstado: true,
};

/** The same for the issued list (§4.3). */
const ISSUED = {
  FechaDesde: '2024-02-29',
  FechaHasta: '2024-02-29',
  FechaFirmaDesde: '2024-02-29T00:00:00',
  FechaFirmaHasta: '2024-03-01T00:00:00',
  id_externo: 'pedido 7/b',
  Receptor: ['Pérez', '0'],
  Serie: ['A', '1Z'],
  ExcluirSerie: false,
  NumeroDesde: 10,
  NumeroHasta: 20,
  TipoComprobante: [181, 182],
  ExcluirTipoComprobante: true,
  EstadoReceptor: ['ACEPTADO', 'otro'],
  ExcluirEstadoReceptor: true,
  EstadoDgi: ['AE', 'CE'],
  ExcluirEstadoDgi: false,
  Sucursal: [1, 2],
  ExcluirSucursal: true,
};

/** The query that the contract expects, value by value. */
function written(filters: object, repeatableSuffix = ''): string[][] {
  return Object.entries(filters).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((each) => [`${name}${repeatableSuffix}`, `${each}`])
      : [[name, `${value}`]],
  );
}

/** The names of a path's query parameters in openapi.yaml, in the order listed there. */
async function documentedNames(path: string): Promise<string[]> {
  return (await documented(path)).map(({ name }) => name);
}

interface Parameter {
  name: string;
  schema: { $ref?: string; type?: string; format?: string; items?: { type: string } };
}

async function documented(path: string): Promise<Parameter[]> {
  const document = parse(await readFile(new URL('openapi.yaml', import.meta.url), 'utf8'));
  const references: { $ref: string }[] = document.paths[path].get.parameters;
  return references.map(({ $ref }) => document.components.parameters[$ref.split('/').at(-1) ?? '']);
}

function kindOf({ $ref = '', type, format, items }: Parameter['schema']): string {
  if ($ref.endsWith('/DateTimeBound')) return 'dateTime';
  const name = (one = type) => (one === 'string' ? 'text' : String(one));
  return items === undefined ? (format ?? name()) : `${name(items.type)}s`;
}

describe('the type of every filter', () => {
  it.each([
    [ENDPOINTS.recibidos.listPath, FILTER_KINDS.recibidos],
    [ENDPOINTS.emitidos.listPath, FILTER_KINDS.emitidos],
    [ENDPOINTS.recibidos.legacyListPath, LEGACY_FILTER_KINDS.recibidos],
    [ENDPOINTS.emitidos.legacyListPath, LEGACY_FILTER_KINDS.emitidos],
  ])('is that of openapi.yaml: %s', async (path, kinds) => {
    const filters = (await documented(path)).filter(({ name }) => !/^page/i.test(name));
    const expected = filters.map(({ name, schema }) => [name.replace('[]', ''), kindOf(schema)]);
    expect(kinds).toEqual(Object.fromEntries(expected));
  });
});

describe('toQuery', () => {
  it('writes every filter as the contract does', () => {
    expect([...toQuery('recibidos', RECEIVED)]).toEqual(written(RECEIVED));
    expect([...toQuery('emitidos', ISSUED)]).toEqual(written(ISSUED));
  });

  it("is followed by page number and size under each direction's own names", () => {
    const paging = { pageNumber: 3, pageSize: 100 };
    const received = withPaging('recibidos', toQuery('recibidos', { Serie: ['A'] }), paging);
    expect(received.toString()).toBe('Serie=A&PageNumber=3&PageSize=100');
    const issued = withPaging('emitidos', toQuery('emitidos', { Serie: ['A'] }), paging);
    expect(issued.toString()).toBe('Serie=A&pageNumber=3&pageSize=100');
  });

  it('leaves no parameter of openapi.yaml out, and adds none', async () => {
    const paging = { pageNumber: 1, pageSize: 1 };
    const received = withPaging('recibidos', toQuery('recibidos', RECEIVED), paging);
    const issued = withPaging('emitidos', toQuery('emitidos', ISSUED), paging);
    expect(new Set(received.keys())).toEqual(new Set(await documentedNames(ENDPOINTS.recibidos.listPath)));
    expect(new Set(issued.keys())).toEqual(new Set(await documentedNames(ENDPOINTS.emitidos.listPath)));
  });

  it('omits an empty list and an undefined value', () => {
    expect(toQuery('recibidos', { Serie: [], TipoComprobante: [], FechaDesde: undefined }).toString()).toBe(
      '',
    );
  });

  it('refuses a filter of the other direction, which the API might ignore', () => {
    const direction = 'recibidos' as Direction;
    expect(() => toQuery(direction, { Receptor: ['x'] })).toThrow('Receptor is not a filter of this list');
  });
});

describe('toLegacyQuery', () => {
  it('writes every filter of the received list, [] on repeatable ones', async () => {
    const { Estado, ExcluirEstado, ...shared } = RECEIVED;
    const filters = { ...shared, EstadoEmisor: ['AE', 'BE'], EstadoDgi: ['CE'], Sucursal: [4, 5] };
    const query = toLegacyQuery('recibidos', filters);
    expect([...query]).toEqual(written(filters, '[]'));
    expect(new Set(query.keys())).toEqual(new Set(await documentedNames(ENDPOINTS.recibidos.legacyListPath)));
  });

  it('writes every filter of the issued list, [] on repeatable ones', async () => {
    const query = toLegacyQuery('emitidos', ISSUED);
    expect([...query]).toEqual(written(ISSUED, '[]'));
    expect(new Set(query.keys())).toEqual(new Set(await documentedNames(ENDPOINTS.emitidos.legacyListPath)));
  });
});
