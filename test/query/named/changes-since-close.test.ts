import { expect, it, onTestFinished } from 'vitest';
import { openApiSession } from '../../../lib/api/access.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { publishLagging } from '../../../lib/publish/publish-days.ts';
import type { Day } from '../../../lib/time/days.ts';
import { DIRECTIONS } from '../../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../../sandbox/generator/receipts.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { movingRows, rewritten } from '../../support/api/faults.ts';
import { campaign } from '../../support/campaign.ts';
import { exportRun } from '../../support/export/export-run.ts';
import { HurriedClock } from '../../support/fake-clock.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';
import { askNamed } from '../../support/query/ask-named.ts';
import { centsText, type TextRow, unordered } from '../../support/query/exact-sums.ts';
import { openLakeDatabase } from '../../support/query/lake-database.ts';

/** The last run before the close, one soon after it, and one on the day of the question. */
const RUNS = ['2026-10-31', '2026-11-03', '2026-11-20'] as const;
const DAYS = ['2026-10-26', '2026-10-27', '2026-10-28', '2026-10-29', '2026-10-30'] as const;
const DAY_OF_OPEN_MONTH = '2026-11-01';
/** Exported for the first time after the close. */
const DAY_READ_LATE = '2026-10-24';
const CHANGED_DAY = '2026-10-29';

const HIDDEN = {
  kind: 'removed',
  direction: 'emitidos',
  day: '2026-10-28',
  afterListRequests: 0,
  count: 3,
} as const;

/** The columns that change, by receipt. */
type Reading = Map<bigint, { receipt: SandboxReceipt; columns: Record<string, string | null> }>;

it('tells how the receipts of closed months stand now, and how they stood', async () => {
  const sandbox = await startSandbox({
    now: `${RUNS[0]}T03:00:00`,
    companyCount: 2,
    receiptsPerDay: campaign({ quick: 25, long: 90 }),
    behaviour: {
      intercept: rewritten((body, { endpoint }) =>
        isCorrected && endpoint === 'list' ? corrected(body) : body,
      ),
    },
  });
  const agent = new ConnectionPool();
  onTestFinished(async () => {
    await agent.destroy();
    await sandbox.close();
  });
  const folder = newFolder();
  const store = new FolderStore(folder);
  let isCorrected = false;

  const run = async (day: Day, days: readonly Day[]): Promise<Reading> => {
    sandbox.setNow(`${day}T03:00:00`);
    const results = await exportRun({
      run: { id: `${day.replaceAll('-', '')}030000-00000001`, day },
      companies: sandbox.companies.map(({ rut, token }) => ({
        rut,
        tokens: { current: async () => token, renew: async () => token },
      })),
      directions: DIRECTIONS,
      days,
      session: openApiSession({
        address: new URL(sandbox.url),
        pool: agent,
        clock: new HurriedClock(Date.parse(`${day}T03:00:00-03:00`)),
      }),
      store,
      writer: writeWithHyparquet,
      maxInFlight: 4,
      companiesAtOnce: 2,
    });
    expect(results.filter(({ state }) => state === 'fallido')).toEqual([]);
    await publishLagging(new FolderStore(folder), writeWithHyparquet);
    const receipts = sandbox.companies.flatMap(({ rut }) =>
      DIRECTIONS.flatMap((direction) => DAYS.flatMap((unit) => [...sandbox.truth(rut, direction, unit)])),
    );
    return new Map(
      receipts.map((receipt) => [receipt.id, { receipt, columns: columnsOf(receipt, isCorrected) }]),
    );
  };
  const hide = (position: 'start' | 'end') =>
    sandbox.behave({ hidden: movingRows({ ...HIDDEN, rut: sandbox.companies[0]?.rut, position }).hidden });

  const closed = await run(RUNS[0], DAYS);
  // These come back …
  hide('start');
  const soon = await run(RUNS[1], [...DAYS, DAY_OF_OPEN_MONTH]);
  // … and these don't.
  hide('end');
  isCorrected = true;
  const now = await run(RUNS[2], [...DAYS, DAY_OF_OPEN_MONTH, DAY_READ_LATE]);

  const database = await openLakeDatabase(folder);
  onTestFinished(() => database.close());
  const answer = await askNamed(database, 'changes-since-close', RUNS[2]);
  const expected = [...new Set([...closed.keys(), ...soon.keys(), ...now.keys()])].flatMap((id) =>
    changesOf(id, closed, soon, now),
  );
  for (const { rut } of sandbox.companies) {
    for (const direction of DIRECTIONS) {
      const count = [...sandbox.truth(rut, direction, DAY_READ_LATE)].length;
      const note = `${count} comprobantes de dias que nadie habia leido antes del cierre`;
      const nothing = Array<null>(6).fill(null);
      expect(count).toBeGreaterThan(1);
      expected.push([rut, direction, ...nothing, 'primera_lectura', null, null, note, RUNS[2]]);
    }
  }
  const summed = answer.map((row) => [...row.slice(0, 10), ...row.slice(10, 12).map(wholeRow), day(row[12])]);
  expect(unordered(summed)).toEqual(unordered(expected));

  const kinds = Map.groupBy(answer, (row) => `${row[8]} ${row[9]}`);
  expect(kinds.get('desaparecio null')).toHaveLength(3);
  for (const kind of [
    'aparecio null',
    'cambio estado_codigo',
    'cambio estado_dgi_codigo',
    'cambio totales_total',
  ]) {
    expect(kinds.get(kind)?.length).toBeGreaterThan(0);
  }
});

/** The rows that the answer should have for a receipt. A whole row is written as `#` and the id. */
function changesOf(id: bigint, closed: Reading, soon: Reading, now: Reading): TextRow[] {
  const [before, between, after] = [closed.get(id), soon.get(id), now.get(id)];
  const first = before ?? between ?? after;
  if (first === undefined) return [];
  const row = (...rest: TextRow): TextRow => [...naming(first.receipt), ...rest];
  const came = row('aparecio', null, null, `#${id}`, between === undefined ? RUNS[2] : RUNS[1]);
  const went = row('desaparecio', null, `#${id}`, null, RUNS[2]);
  const whole = before === undefined ? [came] : after === undefined ? [went] : [];
  const fields = Object.keys(first.columns).flatMap((name) => {
    const last = after ?? between;
    const [old, new_] = [first.columns[name] ?? null, last?.columns[name] ?? null];
    if (last === undefined || old === new_) return [];
    const wasNewAlready = between?.columns[name] === new_;
    return [row('cambio', name, old, new_, wasNewAlready ? RUNS[1] : RUNS[2])];
  });
  return [...whole, ...fields];
}

function naming({
  id,
  rut,
  direction,
  day,
  emisor,
  tipo_comprobante,
  serie,
  numero,
}: SandboxReceipt): TextRow {
  return [rut, direction, day, emisor.document, String(tipo_comprobante), serie, String(numero), String(id)];
}

function columnsOf(receipt: SandboxReceipt, isCorrected: boolean): Record<string, string | null> {
  const hasOtherTotal =
    isCorrected && receipt.day === CHANGED_DAY && receipt.numero % 10 === 5 && receipt.total !== null;
  const isRejected = isCorrected && receipt.day === CHANGED_DAY && receipt.numero % 10 === 7;
  const verdict = (code: string | null) => (isRejected && code === 'AE' ? 'BE' : code);
  const totals = { totales_total: hasOtherTotal ? '1234.50' : centsText(receipt.total) };
  return receipt.direction === 'recibidos'
    ? { ...totals, estado_codigo: verdict(receipt.estado) }
    : {
        ...totals,
        estado_dgi_codigo: verdict(receipt.estado_dgi),
        estado_receptor_codigo: receipt.estado_receptor,
      };
}

/** The body with other totals on receipts whose number ends in 5, and those that end in 7 rejected. */
function corrected(body: string): string {
  const rest = '(?:(?!"numero":).)*?';
  const total = new RegExp(
    `("numero":\\d*5,${rest}"fecha_emision":"${CHANGED_DAY}${rest}"totales":\\{"total":)-?\\d[\\d.]*`,
    'g',
  );
  const verdict = new RegExp(
    `("numero":\\d*7,${rest}"fecha_emision":"${CHANGED_DAY}${rest}"estado(?:_dgi)?":\\{"codigo":")AE`,
    'g',
  );
  return body
    .replace(total, (_, start: string) => `${start}1234.5`)
    .replace(verdict, (_, start: string) => `${start}BE`);
}

function wholeRow(text: string | null): string | null {
  return text?.startsWith('{') === true ? `#${JSON.parse(text).id}` : text;
}

function day(moment: string | null | undefined): string | null {
  return moment?.slice(0, 10) ?? null;
}
