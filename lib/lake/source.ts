import * as v from 'valibot';
import { addressText, parseApiAddress } from '../api/access.ts';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';
import { shellWord } from '../text/terminal.ts';
import { assertCurrentLayout, SOURCE_KEY, UNITS_FOLDER } from './layout.ts';
import { type LakeStore, readText, replaceText, StaleObjectError, type StoredObject } from './store/store.ts';
import { TABLES } from './tables.ts';

/**
 * Where a lake's receipts come from: a service, by its address (scheme, host, port and path; see addressText), or the
 * sandbox that a command starts itself, by its seed.
 */
export type LakeSource = { api: string } | { sandbox: { seed: string } };

/** A lake's mark, and the object that holds it. */
export interface SourceMark {
  source: LakeSource;
  found: StoredObject;
}

/** The mark at `.source/source.json` cannot be parsed, so the source of the receipts is unknown. */
export class SourceMarkError extends CfeLakeError {
  override name = 'SourceMarkError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(address: string) {
    super(
      `This version can't read the mark of the lake ${address} (${SOURCE_KEY}). Nothing was read or written.`,
      {
        advice:
          'If a newer version wrote it, use that version. Otherwise move the mark away, and confirm once with ' +
          '--adopt-lake (export, or backfill for a deployed stack) where the receipts come from.',
      },
    );
  }
}

const FORMAT_VERSION = 1;
/** More than any mark has. */
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

/** The service at an address. */
export function apiSource(address: URL): LakeSource {
  return { api: addressText(address) };
}

/** The source in words, for messages. */
function describeSource(source: LakeSource): string {
  return 'api' in source ? source.api : `the built-in sandbox (seed ${source.sandbox.seed})`;
}

/** The lake's mark; undefined if it has none. Throws SourceMarkError. */
export async function readMark(store: LakeStore): Promise<SourceMark | undefined> {
  const found = await store.find(SOURCE_KEY);
  if (found === undefined) return undefined;
  const text = found.byteCount > MAX_BYTES ? '' : await readText(store, SOURCE_KEY);
  const parsed = v.safeParse(MarkText, text);
  if (!parsed.success) throw new SourceMarkError(store.address);
  const { version: _, ...source } = parsed.output;
  return { source, found };
}

/** Writes the mark, replacing the one that was found. Throws StaleObjectError if another has replaced it since. */
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
 * What a person states about a lake whose mark does not say it. `moved`: the service has a new address. `adopted`: the
 * receipts of an unmarked lake are from this service.
 */
export type SourceClaim = 'moved' | 'adopted';

/** The lake's receipts are from another source. In one lake the two could not be told apart. */
export class OtherSourceError extends CfeLakeError {
  override name = 'OtherSourceError';
  override readonly exitCode = EXIT_WRONG_INPUT;
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
  return `Invented and real receipts are never mixed. Give another lake${'api' in asked ? '' : ', or the API of this one with --api'}.`;
}

/** The lake has receipts but no mark, and nobody has said where they are from. */
export class UnmarkedLakeError extends CfeLakeError {
  override name = 'UnmarkedLakeError';
  override readonly exitCode = EXIT_WRONG_INPUT;
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
    'deployed stack). Otherwise give another lake.'
  );
}

/**
 * Checks that receipts of this source may be compared with the lake's; writes nothing. An unmarked lake may be compared
 * with a service. Throws OutdatedLakeError, OtherSourceError, UnmarkedLakeError or SourceMarkError.
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
 * Checks that receipts of this source may be written to the lake, and marks the lake with it. An empty lake needs no
 * claim, any other unmarked one does. Throws what checkSource throws, and UnmarkedLakeError for a service too.
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
    // Somebody else has marked it, perhaps with another source. The claim was about the lake before that.
    await claimLake(store, source);
  }
}

function isSame(one: LakeSource, other: LakeSource): boolean {
  return describeSource(one) === describeSource(other);
}

/** Whether any run has ever written to the lake. */
async function holdsReceipts(store: LakeStore): Promise<boolean> {
  for (const folder of [UNITS_FOLDER, ...TABLES.map(({ name }) => name)]) {
    for await (const _key of store.list(folder)) return true;
  }
  return false;
}

/**
 * The command that reads days of this lake again; the caller adds days and companies. A bucket is filled by its stack,
 * a folder from the source in its mark. Without a mark, the command names a companies file.
 */
export function readAgainCommand(program: string, lake: string, source: LakeSource | undefined): string {
  if (lake.startsWith('s3://')) return `${program} backfill`;
  const words = [program, 'export', '--lake', shellWord(lake)];
  if (source === undefined || 'api' in source) words.push('--companies', 'companies.json');
  if (source !== undefined && 'api' in source) words.push('--api', shellWord(source.api));
  return words.join(' ');
}

/** The source in a folder's mark; undefined without a readable mark, and for a bucket. */
export async function sourceOfFolder(store: LakeStore): Promise<LakeSource | undefined> {
  // A bucket's days are read again by its stack, whatever its mark says.
  if (store.address.startsWith('s3://')) return undefined;
  try {
    return (await readMark(store))?.source;
  } catch (error) {
    if (error instanceof SourceMarkError) return undefined;
    throw error;
  }
}
