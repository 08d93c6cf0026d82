import { expect, it } from 'vitest';
import type { TextRow } from '../../support/query/exact-sums.ts';
import { type MadeRow, madeLake } from '../../support/query/made-lake.ts';

const TODAY = '2026-11-20';
const [A, B, C] = ['2026-10-20', '2026-10-22', '2026-10-25'];
const OPEN = '2026-11-03';

type Change = readonly [fecha: string, cambio: string, ...rest: readonly (string | null)[]];

/** The whole row as it stands in `cambios`. */
const whole = (total: string) => JSON.stringify({ id: '7', totales_total: total });
const came = (fecha: string, total = '1.00'): Change => [fecha, 'aparecio', null, null, whole(total)];
const back = (fecha: string, total = '1.00'): Change => [fecha, 'reaparecio', null, null, whole(total)];
const went = (fecha: string, total = '1.00'): Change => [fecha, 'desaparecio', null, whole(total), null];
const moved = (fecha: string, to: string): Change => [fecha, 'movido', 'fecha', fecha, to];
const changed = (fecha: string, from: string, to: string): Change => [
  fecha,
  'cambio',
  'totales_total',
  from,
  to,
];

/** The changes of one receipt by each run since the close, and their net: date, change, field, before, now. */
const CASES: readonly { name: string; runs: readonly (readonly Change[])[]; net: readonly Change[] }[] = [
  { name: 'moved', runs: [[went(A), came(B)]], net: [moved(A, B)] },
  { name: 'moved, and its new day was read first', runs: [[came(B)], [went(A)]], net: [moved(A, B)] },
  {
    name: 'moved and back',
    runs: [
      [went(A), came(B)],
      [went(B), back(A)],
    ],
    net: [],
  },
  {
    name: 'moved and back, its old day read first',
    runs: [[came(B)], [went(A)], [back(A)], [went(B)]],
    net: [],
  },
  {
    name: 'moved and back, changed on the way',
    runs: [
      [went(A), came(B)],
      [changed(B, '1.00', '2.00')],
      [went(B), back(A, '2.00'), changed(A, '1.00', '2.00')],
    ],
    net: [changed(A, '1.00', '2.00')],
  },
  {
    name: 'moved and back, changed on the way and back too',
    runs: [[went(A), came(B)], [changed(B, '1.00', '2.00')], [went(B), back(A)]],
    net: [],
  },
  {
    name: 'moved twice',
    runs: [
      [went(A), came(B)],
      [went(B), came(C)],
    ],
    net: [moved(A, C)],
  },
  { name: 'moved to a day of the open month', runs: [[went(A), came(OPEN)]], net: [moved(A, OPEN)] },
  { name: 'moved to the open month and gone', runs: [[went(A), came(OPEN)], [went(OPEN)]], net: [went(A)] },
  { name: 'moved from the open month', runs: [[went(OPEN), came(A)]], net: [came(A)] },
  { name: 'moved in the open month', runs: [[went(OPEN), came('2026-11-05')]], net: [] },
  { name: 'moved and gone', runs: [[went(A), came(B)], [went(B, '1.00')]], net: [went(A)] },
  {
    name: 'changed, moved, changed',
    runs: [[changed(A, '1.00', '2.00')], [went(A), came(B, '2.00')], [changed(B, '2.00', '3.00')]],
    net: [moved(A, B), changed(A, '1.00', '3.00')],
  },
  {
    name: 'changed, moved with another amount',
    runs: [[changed(A, '1.00', '2.00')], [went(A), came(B, '5.00')]],
    net: [moved(A, B), changed(A, '1.00', '5.00')],
  },
  {
    name: 'changed, moved, changed back',
    runs: [[changed(A, '1.00', '2.00')], [went(A), came(B, '2.00')], [changed(B, '2.00', '1.00')]],
    net: [moved(A, B)],
  },
  {
    name: 'came, changed and went',
    runs: [[came(A)], [changed(A, '1.00', '2.00')], [went(A, '2.00')]],
    net: [],
  },
  { name: 'came and went', runs: [[came(A)], [went(A)]], net: [] },
  { name: 'came, and told twice', runs: [[came(A)], [came(A)]], net: [came(A)] },
  {
    name: 'came and changed',
    runs: [[came(A)], [changed(A, '1.00', '2.00')]],
    net: [came(A), changed(A, '1.00', '2.00')],
  },
  {
    name: 'came, changed, went and came back',
    runs: [[came(A)], [changed(A, '1.00', '2.00')], [went(A, '2.00')], [back(A, '2.00')]],
    net: [[A, 'aparecio', null, null, whole('2.00')]],
  },
  { name: 'came back that had gone before the close', runs: [[back(A)]], net: [back(A)] },
  { name: 'went', runs: [[went(A)]], net: [went(A)] },
  { name: 'went and came back', runs: [[went(A)], [back(A)]], net: [] },
  {
    name: 'changed and went',
    runs: [[changed(A, '1.00', '2.00')], [went(A, '2.00')]],
    net: [went(A, '2.00'), changed(A, '1.00', '2.00')],
  },
  { name: 'changed and back', runs: [[changed(A, '1.00', '2.00')], [changed(A, '2.00', '1.00')]], net: [] },
  {
    name: 'changed from nothing',
    runs: [[[A, 'cambio', 'estado_codigo', null, 'AE']]],
    net: [[A, 'cambio', 'estado_codigo', null, 'AE']],
  },
];

it('tells the net effect since the close, receipt by receipt', async () => {
  const cambios = CASES.flatMap(({ runs }, index) =>
    runs.flatMap((changes, run) => changes.map((change) => rowOf(change, index + 1, run))),
  );
  const answerOf = await madeLake({ cambios });
  const answer = await answerOf('changes-since-close', TODAY);
  const rowsByChange = Map.groupBy(answer, (row) => String(row[7]));
  const seen = CASES.map(({ name }, index) => [
    name,
    ...(rowsByChange.get(String(index + 1)) ?? []).map(netOf).sort(),
  ]);
  expect(seen).toEqual(CASES.map(({ name, net }) => [name, ...net.map((change) => change.join(' ')).sort()]));
});

it('does not tell what was noticed before the close', async () => {
  const answerOf = await madeLake({
    cambios: [{ ...rowOf(went(A), 1, 0), fecha_corrida: '2026-10-31', momento: '2026-10-31T03:00:00' }],
  });
  expect(await answerOf('changes-since-close', TODAY)).toEqual([]);
});

function rowOf([fecha, cambio, campo, antes, despues]: Change, id: number, run: number): MadeRow {
  const day = `2026-11-${String(run + 4).padStart(2, '0')}`;
  const given = { campo, antes, despues };
  return {
    fecha_corrida: day,
    corrida: `run-${day}`,
    momento: `${day}T03:00:00`,
    rut: '211003420017',
    direccion: 'recibidos',
    fecha,
    id,
    emisor_ruc: '214844360018',
    tipo_comprobante: 111,
    serie: 'A',
    numero: id,
    cambio,
    ...Object.fromEntries(
      Object.entries(given).filter((entry): entry is [string, string] => entry[1] != null),
    ),
  };
}

function netOf(row: TextRow): string {
  return [row[2], row[8], ...row.slice(9, 12)].join(' ');
}
