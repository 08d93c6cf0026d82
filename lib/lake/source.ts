import * as v from 'valibot';
import { WrongInputError } from '../system/errors.ts';
import { addressText, parseApiAddress } from '../text/api-address.ts';
import { shellWord } from '../text/terminal.ts';
import { SOURCE_KEY } from './layout.ts';
import { type LakeStore, readText, replaceText, type StoredObject } from './store/store.ts';

/**
 * Where a lake's receipts come from: a service, by its address (scheme, host, port and path; see addressText), or the
 * sandbox that a command starts itself, by its seed.
 */
export type LakeSource = { api: string } | { sandbox: { seed: string } };

export interface SourceMark {
  source: LakeSource;
  found: StoredObject;
}

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
export function describeSource(source: LakeSource): string {
  return 'api' in source ? source.api : `the built-in sandbox (seed ${source.sandbox.seed})`;
}

/** The lake's mark; undefined if it has none. Throws WrongInputError if the source of the receipts is so unknown. */
export async function readMark(store: LakeStore): Promise<SourceMark | undefined> {
  const found = await store.find(SOURCE_KEY);
  if (found === undefined) return undefined;
  const text = found.byteCount > MAX_BYTES ? '' : await readText(store, SOURCE_KEY);
  const parsed = v.safeParse(MarkText, text);
  if (!parsed.success) {
    throw new WrongInputError(
      `This version can't read the mark of the lake ${store.address} (${SOURCE_KEY}). Nothing was read or written.`,
      {
        advice:
          'If a newer version wrote it, use that version. Otherwise move the mark away, and confirm once with ' +
          '--adopt-lake (export, or backfill for a deployed stack) where the receipts come from.',
      },
    );
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
 * a folder from the source in its mark. Without a readable mark, the command names a companies file.
 */
export async function readAgainCommand(program: string, store: LakeStore): Promise<string> {
  if (store.address.startsWith('s3://')) return `${program} backfill`;
  const mark = await readMark(store).catch((error: unknown) => {
    if (!(error instanceof WrongInputError)) throw error;
  });
  const source = mark?.source;
  const words = [program, 'export', '--lake', shellWord(store.address)];
  if (source !== undefined && 'sandbox' in source) words.push('--sandbox');
  else words.push('--companies', 'companies.json');
  if (source !== undefined && 'api' in source) words.push('--api', shellWord(source.api));
  return words.join(' ');
}
