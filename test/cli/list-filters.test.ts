import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIRECTIONS, type Direction } from '../../lib/api/directions.ts';
import { FILTER_KINDS, LEGACY_FILTER_KINDS } from '../../lib/api/filters.ts';
import { FILTER_OPTIONS } from '../../lib/cli/options/filters.ts';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { runMain } from '../support/program/run-main.ts';

const RUT = '219999830019';
const DAYS = ['2026-10-31', '2026-11-18', '2026-11-19'];
const DAY = '2026-11-19';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    now: '2026-12-09T23:00:00',
    receiptsPerDay: 250,
  });
});
afterAll(() => sandbox.close());

function truthOf(direction: Direction, days: readonly string[] = DAYS): SandboxReceipt[] {
  return days.flatMap((day) => [...sandbox.truth(RUT, direction, day)]);
}

/** The ids that the list returns for these words, in order; for all three days if none is given. */
async function listed(direction: Direction, words: readonly string[]): Promise<string[]> {
  const end = ['--rut', RUT, '--api', sandbox.url, '--limit', '100000', '--csv'];
  const { code, stdout, stderr } = await runMain('list', direction, ...words, ...end);
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0] ?? '')
    .sort();
}

function idsOf(receipts: readonly SandboxReceipt[]): string[] {
  return receipts.map(({ id }) => String(id)).sort();
}

interface FilterCase {
  /** Options without `--excluir-…`; `selects` says which of a day's receipts they match. */
  words: (truth: readonly SandboxReceipt[]) => string[];
  selects: (receipt: SandboxReceipt, truth: readonly SandboxReceipt[]) => boolean;
  /** The option that inverts the filter. */
  excluding?: string;
}

/** The most frequent value if `count` is 1, else the `count` rarest. */
function some(
  truth: readonly SandboxReceipt[],
  pick: (receipt: SandboxReceipt) => unknown,
  count: number,
): string[] {
  const counts = new Map<string, number>();
  for (const receipt of truth) {
    const value = pick(receipt);
    if (value !== null && value !== undefined)
      counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  }
  const values = [...counts].sort(([, one], [, other]) => other - one).map(([value]) => value);
  expect(values.length).toBeGreaterThanOrEqual(count);
  return count === 1 ? values.slice(0, 1) : values.slice(-count);
}

/** A filter that takes several values: once with one value, once with two, repeating the option. */
function choices(
  option: string,
  pick: (receipt: SandboxReceipt) => unknown,
  excluding?: string,
): FilterCase[] {
  return [1, 2].map((count) => ({
    words: (truth) => some(truth, pick, count).flatMap((value) => [`--${option}`, value]),
    selects: (receipt, truth) => some(truth, pick, count).includes(String(pick(receipt))),
    excluding,
  }));
}

const median = (truth: readonly SandboxReceipt[]) =>
  truth.map(({ numero }) => numero).sort((one, other) => one - other)[Math.floor(truth.length / 2)] ?? 0;
const NOON = `${DAY}T12:00:00`;

const COMMON: FilterCase[] = [
  ...choices('serie', ({ serie }) => serie, 'excluir-serie'),
  ...choices('tipo-comprobante', ({ tipo_comprobante: type }) => type, 'excluir-tipo-comprobante'),
  {
    words: (truth) => ['--numero-desde', String(median(truth))],
    selects: ({ numero }, truth) => numero >= median(truth),
  },
  {
    words: (truth) => ['--numero-hasta', String(median(truth))],
    selects: ({ numero }, truth) => numero <= median(truth),
  },
  { words: () => ['--fecha-firma-desde', NOON], selects: ({ fecha_firma: signature }) => signature >= NOON },
  { words: () => ['--fecha-firma-hasta', NOON], selects: ({ fecha_firma: signature }) => signature <= NOON },
];
const ISSUER: FilterCase[] = [
  ...choices('emisor', ({ emisor }) => emisor.document),
  { words: () => ['--emisor', 'ltda'], selects: ({ emisor }) => emisor.searchText.includes('ltda') },
];
const ISSUED: FilterCase[] = [
  ...COMMON,
  ...choices('receptor', ({ receptor }) => receptor?.document),
  ...choices('estado-receptor', ({ estado_receptor: status }) => status, 'excluir-estado-receptor'),
  ...choices('estado-dgi', ({ estado_dgi: status }) => status, 'excluir-estado-dgi'),
  ...choices('sucursal', ({ sucursal }) => sucursal, 'excluir-sucursal'),
  {
    words: (truth) => ['--id-externo', some(truth, ({ id_externo: id }) => id, 1)[0] ?? ''],
    selects: ({ id_externo: id }, truth) => id === some(truth, (receipt) => receipt.id_externo, 1)[0],
  },
];

const CASES: Readonly<Record<'v2' | 'legacy', Readonly<Record<Direction, readonly FilterCase[]>>>> = {
  v2: {
    recibidos: [...COMMON, ...ISSUER, ...choices('estado', ({ estado }) => estado, 'excluir-estado')],
    emitidos: ISSUED,
  },
  legacy: {
    recibidos: [
      ...COMMON,
      ...ISSUER,
      ...choices('estado-emisor', ({ estado }) => estado),
      ...choices('estado-dgi', ({ estado }) => estado),
      ...choices('sucursal', ({ sucursal }) => sucursal),
    ],
    emitidos: ISSUED,
  },
};

const LISTS = DIRECTIONS.flatMap((direction) =>
  (['v2', 'legacy'] as const).map((list) => ({
    direction,
    list,
    legacy: list === 'legacy' ? ['--legacy'] : [],
  })),
);

describe.each(LISTS)('list $direction, $list', ({ direction, list, legacy }) => {
  it('has an option for every filter of the contract, and each is tried', () => {
    const kinds = list === 'v2' ? FILTER_KINDS[direction] : LEGACY_FILTER_KINDS[direction];
    const filters = Object.keys(kinds).filter((name) => !/^Fecha(Desde|Hasta)$/.test(name));
    const truth = truthOf(direction, [DAY]);
    const tried = CASES[list][direction].flatMap(({ words, excluding }) => [
      ...words(truth).filter((word) => word.startsWith('--')),
      ...(excluding === undefined ? [] : [`--${excluding}`]),
    ]);
    const plain = (name: string) => name.replaceAll(/[-_]/g, '').toLowerCase();
    expect([...new Set(tried)].map(plain).sort()).toEqual(filters.map(plain).sort());
    for (const option of tried) expect(Object.keys(FILTER_OPTIONS)).toContain(option.slice(2));
  });

  it('selects what each says, one value, several, and all others', async () => {
    const truth = truthOf(direction, [DAY]);
    for (const { words, selects, excluding } of CASES[list][direction]) {
      const typed = words(truth);
      const chosen = truth.filter((receipt) => selects(receipt, truth));
      expect([typed, chosen.length > 0]).toEqual([typed, true]);
      if (typed.length === 2) expect(chosen.length).toBeLessThan(truth.length);
      const asked = ['--date', DAY, ...legacy, ...typed];
      expect([typed, await listed(direction, asked)]).toEqual([typed, idsOf(chosen)]);
      if (excluding === undefined) continue;
      const others = truth.filter((receipt) => !chosen.includes(receipt));
      expect([excluding, await listed(direction, [...asked, `--${excluding}`])]).toEqual([
        excluding,
        idsOf(others),
      ]);
    }
  });

  it('combines them', async () => {
    const truth = truthOf(direction, [DAY]);
    const [serie = ''] = some(truth, (receipt) => receipt.serie, 1);
    const [first = '', second = ''] = some(truth, (receipt) => receipt.tipo_comprobante, 2);
    const words = ['--serie', serie, '--tipo-comprobante', first, '--tipo-comprobante', second];
    const all = [...words, '--excluir-tipo-comprobante', '--numero-desde', '1', '--date', DAY, ...legacy];
    const expected = truth.filter(
      (receipt) => receipt.serie === serie && ![first, second].includes(String(receipt.tipo_comprobante)),
    );
    expect(await listed(direction, all)).toEqual(idsOf(expected));
  });

  it.each([
    { words: ['--from', '2026-11-18', '--to', '2026-11-19'], days: ['2026-11-18', '2026-11-19'] },
    { words: ['--date', '2026-10-31'], days: ['2026-10-31'] },
  ])('of $words', async ({ words, days }) => {
    expect(await listed(direction, [...words, ...legacy])).toEqual(idsOf(truthOf(direction, days)));
  });
});

describe('a filter that the list lacks', () => {
  it.each([
    [['recibidos', '--receptor', 'x'], '--receptor'],
    [['recibidos', '--estado-dgi', 'AE'], '--estado-dgi'],
    [['recibidos', '--legacy', '--estado', 'AE'], '--estado'],
    [['emitidos', '--emisor', 'x'], '--emisor'],
    [['emitidos', '--excluir-estado'], '--excluir-estado'],
  ])('%j is refused, and nothing is asked', async (words, option) => {
    const { code, stdout, stderr } = await runMain(
      'list',
      ...words,
      '--rut',
      RUT,
      '--api',
      'http://127.0.0.1:1',
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      new RegExp(`list of \\w+ has no filter for ${option}\\. It has --fecha-firma-desde, `),
    );
  });
});
