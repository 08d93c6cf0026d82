import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILTER_KINDS, type FilterKind, LEGACY_FILTER_KINDS } from '../../lib/api/filters.ts';
import { askedFilters } from '../../lib/cli/options/filters.ts';
import { Printer } from '../../lib/cli/printer.ts';
import { DIRECTIONS } from '../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { runMain } from '../support/program/run-main.ts';

const RUT = '219999830019';
const DAY = '2026-11-19';
const MOMENT = `${DAY}T12:00:00`;

/** What is typed for a filter, and what the API's client is given. */
const TYPED: Readonly<Record<FilterKind, [typed: readonly string[], given: unknown]>> = {
  date: [[DAY], DAY],
  dateTime: [[MOMENT], MOMENT],
  text: [['x=y'], 'x=y'],
  texts: [
    ['x', 'y, z'],
    ['x', 'y, z'],
  ],
  integer: [['7'], 7],
  integers: [
    ['7', '8'],
    [7, 8],
  ],
  boolean: [['true'], true],
};

const LISTS = DIRECTIONS.flatMap((direction) => [
  { direction, isLegacy: false, kinds: FILTER_KINDS[direction] },
  { direction, isLegacy: true, kinds: LEGACY_FILTER_KINDS[direction] },
]);

// test/sandbox/filters.test.ts tries what each selects.
it.each(LISTS)('--filter takes every filter of $direction (legacy: $isLegacy)', ({ kinds, ...list }) => {
  const filter = Object.entries(kinds).flatMap(([name, kind]) =>
    TYPED[kind][0].map((value) => `${name}=${value}`),
  );
  const given = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, TYPED[kind][1]]));
  expect(askedFilters(list, { filter }, { stderr: new Printer(new PassThrough()) })).toEqual(given);
});

describe('list', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ now: '2026-12-09T23:00:00', receiptsPerDay: 250 });
  });
  afterAll(() => sandbox.close());

  it.each([[[]], [['--legacy']]])('selects by several values, and all others: %j', async (legacy) => {
    const truth = [...sandbox.truth(RUT, 'emitidos', DAY)];
    const types = ['101', '111'];
    const words = [
      ...types.flatMap((type) => ['--filter', `TipoComprobante=${type}`]),
      '--date',
      DAY,
      ...legacy,
    ];
    const idsOf = (receipts: readonly SandboxReceipt[]) => receipts.map(({ id }) => String(id)).sort();
    const listed = async (...more: string[]) => {
      const end = ['--rut', RUT, '--api', sandbox.url, '--limit', '100000', '--csv', ...more];
      const { stdout } = await runMain('list', 'emitidos', ...words, ...end);
      const lines = stdout.trimEnd().split('\r\n').slice(1);
      return lines.map((line) => line.split(',')[0] ?? '').sort();
    };
    const isChosen = ({ tipo_comprobante: type }: SandboxReceipt) => types.includes(String(type));
    expect(await listed()).toEqual(idsOf(truth.filter(isChosen)));
    expect(await listed('--filter', 'ExcluirTipoComprobante=true')).toEqual(
      idsOf(truth.filter((receipt) => !isChosen(receipt))),
    );
  });
});
