import { existsSync } from 'node:fs';
import type { OptionTable, Parsed, Terminal } from '../command.ts';
import { OPTION } from '../phrases/options.ts';

/** What `init` calls the file of your companies. */
export const USUAL_FILE = 'companies.json';

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
