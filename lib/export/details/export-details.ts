import { LIST_HASH } from '../../lake/details-of-list.ts';
import { unitKey } from '../../lake/layout.ts';
import { localMicros } from '../../lake/rows/fields.ts';
import { CONTENT_HASH, type SortedRows } from '../../lake/rows/receipt-rows.ts';
import { isRace, StaleObjectError, type StoredObject } from '../../lake/store/store.ts';
import { DETAIL_TABLE_OF, TABLE_OF } from '../../lake/tables.ts';
import { messageOf } from '../../system/errors.ts';
import { plural } from '../../text/terminal.ts';
import type { DetailResult, Unit, UnknownFields } from '../../units/unit.ts';
import { type ExportTools, MAX_FAILURES_IN_A_ROW } from '../export-tools.ts';
import { composeDetails } from './compose-details.ts';
import {
  DetailPool,
  DetailsTooLargeError,
  type ListedReceipt,
  type ListObject,
  listedReceipts,
} from './detail-pool.ts';
import { type MissingReading, readMissing } from './read-missing.ts';

/** How often details are merged again because another run replaced the object at the same time. */
const MAX_ATTEMPTS = 3;

/** The least `leido`, in microseconds; absent if some details are lacking. */
const OLDEST_READ = 'cfe-lake.oldest-read';

/**
 * Details of a unit with more receipts are read one unit at a time: one alone keeps all requests in flight that a
 * company may have, and details are kept in memory until their object is stored.
 */
const LARGE_RECEIPTS = 2_000;

/** Units whose details take more memory are read one at a time in the whole run, as are those with one large detail. */
const LARGE_BYTES = 20 * 2 ** 20;

/** Where all units that are read at once have more together, all but one wait. */
const MOST_HELD_BYTES = 200 * 2 ** 20;

/** What was read is stored after this many details: a killed process loses no more than that, and those in flight. */
const SAVED_EVERY = 1_000;

const DAY_MICROS = 86_400_000_000n;

/** The result of exporting a unit's details. */
interface ExportedDetails {
  result: DetailResult;
  /** Values of details read now that did not fit their column. */
  conversionErrors: number;
  /** Unknown fields of the details that were read now. */
  unknownFields?: UnknownFields | undefined;
}

/**
 * Brings the details of a unit up to date with its list, which is stored already. A failure is a result; it is not
 * thrown, and the list stays as it is. Undefined when they are not finished, because time was up or the signal came;
 * what was read is stored. Throws StaleListError.
 */
export async function exportDetails(
  unit: Unit,
  list: ListObject,
  tools: ExportTools,
): Promise<ExportedDetails | undefined> {
  const { details, signal, detailMutex } = tools;
  const { maxPerUnit } = details;
  if (list.listedCount > maxPerUnit) {
    const detailReason =
      `The day has ${plural(list.listedCount, 'receipt')}, but details are only read for days with at most ${maxPerUnit}. ` +
      'Raise that limit to read them.';
    return { result: { detailState: 'omitido', detailReason }, conversionErrors: 0 };
  }
  const job = new DetailJob(unit, list, tools);
  try {
    const result = await (list.rows.rowCount > LARGE_RECEIPTS
      ? detailMutex.runExclusive(() => job.run())
      : job.run());
    const { rows, unknown } = job.pool;
    return result && { result, conversionErrors: rows.conversionErrors, unknownFields: unknown.found };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof StaleListError) throw error;
    return { result: { detailState: 'fallido', detailReason: messageOf(error) }, conversionErrors: 0 };
  } finally {
    job.end();
  }
}

/** Another run has replaced the list: the unit's details are no longer those of the list that was read here. */
class StaleListError extends StaleObjectError {
  override name = 'StaleListError';
}

/** The details of one unit in one invocation. */
class DetailJob {
  readonly pool: DetailPool;
  private readonly unit: Unit;
  private readonly list: ListObject;
  private readonly tools: ExportTools;
  private readonly key: string;
  private readonly oldestAllowed: bigint;
  private listed: readonly ListedReceipt[] | undefined;
  /** The object as it was found or last stored here. */
  private stored: StoredObject | undefined;
  /** How many of the details read now it has. */
  private savedCount = 0;
  private saving: Promise<void> | undefined;
  /** Its turn, once its details are large. */
  private turn: Promise<void> | undefined;
  /** What of its details is counted as held. */
  private heldBytes = 0;

  constructor(unit: Unit, list: ListObject, tools: ExportTools) {
    const { details, clock } = tools;
    this.unit = unit;
    this.list = list;
    this.tools = tools;
    this.pool = new DetailPool(unit, tools.client.maxBytesPerList);
    this.key = unitKey(DETAIL_TABLE_OF[unit.direction].name, unit.day, unit.rut);
    const { maxAgeDays } = details;
    this.oldestAllowed =
      maxAgeDays === undefined ? 0n : localMicros(clock.now()) - BigInt(maxAgeDays) * DAY_MICROS;
  }

  async run(): Promise<DetailResult | undefined> {
    const { store, isTimeUp } = this.tools;
    let reading: MissingReading | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const stored = await store.find(this.key);
        this.stored = stored;
        if (stored !== undefined && this.isUpToDate(stored)) {
          await this.markUnlessPublished(stored);
          return this.result(reading);
        }
        // Loading takes a while, and units that waited for their turn would load one after another.
        if (reading === undefined && isTimeUp()) return undefined;
        if (stored !== undefined) await this.pool.addStored(store, this.key);
        reading ??= await this.readMissing();
        if (reading.end === 'paused') return undefined;
        // A failure among many answers is kept with its reason. An API that only fails changes nothing.
        if (reading.end === 'givenUp' || 2 * reading.failed > this.list.listedCount) {
          return this.failed(reading);
        }
        await this.assertCurrentList();
        await this.replace(stored?.storedAtMs ?? 0);
        return this.result(reading);
      } catch (error) {
        if (!isRace(error) || error instanceof StaleListError || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Its details are no longer in memory. */
  end(): void {
    const { heldDetails } = this.tools;
    heldDetails.byteCount -= this.heldBytes;
    this.turn?.then(
      () => heldDetails.turn.release(),
      () => undefined,
    );
  }

  private countHeld(): void {
    const { byteCount } = this.pool;
    this.tools.heldDetails.byteCount += byteCount - this.heldBytes;
    this.heldBytes = byteCount;
  }

  /** Computed only if details are read. */
  private get receipts(): readonly ListedReceipt[] {
    this.listed ??= listedReceipts(this.unit, this.list);
    return this.listed;
  }

  /** Whether the object has every detail of the present list, by its own metadata. */
  private isUpToDate(stored: StoredObject): boolean {
    if (stored.metadata[LIST_HASH] !== this.list.sha256) return false;
    return BigInt(stored.metadata[OLDEST_READ] ?? -1) >= this.oldestAllowed;
  }

  private async readMissing(): Promise<MissingReading> {
    const { unit, list, pool, tools } = this;
    const { heldDetails, signal } = tools;
    const turn = {
      isTaken: false,
      take: async () => {
        this.turn ??= heldDetails.turn.acquire(signal);
        await this.turn;
        turn.isTaken = true;
      },
    };
    const onRead = async () => {
      this.countHeld();
      const isCrowded = heldDetails.byteCount > MOST_HELD_BYTES;
      if (pool.byteCount > LARGE_BYTES || isCrowded || this.turn !== undefined) await turn.take();
      if (this.saving === undefined && pool.readCount - this.savedCount >= SAVED_EVERY) await this.save();
    };
    try {
      const reading = await readMissing(unit, list, this.missing(), { pool, turn, onRead }, tools);
      if (reading.end !== 'whole') await this.save();
      return reading;
    } catch (error) {
      // Stored, they would leave no room for the day's details once the API is mended.
      if (!(error instanceof DetailsTooLargeError)) await this.save();
      throw error;
    }
  }

  /** Stores what is read so far beside what was stored. It belongs to no list as a whole, so the rest is read next time. */
  private async save(): Promise<void> {
    await this.saving;
    this.saving = this.storePool();
    try {
      await this.saving;
    } finally {
      this.saving = undefined;
    }
  }

  private async storePool(): Promise<void> {
    const { store, marks } = this.tools;
    for (let attempt = 1; this.savedCount < this.pool.readCount; attempt += 1) {
      const count = this.pool.readCount;
      try {
        const { table } = this.pool.rows;
        // Rows beside those of the same list are of that list, too; how old they are is told by none.
        const { [LIST_HASH]: hash } = this.stored?.metadata ?? {};
        const metadata: Readonly<Record<string, string>> =
          hash === this.list.sha256 ? { [LIST_HASH]: hash } : {};
        await marks.around(table, this.unit.day, () => this.put(this.pool.current(), metadata));
        this.savedCount = count;
      } catch (error) {
        if (!isRace(error) || attempt === MAX_ATTEMPTS) throw error;
        // What another run has read counts as well.
        if ((await store.find(this.key)) !== undefined) await this.pool.addStored(store, this.key);
      }
      this.stored = await store.find(this.key);
    }
  }

  private missing(): ListedReceipt[] {
    return this.receipts.filter(
      (receipt) => receipt.lastSeen === null && !this.pool.isCurrent(receipt, this.oldestAllowed),
    );
  }

  /**
   * Throws StaleListError. Asked after the object of the details was found, and before that is replaced on the condition
   * that it is still the same: a run that replaces the list later replaces the details after that.
   */
  private async assertCurrentList(): Promise<void> {
    const key = unitKey(TABLE_OF[this.unit.direction].name, this.unit.day, this.unit.rut);
    const list = await this.tools.store.find(key);
    if (list?.metadata[CONTENT_HASH] === this.list.sha256) return;
    // For the reading of the newer list.
    await this.save();
    throw new StaleListError(key);
  }

  /** Writes the object, unless it has the same content already. */
  private async replace(storedBeforeMs: number): Promise<void> {
    const { unit, list, receipts, pool, stored } = this;
    const rows = composeDetails(unit, list, receipts, pool, localMicros(storedBeforeMs));
    if (rows.rowCount === 0) return;
    const isSame = stored?.metadata[CONTENT_HASH] === rows.contentHash();
    if (isSame && stored.metadata[LIST_HASH] === list.sha256) return await this.markUnlessPublished(stored);
    const metadata = {
      [LIST_HASH]: list.sha256,
      ...(pool.reasons.size === 0 && { [OLDEST_READ]: String(pool.oldestRead(receipts)) }),
    };
    await this.tools.marks.around(pool.rows.table, unit.day, () => this.put(rows, metadata));
  }

  private async put(rows: SortedRows, readingMetadata: Readonly<Record<string, string>>): Promise<void> {
    const { store, writer } = this.tools;
    const { columns } = this.pool.rows.table;
    const metadata = { [CONTENT_HASH]: rows.contentHash(), ...readingMetadata };
    await store.replace(this.key, writer({ columns, rows, metadata }), { metadata, expected: this.stored });
  }

  private async markUnlessPublished(stored: StoredObject): Promise<void> {
    const { day, rut } = this.unit;
    await this.tools.marks.unlessPublished(this.pool.rows.table, day, rut, stored);
  }

  private result({ read, failed = 0, firstFailure }: Partial<MissingReading> = {}): DetailResult {
    const lacking = this.pool.reasons.size;
    const stored = this.list.listedCount - lacking;
    // One or two may be refused for ever. Where all are, the API is at fault.
    const [firstRefusal] = stored > 0 || lacking < MAX_FAILURES_IN_A_ROW ? [] : this.pool.reasons.values();
    const first = firstFailure?.message ?? firstRefusal;
    return {
      detailState: first === undefined ? 'completo' : 'fallido',
      detailReason:
        first &&
        `${plural(failed || lacking, 'detail')} could not be read; motivo says why. The first: ${first}`,
      detailsStored: stored,
      detailsRead: read ?? 0,
      detailsUnread: lacking,
    };
  }

  private failed({ failed, read, firstFailure }: MissingReading): DetailResult {
    const reason =
      `${plural(failed, 'detail')} could not be read, so the ones stored before stay. What was read now is stored, and ` +
      `the next export goes on from there. The first failure: ${firstFailure?.message ?? ''}`;
    return { detailState: 'fallido', detailReason: reason, detailsRead: read };
  }
}
