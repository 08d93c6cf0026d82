import { dirname } from 'node:path';
import { CommanderError, Option as CommanderOption, InvalidArgumentError } from 'commander';
import { WrongInputError } from '../system/errors.ts';
import { assertReplaceable, isFolder, mayOthersRead } from '../system/private-files.ts';
import { assertOwnFolders } from '../system/private-folders.ts';
import { joined, type Language, type Said, textIn } from '../text/language.ts';
import { shellWord } from '../text/terminal.ts';
import { SAY } from './phrases/program.ts';
import type { Printer } from './printer.ts';

/** Where a command reads from and writes to. */
export interface Terminal {
  stdout: Printer;
  stderr: Printer;
  /** Standard input, opened when it is asked for. */
  stdin?: () => AsyncIterable<Uint8Array | string>;
  /** Asks a person, and gives the answer, which `isHidden` does not show; absent where nobody is there to answer. */
  ask?: (question: string, isHidden?: boolean) => Promise<string>;
  /** The value of --lang; without it, printers take the session's language. */
  askedLanguage?: Language;
  /** Names in a lake that were not read, because the program did not write them: the end of a command tells them. */
  foreignNames?: Set<string>;
  signal: AbortSignal;
}

export interface Command<Options extends OptionTable = OptionTable> {
  /** The words after the name, as Commander has them: `<check>`, `[SQL...]`. */
  words?: string;
  /** All values of the first word, if there are few. */
  choices?: readonly string[];
  options: Options;
  examples: readonly string[];
  notes?: readonly Said[];
  /** Returns the exit code. Throws WrongInputError where the words are wrong: one line that says what to type instead. */
  run(options: Parsed<Options>, words: readonly string[], terminal: Terminal): Promise<number>;
}

export function defineCommand<Options extends OptionTable>(command: Command<Options>): Command<Options> {
  return command;
}

export interface Option<Choice extends string = string> {
  kind: 'flag' | 'value' | 'values' | 'number';
  placeholder?: string;
  help: Said;
  least?: number;
  most?: number;
  /** All values that it takes, if there are few; others are refused. */
  choices?: readonly Choice[];
  /** The value of an option that is typed without one. */
  preset?: Choice;
  /** Whether its file holds tokens, so that only its owner should read it, or it is a file or folder to be written. */
  file?: 'tokens' | 'written' | 'workbook' | 'folder';
}

export type OptionTable = Readonly<Record<string, Option>>;

interface ParsedKinds<Choice> {
  flag: boolean;
  value: Choice;
  values: readonly Choice[];
  number: number;
}

type ChoiceOf<Of extends Option> = Of extends Option<infer Choice> ? Choice : never;

/** The parsed options: `true` for a flag, one text for a value, several for values. */
export type Parsed<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: ParsedKinds<ChoiceOf<Options[Name]>>[Options[Name]['kind']];
};

export function flag(help: Said) {
  return { kind: 'flag', help } as const;
}

export function oneValue<Choice extends string = string>(
  placeholder: string,
  help: Said,
  details: Pick<Option<Choice>, 'choices' | 'preset' | 'file'> = {},
) {
  return { kind: 'value', placeholder, help, ...details } as const;
}

export function manyValues<Choice extends string = string>(
  placeholder: string,
  help: Said,
  choices?: readonly Choice[],
) {
  return { kind: 'values', placeholder, help: joined([help, SAY.repeated()], '; '), choices } as const;
}

export function wholeNumber(least: number, most: number, help: Said) {
  return { kind: 'number', placeholder: 'N', help, least, most } as const;
}

export function fileToWrite(help: Said) {
  return oneValue('FILE', help, { file: 'written' });
}

export function folderToWrite(help: Said) {
  return oneValue('FOLDER', help, { file: 'folder' });
}

export function workbookToWrite(help: Said) {
  return oneValue('FILE', help, { file: 'workbook' });
}

export function tokensFile(help: Said) {
  return oneValue('FILE', help, { file: 'tokens' });
}

export const JSON_OPTION = { json: flag(SAY.json()) };

/** Keeps its values under the option's name as it is typed. */
class NamedOption extends CommanderOption {
  override attributeName(): string {
    return this.name();
  }
}

/** Its values are checked as they are parsed: Commander's errors, or WrongInputError. */
export function commanderOption(name: string, option: Option, language: Language): CommanderOption {
  const { kind, placeholder = 'VALUE', preset } = option;
  const help = textIn(option.help, language);
  if (kind === 'flag') return new NamedOption(`--${name}`, help);
  const flags = `--${name} ${preset === undefined ? `<${placeholder}>` : `[${placeholder}]`}`;
  return new NamedOption(flags, help).preset(preset).argParser((text: string, earlier: unknown) => {
    // The next option would be taken for its value.
    if (text === '' || text.startsWith('--'))
      throw new CommanderError(2, 'cfe-lake.noValue', `option '${flags}' argument missing`);
    const value = checkedValue(option, text, language);
    if (kind === 'values') return [...(Array.isArray(earlier) ? earlier : []), value];
    if (earlier === undefined || earlier === value) return value;
    throw new InvalidArgumentError(SAY.givenBefore()(language));
  });
}

function checkedValue(
  { kind, choices, least = 0, most = Number.POSITIVE_INFINITY }: Option,
  text: string,
  language: Language,
) {
  // It would be the name of a folder, here.
  if (/^~(\/|$)/.test(text)) throw new InvalidArgumentError(SAY.tildeLeft()(language));
  if (choices?.includes(text) === false) throw new InvalidArgumentError(SAY.allowed(choices)(language));
  if (kind !== 'number') return text;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(SAY.wholeNumber(least, most)(language));
}

/** Checks the files that options name, before work that may take minutes. Throws CfeLakeError. */
export async function checkFiles(
  options: OptionTable,
  values: Readonly<Record<string, unknown>>,
  { stderr }: Terminal,
): Promise<void> {
  for (const [option, { file }] of Object.entries(options)) {
    const path = values[option];
    if (typeof path !== 'string' || file === undefined) continue;
    // Only a warning: somebody may share the file with a group on purpose.
    if (file === 'tokens' && (await mayOthersRead(path)))
      stderr.writeWarning(SAY.tokensOpen(path, `chmod 600 ${shellWord(path)}`));
    // Excel opens no workbook under another extension without a warning.
    if (file === 'workbook' && !/\.xlsx$/i.test(path)) throw new WrongInputError(SAY.workbookName(option));
    if (file === 'folder') assertOwnFolders(path);
    else if (file !== 'tokens') await assertFileCanBe(option, path);
  }
}

/** Its folder must exist, and it may be no folder, link or device itself. */
export async function assertFileCanBe(option: string, file: string): Promise<void> {
  await assertReplaceable(file);
  const folder = dirname(file);
  if (await isFolder(folder)) return;
  throw new WrongInputError(SAY.noFolder(option, folder));
}
