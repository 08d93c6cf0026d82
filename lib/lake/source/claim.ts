import { CfeLakeError, EXIT_WRONG_INPUT } from '../../errors.ts';
import { UNITS_FOLDER } from '../layout.ts';
import { assertCurrentLayout } from '../old-layout.ts';
import { type LakeStore, StaleObjectError } from '../store/store.ts';
import { TABLES } from '../tables.ts';
import { describeSource, type LakeSource, readMark, type SourceMark, writeMark } from './mark.ts';

/**
 * What a person says of a lake whose mark does not: `moved`, that its service has a new address; `adopted`, that the
 * receipts of a lake without a mark are from this one.
 */
export type SourceClaim = 'moved' | 'adopted';

/** The lake's receipts are from another source: two in one lake could not be told apart any more. */
export class OtherSourceError extends CfeLakeError {
  override name = 'OtherSourceError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(address: string, marked: LakeSource, asked: LakeSource) {
    super(
      `The lake ${address} is of ${describeSource(marked)}, and this would be ${describeSource(asked)}: nothing was ` +
        'read or written.',
      { advice: 'api' in marked && 'api' in asked ? MOVED : neverMixed(asked) },
    );
  }
}

const MOVED =
  'If that is the same service at a new address, say so once with --source-moved (export, or backfill for a deployed ' +
  'stack); else give the right address, or another lake.';

function neverMixed(asked: LakeSource): string {
  return `Invented receipts and real ones are never mixed: give another lake${'api' in asked ? '' : ', or the API of this one with --api'}.`;
}

/** The lake has receipts of before there were marks, and nobody said whose they are. */
export class UnmarkedLakeError extends CfeLakeError {
  override name = 'UnmarkedLakeError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(address: string, asked: LakeSource) {
    super(
      `The lake ${address} holds receipts and no mark of the service that they are from: nothing was read or ` +
        'written.',
      { advice: 'api' in asked ? adoption(asked.api) : neverMixed(asked) },
    );
  }
}

function adoption(api: string): string {
  return (
    `If they are from ${api} (verify compares them), say so once with --adopt-lake (export, or backfill for a ` +
    'deployed stack); else give another lake.'
  );
}

/**
 * Whether what comes from this source may be compared with the lake; nothing is written. A lake without a mark may be
 * compared with a service. Throws OutdatedLakeError, OtherSourceError, UnmarkedLakeError or SourceMarkError.
 */
export async function checkSource(
  store: LakeStore,
  source: LakeSource,
  claim?: SourceClaim,
): Promise<SourceMark | undefined> {
  await assertCurrentLayout(store);
  const mark = await readMark(store);
  if (mark === undefined) {
    if (!('api' in source) && (await holdsReceipts(store)))
      throw new UnmarkedLakeError(store.address, source);
    return undefined;
  }
  const isMoved = claim === 'moved' && 'api' in mark.source && 'api' in source;
  if (!isSame(mark.source, source) && !isMoved)
    throw new OtherSourceError(store.address, mark.source, source);
  return mark;
}

/**
 * The same before receipts of this source are written, and marks the lake with it: an empty one by itself, any other
 * by its claim only. Throws what checkSource does, and UnmarkedLakeError for a service too.
 */
export async function claimLake(store: LakeStore, source: LakeSource, claim?: SourceClaim): Promise<void> {
  const mark = await checkSource(store, source, claim);
  if (mark !== undefined && isSame(mark.source, source)) return;
  if (mark === undefined && claim !== 'adopted' && (await holdsReceipts(store))) {
    throw new UnmarkedLakeError(store.address, source);
  }
  try {
    await writeMark(store, source, mark?.found);
  } catch (error) {
    if (!(error instanceof StaleObjectError)) throw error;
    // Somebody else marked it meanwhile, perhaps as theirs; the claim was about the lake as it was before.
    await claimLake(store, source);
  }
}

function isSame(one: LakeSource, other: LakeSource): boolean {
  return describeSource(one) === describeSource(other);
}

/** Whether any run ever wrote into the lake. */
async function holdsReceipts(store: LakeStore): Promise<boolean> {
  for (const folder of [UNITS_FOLDER, ...TABLES.map(({ name }) => name)]) {
    for await (const _key of store.list(folder)) return true;
  }
  return false;
}
