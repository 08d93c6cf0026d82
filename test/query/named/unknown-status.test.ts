import { describe, expect, it } from 'vitest';
import { DIRECTIONS } from '../../../lib/units/unit.ts';
import { askedLake, lakeOfBothLists } from '../../support/query/lake-of-both-lists.ts';
import type { MadeRow } from '../../support/query/made-lake.ts';
import { detail, issued, RUT, received, SUPPLIER } from '../../support/query/made-receipts.ts';

/** A status that is no code that is known: nobody can tell whether the receipt was rejected. */

const BOOKS = { emitidos: 'libro-iva-ventas', recibidos: 'libro-iva-compras' } as const;
const WITHHELD = '[{"retenciones_percepciones":[{"codigo":"x","tasa":7,"monto_sujeto":9,"valor":5}]}]';
const VAT = { mnt_neto_iva_tasa_basica: 78, mnt_iva_tasa_basica: 22 };

const askedOf = (estado: string) => {
  const status = { estado_codigo: estado, estado_dgi_codigo: estado };
  return lakeOfBothLists([
    { row: status, totals: VAT },
    { row: { ...status, tipo_comprobante: 182 } },
    { row: { ...status, tipo_comprobante: 182 }, detail: { items: '[]' } },
  ]);
};

/** Receipts of both lists without a text of a status, and with these members of `otros`. */
async function askedWithout(other: object) {
  const lists = DIRECTIONS.map((direction) => {
    const rows = [111, 182].map((tipo_comprobante): MadeRow => {
      const { estado_codigo, estado_dgi_codigo, ...row } = (direction === 'emitidos' ? issued : received)(
        '2026-11-02',
        'A1',
        { tipo_comprobante, otros: JSON.stringify(other) },
      );
      return row;
    });
    const read = { totales: JSON.stringify({ moneda: 'UYU', ...VAT }), items: WITHHELD };
    return { [direction]: rows, [`${direction}_detalle`]: rows.map((row) => detail(row, read)) };
  });
  return await askedLake(Object.assign({}, ...lists));
}

it.each(['ae', 'be', 'Rechazado', 'AE ', ' '])(
  '“%s” is told, counted, and in no line of the form',
  async (estado) => {
    const ask = await askedOf(estado);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 15, 28)).toEqual([['22.00', 'estado desconocido']]);
    const rows = [['estado desconocido'], ['sin retenciones, estado desconocido']];
    expect(await ask('resguardos', 16)).toEqual([...rows, ...rows]);
    const position = await ask('posicion-iva', 3, 4, 15);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual([
      ['UYU', '1', '1'],
      ['UYU', '1', '1'],
      ['UYU', '2', '2'],
      ['UYU', '2', '2'],
    ]);
    expect(await ask('vat-by-month', 12)).toEqual([['1'], ['1']]);
    expect(await ask('formulario-2181', 4, 5, 9)).toEqual([[null, '2', 'estado desconocido']]);
  },
);

describe('a status that is no text', () => {
  it.each<object>([
    { 'estado.codigo': 5, 'estado_dgi.codigo': 5 },
    { 'estado.codigo': ['BE'], 'estado_dgi.codigo': ['BE'] },
    { 'estado.codigo': { codigo: 'BE' }, 'estado_dgi.codigo': { codigo: 'BE' } },
    { estado: 'BE', estado_dgi: 'BE' },
    { estado: ['BE'], estado_dgi: ['BE'] },
    { a: 1, 'estado.codigo': false, 'estado_dgi.codigo': false },
  ])('as %j of the answer is told, counted, and in no line of the form', async (other) => {
    const ask = await askedWithout(other);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 15, 28)).toEqual([['22.00', 'estado desconocido']]);
    expect(await ask('resguardos', 16)).toEqual([['estado desconocido'], ['estado desconocido']]);
    const position = await ask('posicion-iva', 3, 15);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(Array(4).fill(['UYU', '1']));
    expect(await ask('vat-by-month', 12)).toEqual([['1'], ['1']]);
    expect(await ask('formulario-2181', 4, 5, 9)).toEqual([[null, '2', 'estado desconocido']]);
  });

  it.each<object>([
    {},
    { 'estado.texto': 'BE' },
    { otro: '"estado":' },
    { otro: { estado: 'BE', estado_dgi: 'BE' } },
    { estado: null, estado_dgi: null },
  ])('is none as of %j', async (other) => {
    const ask = await askedWithout(other);
    for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction], 28)).toEqual([[null]]);
    expect(await ask('formulario-2181', 4, 5, 9)).toEqual([
      ['505', '1', null],
      [null, '1', 'sin aceptar'],
    ]);
  });
});

it.each(['AE', 'CE', 'FE', 'NE', 'BE', ''])('“%s” is known, or none', async (estado) => {
  const ask = await askedOf(estado);
  const isRejected = estado === 'BE';
  for (const direction of DIRECTIONS)
    expect(await ask(BOOKS[direction], 28)).toEqual(isRejected ? [] : [[null]]);
  const rows = [[null], ['sin retenciones']];
  expect(await ask('resguardos', 16)).toEqual(isRejected ? [] : [...rows, ...rows]);
  for (const [count] of await ask('posicion-iva', 15)) expect(count).toBe('0');
  for (const [count] of await ask('vat-by-month', 12)) expect(count).toBe('0');
  const lines = estado === 'AE' ? [['502', '1', null]] : [];
  if (!isRejected) lines.push(['505', '1', null]);
  if (!isRejected && estado !== 'AE') lines.push([null, '1', 'sin aceptar']);
  expect(await ask('formulario-2181', 4, 5, 9)).toEqual(lines);
});

it('what is issued and not accepted is counted by the form apart from what leaves it incomplete', async () => {
  const UNREADABLE = { receptor_ruc: '21 484436 0018' };
  const CONSUMER = { receptor_ruc: '12345678', tipo_comprobante: 101 };
  const status = (estado_dgi_codigo: string, rest: MadeRow = {}) =>
    issued('2026-11-02', 'A1', { estado_dgi_codigo, ...rest });
  const counted = [
    status('CE'),
    status('FE', { tipo_comprobante: 112 }),
    status('NE', { tipo_comprobante: 101 }),
    status(''),
  ];
  const others = [
    status('AE'),
    status('BE'),
    status('CE', CONSUMER),
    status('CE', UNREADABLE),
    status('CE', { tipo_comprobante: 121 }),
    status('CE', { tipo_comprobante: 181 }),
    status('CE', { tipo_comprobante: 182 }),
    status('CE', { visto_por_ultima_vez: '2026-11-12T03:00:00' }),
    status('be'),
  ];
  const ofOther = { ...status('CE'), rut: '219999830019' };
  const earlier = issued('2026-10-31', 'A1', { estado_dgi_codigo: 'NE' });
  const emitidos = [...counted, ...others, ofOther, earlier];
  // Its detail says that it was accepted: nobody can tell.
  const contradicted = status('NE');
  const emitidos_detalle = [
    ...counted.slice(0, 2).map((row) => detail(row, { totales: JSON.stringify({ moneda: 'UYU', ...VAT }) })),
    detail(contradicted, { estado_dgi: '{"codigo":"AE"}' }),
  ];
  const ask = await askedLake({ emitidos: [...emitidos, contradicted], emitidos_detalle });
  expect(await ask('formulario-2181', 0, 1, 2, 4, 5, 6, 7, 8, 9)).toEqual([
    [RUT, '2026-10-01', SUPPLIER, null, '1', null, null, null, 'sin aceptar'],
    [RUT, '2026-11-01', SUPPLIER, null, '3', null, null, null, 'estado desconocido, estado contradictorio'],
    [RUT, '2026-11-01', SUPPLIER, null, '4', null, null, null, 'sin aceptar'],
    ['219999830019', '2026-11-01', SUPPLIER, null, '1', null, null, null, 'sin aceptar'],
  ]);
});

describe('a status of a detail that is not that of the list', () => {
  const asked = (status: string | null, listed = 'AE', rest: MadeRow = {}) =>
    lakeOfBothLists(
      [111, 182].map((tipo_comprobante) => ({
        row: { estado_codigo: listed, estado_dgi_codigo: listed, tipo_comprobante },
        totals: VAT,
        detail: {
          estado_dgi: JSON.stringify({ codigo: status }),
          otros: JSON.stringify({ estado: { codigo: status } }),
          ...rest,
        },
      })),
    );

  it.each([
    ['AE', 'BE'],
    ['AE', 'CE'],
    ['CE', 'AE'],
    ['NE', 'AE'],
  ])('as %s beside %s is told, counted, and in no line of the form', async (listed, status) => {
    const ask = await asked(status, listed);
    for (const direction of DIRECTIONS)
      expect(await ask(BOOKS[direction], 15, 27, 28)).toEqual([['22.00', listed, 'estado contradictorio']]);
    expect(await ask('resguardos', 16)).toEqual([['estado contradictorio'], ['estado contradictorio']]);
    const position = await ask('posicion-iva', 3, 15);
    expect(position.filter(([currency]) => currency === 'UYU')).toEqual(Array(4).fill(['UYU', '1']));
    expect(await ask('vat-by-month', 12)).toEqual([['1'], ['1']]);
    expect(await ask('formulario-2181', 4, 5, 9)).toEqual([[null, '2', 'estado contradictorio']]);
  });

  it('is told by the form, too, where the list has a rejection', async () => {
    const ask = await asked('AE', 'BE');
    for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction])).toEqual([]);
    expect(await ask('formulario-2181', 4, 5, 9)).toEqual([[null, '2', 'estado contradictorio']]);
  });

  it.each<[string, Parameters<typeof asked>]>([
    ['the same', ['AE']],
    ['none', [null]],
    ['empty', ['']],
    ['of an older detail', ['BE', 'AE', { motivo: 'x' }]],
  ])('is none where it is %s', async (_what, args) => {
    const ask = await asked(...args);
    for (const direction of DIRECTIONS)
      for (const [note] of await ask(BOOKS[direction], 28))
        expect(note ?? '').not.toContain('estado contradictorio');
    for (const [note] of await ask('formulario-2181', 9)) expect(note ?? '').not.toContain('estado');
  });
});

describe('a status of a detail beside none in the list', () => {
  const LISTS: [string, MadeRow][] = [
    ['null', {}],
    ['empty', { estado_codigo: '', estado_dgi_codigo: '' }],
  ];
  const asked = async (listed: MadeRow, stated: MadeRow) => {
    const lists = DIRECTIONS.map((direction) => {
      const rows = [111, 182].map((tipo_comprobante): MadeRow => {
        const { estado_codigo, estado_dgi_codigo, ...row } = (direction === 'emitidos' ? issued : received)(
          '2026-11-02',
          'A1',
          { tipo_comprobante },
        );
        return { ...row, ...listed };
      });
      const read = { totales: JSON.stringify({ moneda: 'UYU', ...VAT }), items: WITHHELD, ...stated };
      return { [direction]: rows, [`${direction}_detalle`]: rows.map((row) => detail(row, read)) };
    });
    return await askedLake(Object.assign({}, ...lists));
  };
  const ofAuthority = (codigo: string | null) => ({ estado_dgi: JSON.stringify({ codigo }) });
  const ofList = (codigo: string | null) => ({ otros: JSON.stringify({ estado: { codigo } }) });
  const TOLD = [['estado contradictorio']];

  for (const [name, listed] of LISTS) {
    it(`that is ${name}: a rejection is told, counted, and in no line of the form`, async () => {
      const ask = await asked(listed, ofAuthority('BE'));
      for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction], 28)).toEqual(TOLD);
      expect(await ask('resguardos', 16)).toEqual([...TOLD, ...TOLD]);
      const position = await ask('posicion-iva', 3, 15);
      expect(position.filter(([currency]) => currency === 'UYU')).toEqual(Array(4).fill(['UYU', '1']));
      expect(await ask('vat-by-month', 12)).toEqual([['1'], ['1']]);
      expect(await ask('formulario-2181', 4, 5, 9)).toEqual([[null, '2', 'estado contradictorio']]);
    });

    it(`that is ${name}: an acceptance is told of what was issued, as the form takes it alone`, async () => {
      const ask = await asked(listed, ofAuthority('AE'));
      expect(await ask('libro-iva-ventas', 28)).toEqual(TOLD);
      expect(await ask('libro-iva-compras', 28)).toEqual([[null]]);
      expect(await ask('formulario-2181', 4, 9)).toEqual([
        ['505', null],
        [null, 'estado contradictorio'],
      ]);
    });

    it(`that is ${name}: a rejection under the other list’s name is told of what was issued`, async () => {
      const ask = await asked(listed, ofList('BE'));
      expect(await ask('libro-iva-ventas', 28)).toEqual(TOLD);
    });

    it.each(['be', 'Rechazado'])(`that is ${name}: “%s” is told`, async (code) => {
      const ask = await asked(listed, ofAuthority(code));
      for (const direction of DIRECTIONS) expect(await ask(BOOKS[direction], 28)).toEqual(TOLD);
    });

    it.each(['BE', 'be'])(`that is ${name}: “%s” as its own is told of what was received`, async (code) => {
      const ask = await asked(listed, ofList(code));
      expect(await ask('libro-iva-compras', 28)).toEqual(TOLD);
      // Of what was issued, a field that the contract does not name tells of a rejection alone.
      const notes = ['estado contradictorio', ...(code === 'BE' ? [] : ['sin aceptar'])];
      expect(await ask('formulario-2181', 4, 9)).toEqual(notes.map((note) => [null, note]));
    });

    it.each<[string, MadeRow]>([
      ['none', ofAuthority(null)],
      ['empty', ofAuthority('')],
      ['one that is neither accepted nor rejected', ofAuthority('NE')],
      ['an observation', ofAuthority('CE')],
      ['none as its own', ofList(null)],
      ['an empty one as its own', ofList('')],
      ['an acceptance of its own', ofList('AE')],
      ['a rejection of an older detail', { ...ofAuthority('BE'), motivo: 'x' }],
    ])(`that is ${name}: %s changes no figure, and is not told`, async (_what, stated) => {
      const ask = await asked(listed, stated);
      for (const direction of DIRECTIONS)
        for (const [note] of await ask(BOOKS[direction], 28)) expect(note ?? '').not.toContain('estado');
      for (const [note] of await ask('formulario-2181', 9)) expect(note ?? '').not.toContain('estado');
    });
  }
});

describe('what the tax authority says of a received receipt, by its detail', () => {
  const asked = (verdict: string, listed: string, rest: MadeRow = {}) =>
    lakeOfBothLists(
      [111, 182].map((tipo_comprobante) => ({
        row: { estado_codigo: listed, tipo_comprobante },
        totals: VAT,
        detail: { estado_dgi: JSON.stringify({ codigo: verdict }), ...rest },
      })),
    );

  it.each(['AE', 'CE', 'NE'])('as a rejection beside %s is told, whosever that is', async (listed) => {
    const ask = await asked('BE', listed);
    expect(await ask('libro-iva-compras', 27, 28)).toEqual([[listed, 'estado contradictorio']]);
    expect((await ask('resguardos', 1, 16)).filter(([whose]) => whose === 'sufrida')).toEqual([
      ['sufrida', 'estado contradictorio'],
    ]);
    expect((await ask('formulario-2181', 4, 9)).flat()).not.toContain('505');
  });

  it.each<[string, ...Parameters<typeof asked>]>([
    ['any other', 'CE', 'AE'],
    ['any other', 'AE', 'CE'],
    ['a rejection of an older detail', 'BE', 'AE', { motivo: 'x' }],
  ])('as %s is nothing to tell, as the list may have the recipient’s', async (_what, ...args) => {
    const ask = await asked(...args);
    const [[note] = []] = await ask('libro-iva-compras', 28);
    expect(note ?? '').not.toContain('estado');
  });
});

/** Where a status of a receipt may stand beside that of its list: in the columns of the detail, or in `otros`. */
describe('a status beside that of the list, wherever it stands', () => {
  type Place =
    | 'estado_dgi of the detail'
    | 'estado of the detail'
    | 'estado_dgi of the list'
    | 'estado of the list';
  const PLACES: Place[] = [
    'estado_dgi of the detail',
    'estado of the detail',
    'estado_dgi of the list',
    'estado of the list',
  ];
  /** Of a received receipt its list has `estado`, of an issued one `estado_dgi`. */
  const ofOwnList = { emitidos: 'estado_dgi of the list', recibidos: 'estado of the list' };
  const isOwn = { emitidos: 'estado_dgi of the detail', recibidos: 'estado of the detail' };
  /** What a field means that the contract does not name, nobody knows. */
  const UNNAMED: Readonly<Record<keyof typeof ofOwnList, readonly Place[]>> = {
    emitidos: ['estado of the detail', 'estado of the list'],
    recibidos: ['estado_dgi of the list'],
  };
  const isObject = (state: unknown) => typeof state === 'object' && state !== null && !Array.isArray(state);

  const asked = async (place: Place, state: unknown, listed = 'AE', rest: MadeRow = {}) => {
    const others = JSON.stringify({ [place.split(' ')[0] ?? '']: state });
    const isColumn = place === 'estado_dgi of the detail' && isObject(state);
    const stated: MadeRow = isColumn ? { estado_dgi: JSON.stringify(state) } : { otros: others };
    const isOfList = place.endsWith('list');
    return await lakeOfBothLists(
      [111, 182].map((tipo_comprobante) => ({
        row: {
          estado_codigo: listed,
          estado_dgi_codigo: listed,
          tipo_comprobante,
          ...(isOfList ? stated : {}),
        },
        totals: VAT,
        detail: { ...(isOfList ? {} : stated), ...rest },
      })),
    );
  };
  const isTold = async (
    ask: Awaited<ReturnType<typeof asked>>,
    place: Place,
    isSoNamed: boolean,
    isSoUnnamed = isSoNamed,
  ) => {
    for (const direction of DIRECTIONS) {
      if (place === ofOwnList[direction]) continue;
      const isSo = UNNAMED[direction].includes(place) ? isSoUnnamed : isSoNamed;
      const notes = await ask(BOOKS[direction], 28);
      expect([direction, notes]).toEqual([direction, [[isSo ? 'estado contradictorio' : null]]]);
      const lines = (await ask('formulario-2181', 4)).flat();
      expect([direction, lines.includes(direction === 'emitidos' ? '502' : '505')]).toEqual([
        direction,
        !isSo,
      ]);
      const withheld = await ask('resguardos', 1, 16);
      const concept = direction === 'emitidos' ? 'efectuada' : 'sufrida';
      expect(withheld).toContainEqual([concept, isSo ? 'estado contradictorio' : null]);
    }
  };
  const NO_KNOWN: unknown[] = [
    ...['be', 'BE ', ' ', 'RECHAZADO', 'VIGENTE', 5, false, { codigo: 'BE' }, ['BE'], {}].map((codigo) => ({
      codigo,
    })),
    ...['AE', 'be', 'VIGENTE', 5, true, ['BE'], [{ codigo: 'BE' }]],
  ];

  describe.each(PLACES)('as %s', (place) => {
    it.each([{ codigo: 'BE' }, 'BE'])('that is %j is told, and in no line of the form', async (state) => {
      await isTold(await asked(place, state), place, true);
    });

    it.each(NO_KNOWN)('that is %j is so, too, but where the contract does not name it', async (state) => {
      await isTold(await asked(place, state), place, true, false);
    });

    it.each(['', 'CE', 'FE', 'NE'])('that is a rejection is told beside “%s”', async (listed) => {
      const ask = await asked(place, { codigo: 'BE' }, listed);
      for (const direction of DIRECTIONS)
        if (place !== ofOwnList[direction])
          expect(await ask(BOOKS[direction], 28)).toEqual([['estado contradictorio']]);
    });

    it.each<unknown>([{ codigo: null }, { codigo: '' }, {}, { texto: 'BE' }, null, '', []])(
      'that is %j is none',
      async (state) => {
        await isTold(await asked(place, state), place, false);
      },
    );

    it('is nothing to tell where the list has the same', async () => {
      await isTold(await asked(place, { codigo: 'AE' }), place, false);
    });

    it('is that of then in an older detail', async () => {
      const ask = await asked(place, { codigo: 'BE' }, 'AE', { motivo: 'x' });
      for (const direction of DIRECTIONS)
        for (const [note] of await ask(BOOKS[direction], 28))
          if (place.endsWith('detail')) expect(note ?? '').not.toContain('estado');
    });

    it('is in no form beside a rejection of the list, that may be the recipient’s', async () => {
      const ask = await asked(place, { codigo: 'AE' }, 'BE');
      const told = DIRECTIONS.filter((direction) => isOwn[direction] === place);
      expect(await ask('formulario-2181', 4, 9)).toEqual(told.map(() => [null, 'estado contradictorio']));
    });
  });

  it.each(PLACES)('is not told beside one of the list that nobody knows, as %s', async (place) => {
    const ask = await asked(place, { codigo: 'BE' }, 'be');
    for (const direction of DIRECTIONS)
      if (![isOwn[direction], ofOwnList[direction]].includes(place))
        expect(await ask(BOOKS[direction], 28)).toEqual([['estado desconocido']]);
  });

  it.each<[Place, 'emitidos' | 'recibidos']>([
    ['estado_dgi of the detail', 'recibidos'],
    ['estado_dgi of the list', 'recibidos'],
    ['estado of the detail', 'emitidos'],
    ['estado of the list', 'emitidos'],
  ])(
    'as %s of what is in %s may be another’s: no other than a rejection is told',
    async (place, direction) => {
      for (const listed of ['AE', ''])
        for (const codigo of ['AE', 'CE', 'FE', 'NE'])
          expect(await (await asked(place, { codigo }, listed))(BOOKS[direction], 28)).toEqual([[null]]);
    },
  );
});
