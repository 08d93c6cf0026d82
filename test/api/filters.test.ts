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
      ? value.map((member) => [`${name}${repeatableSuffix}`, `${member}`])
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
  const name = (typeName = type) => (typeName === 'string' ? 'text' : String(typeName));
  return items === undefined ? (format ?? name()) : `${name(items.type)}s`;
}

it.each([
  [ENDPOINTS.recibidos.listPath, FILTER_KINDS.recibidos],
  [ENDPOINTS.emitidos.listPath, FILTER_KINDS.emitidos],
  [ENDPOINTS.recibidos.legacyListPath, LEGACY_FILTER_KINDS.recibidos],
  [ENDPOINTS.emitidos.legacyListPath, LEGACY_FILTER_KINDS.emitidos],
])('the type of every filter is that of openapi.yaml: %s', async (path, kinds) => {
  const filters = (await documented(path)).filter(({ name }) => !/^page/i.test(name));
  const expected = filters.map(({ name, schema }) => [name.replace('[]', ''), kindOf(schema)]);
  expect(kinds).toEqual(Object.fromEntries(expected));
});

const { Estado: _status, ExcluirEstado: _excluded, ...SHARED } = RECEIVED;
const LEGACY_RECEIVED = { ...SHARED, EstadoEmisor: ['AE', 'BE'], EstadoDgi: ['CE'], Sucursal: [4, 5] };

describe('the query of a list', () => {
  it.each([
    ['recibidos', RECEIVED, LEGACY_RECEIVED],
    ['emitidos', ISSUED, ISSUED],
  ] as const)(
    'has every parameter of openapi.yaml, as the contract writes it: %s',
    async (direction, v2, old) => {
      const { listPath, legacyListPath, paging } = ENDPOINTS[direction];
      const page = withPaging(direction, toQuery(direction, v2), { pageNumber: 3, pageSize: 100 });
      expect([...page]).toEqual([...written(v2), [paging.pageNumber, '3'], [paging.pageSize, '100']]);
      expect(new Set(page.keys())).toEqual(new Set(await documentedNames(listPath)));
      const legacy = toLegacyQuery(direction, old);
      expect([...legacy]).toEqual(written(old, '[]'));
      expect(new Set(legacy.keys())).toEqual(new Set(await documentedNames(legacyListPath)));
    },
  );

  it('omits an empty list and an undefined value', () => {
    expect(toQuery('recibidos', { Serie: [], FechaDesde: undefined }).toString()).toBe('');
  });

  it('refuses a filter of the other direction, which the API might ignore', () => {
    const direction = 'recibidos' as Direction;
    expect(() => toQuery(direction, { Receptor: ['x'] })).toThrow('Receptor is not a filter of this list');
  });
});
