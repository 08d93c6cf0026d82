import * as v from 'valibot';
import { addressText, parseApiAddress } from '../../api/access.ts';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../../errors.ts';
import { SOURCE_KEY } from '../layout.ts';
import type { LakeStore, StoredObject } from '../store/store.ts';
import { readText, replaceText } from '../store/text-object.ts';

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
