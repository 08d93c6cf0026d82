import { existsSync } from 'node:fs';
import { LAKE } from '../../lake/phrases.ts';
import type { SourceClaim } from '../../lake/source.ts';
import { openStoreToRead, withStoreToWrite } from '../../lake/store/open-store.ts';
import type { LakeStore } from '../../lake/store/store.ts';
import { WrongInputError } from '../../system/errors.ts';
import { PROGRAM } from '../../system/program.ts';
import type { Localized } from '../../text/language.ts';
import { printableLine, shellWord } from '../../text/terminal.ts';
import type { DayRange } from '../../time/days.ts';
import { flag, oneValue, type Parsed, type Terminal, wholeNumber } from '../command.ts';
import { OPTION } from '../phrases/options.ts';

/** The default lakes: of your companies, and of the sandbox's. */
export const DEFAULT_LAKE = './lake';
export const SANDBOX_LAKE = './lake-sandbox';

export const LAKE_OPTION = {
  lake: oneValue('DIR', OPTION.lake(DEFAULT_LAKE, SANDBOX_LAKE)),
};

export const CLAIM_OPTIONS = {
  'source-moved': flag(OPTION.sourceMoved()),
  'adopt-lake': flag(OPTION.adoptLake()),
};

export function askedClaim(options: Parsed<typeof CLAIM_OPTIONS>): SourceClaim | undefined {
  const { 'source-moved': isMoved, 'adopt-lake': isAdopted } = options;
  if (isMoved === true && isAdopted === true) throw new WrongInputError(OPTION.movedOrAdopted());
  if (isMoved === true) return 'moved';
  return isAdopted === true ? 'adopted' : undefined;
}

const DEFAULT_WAIT_MINUTES = 10;

export const WAIT_OPTION = {
  wait: wholeNumber(0, 1_440, OPTION.wait(DEFAULT_WAIT_MINUTES)),
};

/** Opens the lake for the command that writes it. Waits while another one writes the folder, and says for whom. */
export async function withLakeToWrite<T>(
  address: string,
  command: string,
  { wait = DEFAULT_WAIT_MINUTES }: Parsed<typeof WAIT_OPTION>,
  terminal: Terminal,
  work: (store: LakeStore) => Promise<T>,
): Promise<T> {
  const request = {
    command,
    waitMs: wait * 60_000,
    signal: terminal.signal,
    onWait: (holder: string) =>
      terminal.stderr.say(LAKE.waiting(wait, printableLine(holder), printableLine(address))),
  };
  return await withStoreToWrite(address, request, work, terminal.foreignNames);
}

/**
 * The lake of a command that asks no API, where none is named: your companies', if there is one. Says which. Whoever asks
 * an API has the lake of its source (`Access.defaultLake`).
 */
export function foundLake({ lake }: { lake?: string }, { stderr }: Terminal): string {
  if (lake !== undefined) return lake;
  const found = [DEFAULT_LAKE, SANDBOX_LAKE].find((folder) => existsSync(folder));
  if (found !== undefined)
    stderr.say(found === SANDBOX_LAKE ? OPTION.usingSandbox(found) : OPTION.using(found));
  return found ?? DEFAULT_LAKE;
}

export async function openFoundLake(options: { lake?: string }, terminal: Terminal): Promise<LakeStore> {
  return await openStoreToRead(foundLake(options, terminal), terminal.foreignNames);
}

/** ` --lake DIR`, quoted for a shell, for a suggested command; empty for the default lake. */
export function lakeWords(address: string): string {
  return address === DEFAULT_LAKE ? '' : ` --lake ${shellWord(address)}`;
}

/** Says that the lake has nothing of some days, and which command exports them. `named`: the days, as they were asked for. */
export function nothingExported(address: string, { from, to }: DayRange, named?: string): Localized {
  const command = `${PROGRAM} export --from ${from} --to ${to}${lakeWords(address)}`;
  return (language) =>
    OPTION.nothingExported(named ?? OPTION.range(from, to)(language), address, command)(language);
}
