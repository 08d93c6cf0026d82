import * as v from 'valibot';
import { COMPANIES_KEY } from '../lake/layout.ts';
import {
  type LakeStore,
  readText,
  replaceText,
  StaleObjectError,
  type StoredObject,
} from '../lake/store/store.ts';

/** The companies of the last run of all companies, as the lake keeps them. */
export interface LastCompanies {
  ruts: readonly string[];
  found: StoredObject | undefined;
}

const FileText = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ version: v.literal(1), ruts: v.array(v.string()) }),
);

/** None before the first run, or where this version can't read them. Throws LakeRequestError. */
export async function readLastCompanies(store: LakeStore): Promise<LastCompanies> {
  const found = await store.find(COMPANIES_KEY);
  if (found === undefined) return { ruts: [], found };
  const parsed = v.safeParse(FileText, await readText(store, COMPANIES_KEY));
  return { ruts: parsed.success ? parsed.output.ruts : [], found };
}

/** Keeps those of a run that was started. A run that started at the same time may have kept its own, which are as new. */
export async function keepLastCompanies(
  store: LakeStore,
  ruts: readonly string[],
  { ruts: standing, found: expected }: LastCompanies,
): Promise<void> {
  if (expected !== undefined && JSON.stringify(ruts) === JSON.stringify(standing)) return;
  const text = `${JSON.stringify({ version: 1, ruts })}\n`;
  try {
    await replaceText(store, COMPANIES_KEY, text, expected);
  } catch (error) {
    if (!(error instanceof StaleObjectError)) throw error;
  }
}
