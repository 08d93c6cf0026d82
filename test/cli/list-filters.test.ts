import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILTER_KINDS, type FilterKind, LEGACY_FILTER_KINDS } from '../../lib/api/filters.ts';
import { askedFilters, FILTER_OPTIONS } from '../../lib/cli/options/filters.ts';
import { Printer } from '../../lib/cli/printer.ts';
import { DIRECTIONS } from '../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { runMain } from '../support/program/run-main.ts';

const RUT = '219999830019';
const DAY = '2026-11-19';
const MOMENT = `${DAY}T12:00:00`;

/** What is typed for a filter, and what the API's client is given. */
const TYPED: Readonly<Record<FilterKind, [typed: unknown, given: unknown]>> = {
  date: [DAY, DAY],
  dateTime: [MOMENT, MOMENT],
  text: ['x', 'x'],
  texts: [
    ['x', 'y'],
    ['x', 'y'],
  ],
  integer: ['7', 7],
  integers: [
    ['7', '8'],
    [7, 8],
  ],
  boolean: [true, true],
};

const LISTS = DIRECTIONS.flatMap((direction) => [
  { direction, isLegacy: false, kinds: FILTER_KINDS[direction] },
  { direction, isLegacy: true, kinds: LEGACY_FILTER_KINDS[direction] },
]);

// test/sandbox/filters.test.ts tries what each selects.
it.each(LISTS)('every filter of $direction (legacy: $isLegacy) is an option', ({ kinds, ...list }) => {
  const filters = Object.entries(kinds).filter(([name]) => !/^Fecha(Desde|Hasta)$/.test(name));
  const optionOf = (filter: string) =>
    Object.keys(FILTER_OPTIONS).find(
      (option) => option.replaceAll('-', '') === filter.replaceAll('_', '').toLowerCase(),
    );
  const typed = filters.map(([name, kind]) => [optionOf(name), TYPED[kind][0]]);
  const given = Object.fromEntries(filters.map(([name, kind]) => [name, TYPED[kind][1]]));
  const terminal = { stderr: new Printer(new PassThrough()) };
  expect(askedFilters(list, { ...Object.fromEntries(typed), date: DAY }, terminal)).toEqual({
    ...given,
    FechaDesde: DAY,
    FechaHasta: DAY,
  });
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
    const words = [...types.flatMap((type) => ['--tipo-comprobante', type]), '--date', DAY, ...legacy];
    const idsOf = (receipts: readonly SandboxReceipt[]) => receipts.map(({ id }) => String(id)).sort();
    const listed = async (...more: string[]) => {
      const end = ['--rut', RUT, '--api', sandbox.url, '--limit', '100000', '--csv', ...more];
      const { stdout } = await runMain('list', 'emitidos', ...words, ...end);
      const lines = stdout.trimEnd().split('\r\n').slice(1);
      return lines.map((line) => line.split(',')[0] ?? '').sort();
    };
    const isChosen = ({ tipo_comprobante: type }: SandboxReceipt) => types.includes(String(type));
    expect(await listed()).toEqual(idsOf(truth.filter(isChosen)));
    expect(await listed('--excluir-tipo-comprobante')).toEqual(
      idsOf(truth.filter((receipt) => !isChosen(receipt))),
    );
  });

  it.each([
    [['recibidos', '--receptor', 'x'], '--receptor'],
    [['recibidos', '--legacy', '--estado', 'AE'], '--estado'],
  ])('%j: a filter that the list lacks is refused, and nothing is asked', async (words, option) => {
    const { code, stderr } = await runMain('list', ...words, '--rut', RUT, '--api', 'http://127.0.0.1:1');
    const message = new RegExp(`list of \\w+ has no filter for ${option}\\. It has --fecha-firma-desde, `);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('inverts no filter that has no value: it would exclude nothing', async () => {
    const words = ['emitidos', '--excluir-estado-dgi', '--rut', RUT, '--api', 'http://127.0.0.1:1'];
    const { code, stderr } = await runMain('list', ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--estado-dgi: give at least one of them.')]);
  });
});
