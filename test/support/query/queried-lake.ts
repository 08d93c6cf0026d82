import { openApiSession } from '../../../lib/api/access.ts';
import { ConnectionPool } from '../../../lib/api/connection-pool.ts';
import { writeWithHyparquet } from '../../../lib/lake/parquet/hyparquet.ts';
import { FolderStore } from '../../../lib/lake/store/folder.ts';
import { publishLagging } from '../../../lib/publish/publish-days.ts';
import type { Day } from '../../../lib/time/days.ts';
import { DIRECTIONS, type Direction } from '../../../lib/units/unit.ts';
import type { SandboxReceipt } from '../../../sandbox/generator/receipts.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { movingRows } from '../api/faults.ts';
import { campaign } from '../campaign.ts';
import { exportRun } from '../export/export-run.ts';
import { sharedFolder } from '../lake/lake-folder.ts';
import { askNamed } from './ask-named.ts';
import type { TextRow } from './exact-sums.ts';
import { openLakeDatabase } from './lake-database.ts';
import { AHEAD_DAY, asSent, LATE_DAY, rewriteReceipts } from './sent-receipts.ts';

/** The day that the queries are asked on. */
export const TODAY = '2026-11-20';
/** The first day that they read. */
const FIRST_DAY = '2025-11-01';
const TOO_OLD = '2024-03-05';
/** The number of receipts of each direction that vanish, of all kinds. */
const VANISHED = 150;
/** Receipts per day. The fourth company has none. */
const COUNTS: Record<string, Record<Direction, number>> = {
  '219999830019': { emitidos: 500, recibidos: 180 },
  '214844360018': { emitidos: 150, recibidos: 140 },
  '218617380010': { emitidos: 60, recibidos: 190 },
};

/** A detail as sent, with only those inner fields that the queries use. */
export interface Wire {
  totales: Record<string, number | string | undefined>;
  emisor: { codigo_sucursal: number };
  items: Record<string, number | string | undefined>[];
  referencias: unknown[];
  fecha_vencimiento?: string;
}

export interface Known {
  receipt: SandboxReceipt;
  /** Undefined if it was not asked for, or the API has none. */
  wire: Wire | undefined;
}

export interface QueriedLake {
  folder: string;
  /** The receipts that the API lists, and the lake should have, on the days that the queries read. */
  known: readonly Known[];
  /** Receipts that the API no longer lists. */
  gone: readonly SandboxReceipt[];
  answerOf(name: string): Promise<TextRow[]>;
  close(): void;
}

let shared: Promise<QueriedLake> | undefined;

/**
 * One lake for all tests of this process, with three months: days of which only the lists were read, and days with all
 * details. It ends with the process.
 */
export function sharedQueriedLake(): Promise<QueriedLake> {
  shared ??= newQueriedLake(
    { lists: ['2026-09-30', '2026-10-28'], details: ['2026-10-01', '2026-10-31', LATE_DAY, AHEAD_DAY] },
    campaign({ quick: 0.15, long: 1 }),
  );
  return shared;
}

/** For receipts that are to have no detail, asks for another receipt's. */
class ForgetfulPool extends ConnectionPool {
  private readonly withoutDetail: ReadonlySet<string>;

  constructor(withoutDetail: ReadonlySet<string>) {
    super();
    this.withoutDetail = withoutDetail;
  }

  override get(url: string, headers: Readonly<Record<string, string>>) {
    const isUnknown = this.withoutDetail.has(url.split('/').at(-1) ?? '');
    return super.get(isUnknown ? url.replace(/\d+$/, '1') : url, headers);
  }
}

/**
 * Makes a lake of the sandbox's receipts: some days with lists only, others with all details that exist. With a
 * `share` of the receipts below 1, some of the rarest kinds may be missing.
 */
export async function newQueriedLake(
  days: { lists: readonly Day[]; details: readonly Day[] },
  share = 1,
): Promise<QueriedLake> {
  const vanished = Math.floor(VANISHED * share);
  const sandbox = await startSandbox({
    now: `${TODAY}T14:00:00`,
    receiptsPerDay: (rut, direction) => Math.floor((COUNTS[rut]?.[direction] ?? 0) * share),
    // This seed has the rare kinds that the tests need, even in the shares that `npm test` takes.
    seed: 67,
    numberingGaps: 40,
    longAmounts: true,
    // Dates alone, as most services have; at length with times.
    behaviour: { intercept: rewriteReceipts, issueTimes: campaign({ quick: false, long: true }) },
  });
  const folder = sharedFolder();
  const withoutDetail = new Set<string>();
  const pool = new ForgetfulPool(withoutDetail);
  const session = openApiSession({ address: new URL(sandbox.url), pool });
  const truth = () =>
    sandbox.companies.flatMap(({ rut }) =>
      DIRECTIONS.flatMap((direction) =>
        [...days.lists, ...days.details].flatMap((day) => [...sandbox.truth(rut, direction, day)]),
      ),
    );

  const exportDays = async (id: string, asked: readonly Day[], hasDetails: boolean) => {
    const results = await exportRun({
      run: { id, day: TODAY },
      companies: sandbox.companies.map(({ rut, token }) => ({
        rut,
        tokens: { current: async () => token, renew: async () => token },
      })),
      directions: DIRECTIONS,
      days: asked,
      details: hasDetails ? { directions: DIRECTIONS, maxPerUnit: 10_000 } : undefined,
      session,
      store: new FolderStore(folder),
      writer: writeWithHyparquet,
      maxInFlight: 8,
      companiesAtOnce: 4,
    });
    await publishLagging(new FolderStore(folder), writeWithHyparquet);
    const failed = results.find(({ state, detailState }) => state === 'fallido' || detailState === 'fallido');
    if (failed !== undefined) throw new Error(failed.error ?? failed.detailReason);
  };

  const before = truth();
  for (const { id, index } of before) if (index % 40 === 7) withoutDetail.add(String(id));
  await exportDays('20261120020000-00000001', [...days.lists, TOO_OLD], false);
  await exportDays('20261120020000-00000002', days.details, true);
  // Many receipts vanish from the end of a day of the first company.
  const { hidden } = movingRows({
    kind: 'removed',
    rut: sandbox.companies[0]?.rut,
    day: LATE_DAY,
    afterListRequests: 0,
    count: vanished,
    position: 'end',
  });
  sandbox.behave({ hidden });
  await exportDays('20261120020000-00000003', [LATE_DAY], days.details.includes(LATE_DAY));

  const listed = truth();
  const listedIds = new Set(listed.map(({ id }) => id));
  const gone = before.filter(({ id }) => !listedIds.has(id));
  if (gone.length !== 2 * vanished) throw new Error(`${gone.length} receipts vanished`);
  const known = listed
    .filter(({ day }) => day >= FIRST_DAY)
    .map((receipt) => ({
      receipt: asSent(receipt),
      wire:
        days.details.some((day) => day === receipt.day) && !withoutDetail.has(String(receipt.id))
          ? wireOf(sandbox.detail(receipt))
          : undefined,
    }));
  await pool.destroy();
  await sandbox.close();
  const database = await openLakeDatabase(folder);
  return {
    folder,
    known,
    gone,
    answerOf: (name) => askNamed(database, name, TODAY),
    close: () => database.close(),
  };
}

/** Parses a detail. Amounts with 17 digits stay text, because a number would round them. */
function wireOf(text: string): Wire {
  const safe = text.replace(
    /("(?:[^"\\]|\\.)*")|(-?\d[\d.]*)/g,
    (_, string, number) => string ?? (number.length > 15 ? `"${number}"` : number),
  );
  return JSON.parse(safe);
}
