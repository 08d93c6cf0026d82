import { existsSync } from 'node:fs';
import { type Company, readCompaniesFile } from '../../companies/company.ts';
import { readMark, USUAL_FILE } from '../../lake/source.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { addressText } from '../../text/api-address.ts';
import type { OptionTable, Parsed, Terminal } from '../command.ts';
import { OPTION } from '../phrases/options.ts';

/**
 * The options of a command that asks an API, with the companies of this folder where nothing names others: whoever has
 * written down companies never takes invented receipts for theirs. Says so.
 */
export function withFoundCompanies(
  table: OptionTable,
  typed: Parsed<OptionTable>,
  { stderr }: Pick<Terminal, 'stderr'>,
): Parsed<OptionTable> {
  const isForApi = ['api', 'sandbox', 'companies'].every((name) => Object.hasOwn(table, name));
  const isNamed = typed.companies !== undefined || typed.api !== undefined || typed.sandbox === true;
  if (!isForApi || isNamed || !existsSync(USUAL_FILE)) return typed;
  stderr.say(OPTION.using(USUAL_FILE));
  return { ...typed, companies: USUAL_FILE };
}

/**
 * The companies of a command that asks a lake: of the file that is named, else of the one in this folder, if the lake is
 * of its service. Says so. Throws what readCompaniesFile throws.
 */
export async function companiesOf(
  { companies: named }: { companies?: string },
  store: LakeStore,
  { stderr }: Pick<Terminal, 'stderr'>,
): Promise<{ path: string; companies: readonly Company[] } | undefined> {
  if (named === undefined && !existsSync(USUAL_FILE)) return undefined;
  const source = named === undefined ? (await readMark(store).catch(() => undefined))?.source : undefined;
  if (source !== undefined && 'sandbox' in source) return undefined;
  const path = named ?? USUAL_FILE;
  const { companies, api } = await readCompaniesFile(path);
  if (source !== undefined && api !== undefined && source.api !== addressText(api)) return undefined;
  if (named === undefined) stderr.say(OPTION.using(path));
  return { path, companies };
}
