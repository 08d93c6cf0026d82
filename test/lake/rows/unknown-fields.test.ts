import { describe, expect, it } from 'vitest';
import {
  parseUnknownFields,
  UnknownFieldCounter,
  unknownFieldsJson,
  withDetailFields,
} from '../../../lib/lake/rows/fields.ts';
import { RECIBIDOS, RECIBIDOS_DETALLE, type Table } from '../../../lib/lake/tables.ts';

function found(others: readonly (object | null)[], table: Table = RECIBIDOS) {
  const counter = new UnknownFieldCounter(table);
  for (const fields of others) counter.add(fields && JSON.stringify(fields));
  return counter.found && [...counter.found];
}

describe('fields that the contract does not name', () => {
  it('are told by path, with the number of receipts that have them', () => {
    expect(found([{ nuevo: 1, 'totales.redondeo': 0.5 }, null, { nuevo: null }])).toEqual([
      ['nuevo', 2],
      ['totales.redondeo', 1],
    ]);
  });

  it('are not those whose value did not fit: neither a column nor an object around columns', () => {
    expect(found([{ numero: 'siete', emisor: 'nobody', 'totales.total': 0.125 }])).toBeUndefined();
    expect(found([{ items: {} }], RECIBIDOS_DETALLE)).toBeUndefined();
    expect(found([{ items: {} }])).toEqual([['items', 1]]);
  });

  it('have a short name of plain characters, whatever the API calls them', () => {
    const [[name = ''] = []] = found([{ [`<b>\n\u202e"razón${'x'.repeat(1000)}`]: 1 }]) ?? [];
    expect(name).toMatch(/^\?b\?\?\?\?raz\?nx+$/);
    expect(name).toHaveLength(60);
    expect(found([{ ['__proto__']: 1, constructor: 1 }])).toEqual([
      ['__proto__', 1],
      ['constructor', 1],
    ]);
  });

  it('are told apart up to twenty of them; a receipt with any others counts once more', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, index]));
    const fields = new Map(found([many, many, { g: 1 }]));
    expect(fields.size).toBe(21);
    expect({ first: fields.get('f0'), last: fields.get('f19'), others: fields.get('*') }).toEqual({
      first: 2,
      last: 2,
      others: 3,
    });
  });

  it('of details are marked, and all are stored sorted by name', () => {
    const fields = withDetailFields(new Map([['nuevo', 3]]), new Map([['nuevo', 2]])) ?? new Map();
    const json = unknownFieldsJson(fields);
    expect(json).toBe('{"detalle:nuevo":2,"nuevo":3}');
    expect(parseUnknownFields(json)).toEqual([
      ['detalle:nuevo', 2],
      ['nuevo', 3],
    ]);
    expect(withDetailFields(undefined, undefined)).toBeUndefined();
  });

  it.each([null, '', '[', '"text"', '{"a":"b"}'])('are none where the audit says %j', (json) => {
    expect(parseUnknownFields(json)).toEqual([]);
  });
});
