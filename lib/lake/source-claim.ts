import { WrongInputError } from '../errors.ts';
import { UNITS_FOLDER } from './layout.ts';
import { describeSource, type LakeSource, readMark, type SourceMark, writeMark } from './source.ts';
import { type LakeStore, retriedOnRace, StaleObjectError } from './store/store.ts';
import { TABLES } from './tables.ts';

/**
 * What a person states about a lake whose mark does not say it. `moved`: the service has a new address. `adopted`: the
 * receipts of an unmarked lake are from this service.
 */
export type SourceClaim = 'moved' | 'adopted';

/** The lake's receipts are from another source. In one lake the two could not be told apart. */
export class OtherSourceError extends WrongInputError {
  override name = 'OtherSourceError';
  constructor(address: string, marked: LakeSource, asked: LakeSource) {
    super(
      `The receipts of the lake ${address} come from ${describeSource(marked)}, not from ${describeSource(asked)}. ` +
        'Nothing was read or written.',
      { advice: 'api' in marked && 'api' in asked ? MOVED : neverMixed(asked) },
    );
  }
}

const MOVED =
  'If that is the same service at a new address, confirm it once with --source-moved (export, or backfill for a ' +
  'deployed stack). Otherwise give the right address, or another lake.';

function neverMixed(asked: LakeSource): string {
  return `Invented and real receipts are never mixed. Give another lake with --lake DIR${'api' in asked ? '' : ', or the API of this one with --api'}.`;
}

/** The lake has receipts but no mark, and nobody has said where they are from. */
export class UnmarkedLakeError extends WrongInputError {
  override name = 'UnmarkedLakeError';
  constructor(address: string, asked: LakeSource) {
    super(
      `The lake ${address} holds receipts, but no mark that says where they come from. Nothing was read or written.`,
      { advice: 'api' in asked ? adoption(asked.api) : neverMixed(asked) },
    );
  }
}

function adoption(api: string): string {
  return (
    `If they come from ${api} (verify compares them), confirm it once with --adopt-lake (export, or backfill for a ` +
    'deployed stack). Otherwise give another lake with --lake DIR.'
  );
}

/**
 * Checks that receipts of this source may be compared with the lake's; writes nothing. An unmarked lake may be compared
 * with a service. Throws OtherSourceError, UnmarkedLakeError or SourceMarkError.
 */
export async function checkSource(
  store: LakeStore,
  source: LakeSource,
  claim?: SourceClaim,
): Promise<SourceMark | undefined> {
  const mark = await readMark(store);
  if (mark === undefined) {
    if (!('api' in source) && (await holdsReceipts(store)))
      throw new UnmarkedLakeError(store.address, source);
    return undefined;
  }
  const isMoved = claim === 'moved' && 'api' in mark.source && 'api' in source;
  if (!isSame(mark.source, source) && !isMoved && !isUnused(mark))
    throw new OtherSourceError(store.address, mark.source, source);
  return mark;
}

/**
 * Checks that receipts of this source may be written to the lake, and marks the lake with it. An empty lake needs no
 * claim, any other unmarked one does. An export gives its id as `reader`, and calls endReading when it ends: until
 * something is read, the mark is only its own. Throws what checkSource throws, and UnmarkedLakeError for a service too.
 */
export async function claimLake(
  store: LakeStore,
  source: LakeSource,
  claim?: SourceClaim,
  reader?: string,
): Promise<void> {
  const mark = await checkSource(store, source, claim);
  const isOwn = mark !== undefined && isSame(mark.source, source);
  if (isOwn && mark.readers === undefined) return;
  if (mark === undefined && claim !== 'adopted' && (await holdsReceipts(store))) {
    throw new UnmarkedLakeError(store.address, source);
  }
  const isNew = mark === undefined && claim !== 'adopted';
  const others = isNew ? [] : mark?.readers;
  try {
    const readers = reader === undefined || others === undefined ? undefined : [...others, reader];
    await writeMark(store, source, mark?.found, readers);
  } catch (error) {
    if (!(error instanceof StaleObjectError)) throw error;
    // Somebody else has marked it, perhaps with another source. The claim was about the lake before that.
    await claimLake(store, source, undefined, reader);
  }
}

/**
 * Ends what claimLake began for this reader. If it has read something, the lake is its source's for good. If nobody has,
 * the address may have been wrong: the next export may mark the lake with another.
 */
export async function endReading(
  store: LakeStore,
  source: LakeSource,
  reader: string,
  hasRead: boolean,
): Promise<void> {
  await retriedOnRace(async () => {
    const mark = await readMark(store);
    if (mark?.readers === undefined || !isSame(mark.source, source)) return;
    // An export that was interrupted may have stored a unit without saying so.
    const isUsed = hasRead || (await hasAny(store, [UNITS_FOLDER]));
    const others = mark.readers.filter((each) => each !== reader);
    await writeMark(store, source, mark.found, isUsed ? undefined : others);
  });
}

/** Whether all exports that named this source have ended and read nothing. */
function isUnused({ readers }: SourceMark): boolean {
  return readers?.length === 0;
}

function isSame(one: LakeSource, other: LakeSource): boolean {
  return describeSource(one) === describeSource(other);
}

/** Whether any run has ever written to the lake. */
async function holdsReceipts(store: LakeStore): Promise<boolean> {
  return await hasAny(store, [UNITS_FOLDER, ...TABLES.map(({ name }) => name)]);
}

async function hasAny(store: LakeStore, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    for await (const _key of store.list(folder)) return true;
  }
  return false;
}
