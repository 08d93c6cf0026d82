import { existsSync } from 'node:fs';
import * as v from 'valibot';
import { WrongInputError } from '../system/errors.ts';
import { addressText, parseApiAddress } from '../text/api-address.ts';
import type { Language, Localized } from '../text/language.ts';
import { shellWord } from '../text/terminal.ts';
import { SOURCE_KEY, UNITS_FOLDER } from './layout.ts';
import { LAKE } from './phrases.ts';
import { type LakeStore, readText, replaceText, StaleObjectError, type StoredObject } from './store/store.ts';
import { RECEIPT_TABLES } from './tables.ts';

/**
 * Where a lake's receipts come from: a service, by its address (scheme, host, port and path; see addressText), or the
 * sandbox that a command starts itself, by its seed.
 */
export type LakeSource = { api: string } | { sandbox: { seed: string } };

export interface SourceMark {
  source: LakeSource;
  found: StoredObject;
}

/** What `init` calls the file of your companies. */
export const USUAL_FILE = 'companies.json';

const FORMAT_VERSION = 1;
/** More than any mark has. */
const MAX_BYTES = 4096;

const version = v.literal(FORMAT_VERSION);
const MarkSchema = v.union([
  v.strictObject({ version, api: v.pipe(v.string(), v.check(isSourceAddress)) }),
  v.strictObject({
    version,
    sandbox: v.strictObject({ seed: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)) }),
  }),
]);
const MarkText = v.pipe(v.string(), v.parseJson(), MarkSchema);

export function apiSource(address: URL): LakeSource {
  return { api: addressText(address) };
}

/** The source in words, for messages. */
export function describeSource(source: LakeSource, language: Language = 'en'): string {
  return 'api' in source ? source.api : LAKE.sandbox(source.sandbox.seed)(language);
}

/** The lake's mark; undefined if it has none. Throws WrongInputError if the source of the receipts is so unknown. */
export async function readMark(store: LakeStore): Promise<SourceMark | undefined> {
  const found = await store.find(SOURCE_KEY);
  if (found === undefined) return undefined;
  const text = found.byteCount > MAX_BYTES ? '' : await readText(store, SOURCE_KEY);
  const parsed = v.safeParse(MarkText, text);
  if (!parsed.success) {
    throw new WrongInputError(LAKE.unreadableMark(store.address, SOURCE_KEY), {
      advice: LAKE.moveMarkAway(),
    });
  }
  const { version: _, ...source } = parsed.output;
  return { source, found };
}

/** Writes the mark, replacing the one that was found. Throws StaleObjectError if another has replaced it since. */
export async function writeMark(
  store: LakeStore,
  source: LakeSource,
  expected: StoredObject | undefined,
): Promise<void> {
  await replaceText(
    store,
    SOURCE_KEY,
    `${JSON.stringify({ version: FORMAT_VERSION, ...source })}\n`,
    expected,
  );
}

function isSourceAddress(text: string): boolean {
  try {
    return addressText(parseApiAddress(text)) === text;
  } catch {
    return false;
  }
}

/**
 * The command that reads days of this lake again; the caller adds days and companies. A bucket is filled by its stack,
 * a folder by export, with a companies file unless its mark names the sandbox. Never with the address in the mark: whoever
 * made the lake could choose so where its reader's tokens go, of whom there are none without a file. If the file's own is
 * another, checkSource says so.
 */
export async function readAgainCommand(
  program: string,
  store: LakeStore,
  companiesFile?: string,
): Promise<string> {
  if (store.address.startsWith('s3://')) return `${program} backfill`;
  const mark = await readMark(store).catch((error: unknown) => {
    if (!(error instanceof WrongInputError)) throw error;
  });
  const source = mark?.source;
  const words = [program, 'export', '--lake', shellWord(store.address)];
  if (source !== undefined && 'sandbox' in source) words.push('--sandbox');
  // On this machine, without a file of companies, those of the sandbox are asked for, whose tokens are no secret.
  else if (source?.api.startsWith('http:') && companiesFile === undefined && !existsSync(USUAL_FILE))
    words.push('--api', shellWord(source.api));
  else words.push('--companies', shellWord(companiesFile ?? USUAL_FILE));
  return words.join(' ');
}

/**
 * What a person states about a lake whose mark does not say it. `moved`: the service has a new address. `adopted`: the
 * receipts of an unmarked lake are from this service.
 */
export type SourceClaim = 'moved' | 'adopted';

/** The lake's receipts are from another source. In one lake the two could not be told apart. */
export class OtherSourceError extends WrongInputError {
  override name = 'OtherSourceError';
  constructor(address: string, marked: LakeSource, asked: LakeSource) {
    const happened: Localized = (language) =>
      LAKE.otherSource(address, describeSource(marked, language), describeSource(asked, language))(language);
    super(happened, { advice: 'api' in marked && 'api' in asked ? LAKE.moved() : neverMixed(asked) });
  }
}

function neverMixed(asked: LakeSource): Localized {
  return 'api' in asked ? LAKE.neverMixed() : LAKE.neverMixedNorAsked();
}

/** The lake has receipts but no mark, and nobody has said where they are from. */
export class UnmarkedLakeError extends WrongInputError {
  override name = 'UnmarkedLakeError';
  constructor(address: string, asked: LakeSource) {
    super(LAKE.unmarked(address), { advice: 'api' in asked ? LAKE.adopt(asked.api) : neverMixed(asked) });
  }
}

/**
 * Checks that receipts of this source may be compared with the lake's, or with `isToWrite` written to it; writes nothing.
 * An unmarked lake with receipts may be compared with a service, and written only if that is claimed. Throws
 * OtherSourceError, UnmarkedLakeError, or what readMark throws.
 */
export async function checkSource(
  store: LakeStore,
  source: LakeSource,
  claim?: SourceClaim,
  isToWrite = false,
): Promise<SourceMark | undefined> {
  const mark = await readMark(store);
  if (mark === undefined) {
    const mayHaveReceipts = 'api' in source && (!isToWrite || claim === 'adopted');
    if (!mayHaveReceipts && (await holdsReceipts(store))) throw new UnmarkedLakeError(store.address, source);
    return undefined;
  }
  const isMoved = claim === 'moved' && 'api' in mark.source && 'api' in source;
  if (!isSame(mark.source, source) && !isMoved)
    throw new OtherSourceError(store.address, mark.source, source);
  return mark;
}

/**
 * Marks the lake with the source of what is about to be written, unless it is marked already. Throws what checkSource
 * throws.
 */
export async function claimLake(store: LakeStore, source: LakeSource, claim?: SourceClaim): Promise<void> {
  const mark = await checkSource(store, source, claim, true);
  if (mark !== undefined && isSame(mark.source, source)) return;
  try {
    await writeMark(store, source, mark?.found);
  } catch (error) {
    if (!(error instanceof StaleObjectError)) throw error;
    // Somebody else has marked it, perhaps with another source. The claim was about the lake before that.
    await claimLake(store, source);
  }
}

/** A lake that is open for writing receipts of one source. */
export interface ClaimedLake {
  store: LakeStore;
  /** Marks the lake with the source, before anything that was read from it is stored. */
  markSource: () => Promise<void>;
}

/**
 * Checks that receipts of this source may be written to the lake. What a person claims is noted at once; else the lake is
 * marked when the first unit was read, so that a wrong address leaves no mark.
 */
export async function claimedLake(
  store: LakeStore,
  source: LakeSource,
  claim?: SourceClaim,
): Promise<ClaimedLake> {
  if (claim === undefined) await checkSource(store, source, undefined, true);
  else await claimLake(store, source, claim);
  let marking: Promise<void> | undefined;
  const markSource = () => {
    marking ??= claimLake(store, source);
    return marking;
  };
  return { store, markSource };
}

function isSame(a: LakeSource, b: LakeSource): boolean {
  return describeSource(a) === describeSource(b);
}

/** The audit does not count: exports that read nothing, perhaps of a wrong address, have one too. */
async function holdsReceipts(store: LakeStore): Promise<boolean> {
  for (const folder of [UNITS_FOLDER, ...RECEIPT_TABLES.map(({ name }) => name)]) {
    for await (const _key of store.list(folder)) return true;
  }
  return false;
}
