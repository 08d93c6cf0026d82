import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Direction } from '../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { campaign } from '../support/campaign.ts';
import { allRows, ask, idsOf, LEGACY, LIST, NOW, truthOf } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: NOW, receiptsPerDay: 400 });
});
afterAll(() => sandbox.close());

type Matches = (receipt: SandboxReceipt) => boolean;

/** Parameters, and the receipts that they should select, found without the sandbox's own filters. */
interface Condition {
  parameters: [name: string, value: string][];
  matches: Matches;
}

const has = (text: string | undefined, part: string): boolean =>
  (text ?? '').toLocaleLowerCase('es').indexOf(part.toLocaleLowerCase('es')) >= 0;

function oneOf(
  name: string,
  values: readonly string[],
  isOne: (r: SandboxReceipt, value: string) => boolean,
) {
  const some = fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
  return fc
    .tuple(some, fc.constantFrom(undefined, 'true', 'false', 'True'))
    .map(([chosen, excluded]): Condition => {
      const isExcluded = excluded?.toLowerCase() === 'true';
      const canExclude = name !== 'Emisor' && name !== 'Receptor';
      return {
        parameters: [
          ...chosen.map((value): [string, string] => [name, value]),
          ...(excluded !== undefined && canExclude ? [[`Excluir${name}`, excluded] as [string, string]] : []),
        ],
        matches: (r) => chosen.some((value) => isOne(r, value)) !== (isExcluded && canExclude),
      };
    });
}

const secondOf = (r: SandboxReceipt): number => Date.parse(`${r.fecha_firma.slice(0, 19)}Z`);
const hasFraction = (r: SandboxReceipt): boolean => Number(`0${r.fecha_firma.slice(19)}`) > 0;

const signed = fc
  .record({
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
    isLower: fc.boolean(),
  })
  .map(({ hour, minute, isLower }): Condition => {
    const bound = `2026-11-19T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:30`;
    const at = Date.parse(`${bound}Z`);
    return {
      parameters: [[isLower ? 'FechaFirmaDesde' : 'FechaFirmaHasta', bound]],
      matches: (r) => {
        const second = secondOf(r);
        if (isLower) return second >= at;
        return second < at || (second === at && !hasFraction(r));
      },
    };
  });

function numbers(of: readonly SandboxReceipt[]) {
  const known = fc.constantFrom(...of.map(({ numero }) => numero));
  return fc.tuple(known, known, fc.constantFrom('both', 'lower', 'upper')).map(([a, b, kind]): Condition => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    return {
      parameters: [
        ...(kind === 'upper' ? [] : [['NumeroDesde', String(low)] as [string, string]]),
        ...(kind === 'lower' ? [] : [['NumeroHasta', String(high)] as [string, string]]),
      ],
      matches: ({ numero }) => (kind === 'upper' || numero >= low) && (kind === 'lower' || numero <= high),
    };
  });
}

const TYPES = ['101', '102', '111', '112', '124', '181', '182', '201', '999'];

function conditionsOf(direction: Direction, of: readonly SandboxReceipt[]) {
  const series = [...new Set(of.map(({ serie }) => serie)), 'ZZ'];
  const common = [
    oneOf('Serie', series, (r, value) => r.serie === value),
    oneOf('TipoComprobante', TYPES, (r, value) => r.tipo_comprobante === Number(value)),
    numbers(of),
    signed,
  ];
  if (direction === 'recibidos')
    return [
      ...common,
      oneOf('Estado', ['AE', 'BE', 'CE', 'XX'], (r, value) => r.estado === value),
      oneOf(
        'Emisor',
        ['ñ', 'S.A.', 's.r.l.', '0010', '07', 'PANADERÍA', 'nadie'],
        (r, value) => has(r.emisor.name, value) || has(r.emisor.document, value),
      ),
    ];
  return [
    ...common,
    oneOf('EstadoDgi', ['AE', 'BE', 'CE', 'NE'], (r, value) => r.estado_dgi === value),
    oneOf('EstadoReceptor', ['ACEPTADO', 'RECHAZADO', 'aceptado'], (r, value) => r.estado_receptor === value),
    oneOf('Sucursal', ['1', '2', '5', '7'], (r, value) => r.sucursal === Number(value)),
    oneOf(
      'Receptor',
      ['núñez', '“la', '6', 'GMBH', 'zürich', "o'ne"],
      (r, value) => has(r.receptor?.name, value) || has(r.receptor?.document, value),
    ),
  ];
}

describe.each(['recibidos', 'emitidos'] as const)('the filters of %s', (direction) => {
  it('select what they say, alone and combined', async () => {
    const truth = truthOf(sandbox, direction);
    const conditions = conditionsOf(direction, truth);
    let selected = 0;
    const combined = fc
      .subarray(conditions, { minLength: 1, maxLength: 3 })
      .chain((some) => fc.tuple(...some));
    await fc.assert(
      fc.asyncProperty(combined, async (some) => {
        const more = some.flatMap(({ parameters }) =>
          parameters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`),
        );
        const expected = truth.filter((r) => some.every(({ matches }) => matches(r)));
        selected += expected.length;
        expect(idsOf(await allRows(sandbox, direction, { more: more.join('') }))).toEqual(idsOf(expected));
      }),
      { numRuns: campaign({ quick: 20, long: 150 }) },
    );
    expect(selected).toBeGreaterThan(0);
  });

  it('leave out everything that is excluded, and nothing when no value is given', async () => {
    const truth = truthOf(sandbox, direction);
    const types = [...new Set(truth.map((r) => r.tipo_comprobante))];
    const all = types.map((type) => `&TipoComprobante=${type}`).join('');
    expect(await allRows(sandbox, direction, { more: `${all}&ExcluirTipoComprobante=true` })).toEqual([]);
    expect(idsOf(await allRows(sandbox, direction, { more: '&ExcluirSerie=true' }))).toEqual(idsOf(truth));
  });

  it('by type split a list into slices that together are the whole list', async () => {
    const [known, rest] = [['101', '111', '112'], '&ExcluirTipoComprobante=true'];
    const slices = [
      ...known.map((type) => `&TipoComprobante=${type}`),
      `${known.map((type) => `&TipoComprobante=${type}`).join('')}${rest}`,
    ];
    const ids: string[] = [];
    for (const more of slices) ids.push(...idsOf(await allRows(sandbox, direction, { more })));
    expect(ids.toSorted()).toEqual(idsOf(truthOf(sandbox, direction)).toSorted());
  });
});

describe('id_externo', () => {
  it('selects the one receipt that has exactly it', async () => {
    const truth = truthOf(sandbox, 'emitidos').filter((r) => r.id_externo !== null);
    expect(truth.some((r) => /[&%+ ]/.test(r.id_externo ?? ''))).toBe(true);
    for (const receipt of truth.slice(0, 12)) {
      const more = `&id_externo=${encodeURIComponent(receipt.id_externo ?? '')}`;
      expect(idsOf(await allRows(sandbox, 'emitidos', { more }))).toEqual([String(receipt.id)]);
    }
  });

  it('selects nothing by a part, another case, or that of a receipt of another day', async () => {
    const own = truthOf(sandbox, 'emitidos').find((r) => r.id_externo?.startsWith('PED-'));
    const external = own?.id_externo ?? '';
    for (const text of [
      external.slice(0, -1),
      external.toLowerCase(),
      external.replace('2026-11-19', '2026-11-18'),
      'x',
    ])
      expect(await allRows(sandbox, 'emitidos', { more: `&id_externo=${encodeURIComponent(text)}` })).toEqual(
        [],
      );
  });
});

describe('issue days', () => {
  const days = ['2026-11-17', '2026-11-18', '2026-11-19'];
  const rut = (): string => sandbox.companies[0]?.rut ?? '';

  it('of a range come one after the other', async () => {
    const truth = days.flatMap((day) => [...sandbox.truth(rut(), 'emitidos', day)]);
    const ids: string[] = [];
    for (let page = 1; page <= 13; page++) {
      const path = `${LIST.emitidos}?FechaDesde=${days[0]}&FechaHasta=${days[2]}&pageNumber=${page}&pageSize=100`;
      ids.push(...idsOf((await ask(sandbox, path)).rows));
    }
    expect(ids).toEqual(idsOf(truth));
  });

  it('that end before they begin select nothing', async () => {
    const path = `${LIST.emitidos}?FechaDesde=2026-11-19&FechaHasta=2026-11-18`;
    expect((await ask(sandbox, path)).rows).toEqual([]);
  });

  it('left open reach 90 days back, and 60 ahead', async () => {
    const first = (await ask(sandbox, `${LIST.emitidos}?pageSize=1`)).rows[0];
    expect(first?.fecha_emision.slice(0, 10)).toBe('2026-08-22');
    const untilFirst = (await ask(sandbox, `${LIST.emitidos}?FechaHasta=2026-11-18&pageSize=1`)).rows[0];
    expect(untilFirst?.fecha_emision.slice(0, 10)).toBe('2026-08-20');
    const ahead = await ask(sandbox, `${LIST.recibidos}?FechaDesde=2026-11-21&PageSize=100`);
    expect(ahead.rows.length).toBeGreaterThan(0);
  });

  it('before electronic receipts and far ahead hold nothing', async () => {
    for (const day of ['2011-12-31', '1999-01-01', '2027-06-01', '2150-01-01']) {
      const path = `${LIST.emitidos}?FechaDesde=${day}&FechaHasta=${day}`;
      expect((await ask(sandbox, path)).rows).toEqual([]);
    }
  });
});

describe('legacy lists', () => {
  it.each(['recibidos', 'emitidos'] as const)('of %s hold all of a day at once', async (direction) => {
    const path = `${LEGACY[direction]}?FechaDesde=2026-11-19&FechaHasta=2026-11-19`;
    const { status, rows } = await ask(sandbox, path);
    expect(status).toBe(200);
    expect(rows).toEqual(await allRows(sandbox, direction));
    expect(idsOf(rows)).toEqual(idsOf(truthOf(sandbox, direction)));
  });

  it('take repeatable filters with []', async () => {
    const day = 'FechaDesde=2026-11-19&FechaHasta=2026-11-19';
    const types = encodeURI('&TipoComprobante[]=101&TipoComprobante[]=111');
    const received = await ask(sandbox, `${LEGACY.recibidos}?${day}${types}&Sucursal[]=2&EstadoDgi[]=AE`);
    const isChosen: Matches = (r) =>
      [101, 111].includes(r.tipo_comprobante) && r.sucursal === 2 && r.estado === 'AE';
    expect(idsOf(received.rows)).toEqual(idsOf(truthOf(sandbox, 'recibidos').filter(isChosen)));
    expect(received.rows.length).toBeGreaterThan(0);
    const issued = await ask(sandbox, `${LEGACY.emitidos}?${day}${types}&ExcluirTipoComprobante=true`);
    const isLeft: Matches = (r) => ![101, 111].includes(r.tipo_comprobante);
    expect(idsOf(issued.rows)).toEqual(idsOf(truthOf(sandbox, 'emitidos').filter(isLeft)));
  });
});
