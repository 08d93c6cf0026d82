import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { WrongInputError } from '../system/errors.ts';
import { shellWord } from '../text/terminal.ts';
import { SCHEDULER } from './phrases.ts';

/** What is to run every night for one folder. */
export interface Nightly {
  /** Marks this folder's among all that the machine does at night. */
  mark: string;
  folder: string;
  /** The command but for its days, with whole paths: at night there is no PATH of a shell. It holds no token. */
  words: readonly string[];
  /** A second command, which has no days; none if it is empty. */
  followingWords: readonly string[];
  /** What the last night printed. */
  log: string;
}

/** Statuses change and receipts come late, so the last days are read again, and the last 65 on Sundays. */
export const NIGHTS = [
  { days: 3, cron: '30 6 * * *', calendar: '*-*-* 06:30', task: '/sc daily /st 06:30' },
  { days: 65, cron: '30 7 * * 0', calendar: 'Sun *-*-* 07:30', task: '/sc weekly /d SUN /st 07:30' },
];
export type Night = (typeof NIGHTS)[number];

/** Throws WrongInputError for a path that would end the line that it is written into. */
export function nightlyOf(
  folder: string,
  words: readonly string[],
  followingWords: readonly string[] = [],
): Nightly {
  if (/\p{Cc}/v.test(folder + words.join('') + followingWords.join('')))
    throw new WrongInputError(SCHEDULER.controlCharacter());
  const mark = `cfe-lake-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;
  return { mark, folder, words, followingWords, log: join(folder, 'cfe-lake.log') };
}

/**
 * A line for `sh`. Both commands are run, and the line fails if either does. The log is made anew, and with `set -C` in no
 * other's place: a link there would choose another file.
 */
export function shellLine({ folder, words, followingWords, log }: Nightly, { days }: Night): string {
  // Debian's cron takes no line of 1,000 characters: what is in the folder is named from there.
  const wordOf = (word: string) =>
    shellWord(word.startsWith(`${folder}/`) ? `.${word.slice(folder.length)}` : word);
  const [first, second] = [[...words, '--last', String(days)], followingWords].map((commandWords) =>
    commandWords.map(wordOf).join(' '),
  );
  const command = second === '' ? first : `( ${first}; ended=$?; ${second} && exit $ended )`;
  const anew = `umask 077 && rm -f ${wordOf(log)} && set -C`;
  return `cd ${shellWord(folder)} && ${anew} && ${command} >${wordOf(log)} 2>&1`;
}
