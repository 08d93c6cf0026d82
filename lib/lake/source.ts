import * as v from 'valibot';
import { addressText, parseApiAddress } from '../api/access.ts';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';
import { assertCurrentLayout, SOURCE_KEY, UNITS_FOLDER } from './layout.ts';
import { type LakeStore, readText, replaceText, StaleObjectError, type StoredObject } from './store/store.ts';
import { TABLES } from './tables.ts';

/**
 * Where a lake's receipts are from: a service, by its address (scheme, host, port and path; see addressText), or the
 * sandbox that a command starts inside, by what its receipts are made from.
 */
export type LakeSource = { api: string } | { sandbox: { seed: string } };

/** A lake's mark, as it stands. */
export interface SourceMark {
  source: LakeSource;
  found: StoredObject;
}

/** What stands at `.source/source.json` can't be understood, so nobody knows whose the receipts are. */
export class SourceMarkError extends CfeLakeError {
  override name = 'SourceMarkError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(address: string) {
    super(
      `The mark of the lake ${address} (${SOURCE_KEY}) is none that this version can read: nothing was read or ` +
        'written.',
      {
        advice:
          'If a newer version wrote it, use that one; else move it away, and say once with --adopt-lake ' +
          '(export, or backfill for a deployed stack) whose the receipts are.',
      },
    );
  }
}

const FORMAT_VERSION = 1;
/** Far more than any mark has. */
const MAX_BYTES = 4096;

const Version = v.literal(FORMAT_VERSION);
const MarkSchema = v.union([
  v.strictObject({ version: Version, api: v.pipe(v.string(), v.check(isSourceAddress)) }),
  v.strictObject({
    version: Version,
    sandbox: v.strictObject({ seed: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)) }),
  }),
]);
const MarkText = v.pipe(v.string(), v.parseJson(), MarkSchema);

/** The service at an address; no credentials, since the address has none. */
export function apiSource(address: URL): LakeSource {
  return { api: addressText(address) };
}

/** As a sentence names it. */
export function describeSource(source: LakeSource): string {
  return 'api' in source ? source.api : `the sandbox inside (seed ${source.sandbox.seed})`;
}

/** The lake's mark; undefined when it has none yet. Throws SourceMarkError. */
export async function readMark(store: LakeStore): Promise<SourceMark | undefined> {
  const found = await store.find(SOURCE_KEY);
  if (found === undefined) return undefined;
  const text = found.byteCount > MAX_BYTES ? '' : await readText(store, SOURCE_KEY);
  const parsed = v.safeParse(MarkText, text);
  if (!parsed.success) throw new SourceMarkError(store.address);
  const { version: _, ...source } = parsed.output;
  return { source, found };
}

/** Marks the lake, in the place of the mark that was found. Throws StaleObjectError when there is another by now. */
export async function writeMark(
  store: LakeStore,
  source: LakeSource,
  expected: StoredObject | undefined,
): Promise<void> {
  const text = `${JSON.stringify({ version: FORMAT_VERSION, ...source })}\n`;
  await replaceText(store, SOURCE_KEY, text, expected);
}

function isSourceAddress(text: string): boolean {
  try {
    return addressText(parseApiAddress(text)) === text;
  } catch {
    return false;
  }
}

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
