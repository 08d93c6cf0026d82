import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { main } from '../../lib/cli/main.ts';
import { type Day, weekdayOf } from '../../lib/time/days.ts';
import { hideReceived, officialList } from '../../sandbox/official-list.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { englishNameIn } from '../support/program/one-language.ts';
import { wordsOf } from '../support/program/run-main.ts';

/**
 * docs/cierre.md is played: its commands, in their order, on a sandbox of twelve companies, in a session in Spanish. What is
 * typed at a question is what the page shows. What they print is compared with the page, in which `…` stands for lines that
 * are left out, and all of it with close-walk.txt (`npx vitest run FILE -u` writes that again).
 */

const PAGE = readFileSync('docs/cierre.md', 'utf8');
const FILE = resolve('test/documents/close-walk.txt');
const PROGRAM = 'npm run -s cfe-lake -- ';
/** Where the page's sandbox is. */
const ADDRESS = 'http://127.0.0.1:8787';
const FIRST = '219999830019';
const DAYS = { from: '2026-10-01', to: '2026-10-31' } as const;

/** A block of commands, what it prints, and the moment at which it is run, if that is another. */
const BLOCKS = [...PAGE.matchAll(/(?:<!-- (\S+) -->\n\n)?```\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)];

let sandbox: Sandbox;
let before: string;
let folder: string;

beforeAll(async () => {
  before = process.cwd();
  const place = sharedFolder();
  folder = join(place, 'estudio');
  for (const name of ['bin', 'estudio', 'estudio/listas']) mkdirSync(join(place, name));
  writeFileSync(join(place, 'bin', 'crontab'), '#!/bin/sh\nexit 0\n');
  chmodSync(join(place, 'bin', 'crontab'), 0o755);
  const session = { LANG: 'es_UY.UTF-8', LC_ALL: '', LC_MESSAGES: '' };
  for (const [name, value] of Object.entries(session)) vi.stubEnv(name, value);
  vi.stubEnv('PATH', `${join(place, 'bin')}:${process.env.PATH}`);
  vi.useFakeTimers({ toFake: ['Date'] });
  process.chdir(folder);
  sandbox = await startSandbox({
    companyCount: 12,
    receiptsPerDay: (rut, _direction, day) =>
      Number(rut === FIRST ? [1, 2, 3, 4, 5].includes(weekdayOf(day as Day)) : /[36]$/.test(day)),
    behaviour: { lateArrivals: false, statusFlips: false },
    tokenClock: Date.now,
  });
  // As `sandbox --lists` does, of one company; its list has what comes late to its service.
  sandbox.setNow('2026-11-04T09:00:00');
  writeFileSync(
    join(folder, 'listas', `${FIRST}-recibidos.csv`),
    officialList(sandbox, FIRST, 'recibidos', DAYS) ?? '',
  );
  hideReceived(sandbox, FIRST, DAYS);
}, 60_000);

afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  process.chdir(before);
  await sandbox.close();
});

function setTime(moment: string): void {
  sandbox.setNow(moment);
  vi.setSystemTime(Date.parse(`${moment}-03:00`));
}

/** What is printed, with what a person typed at its questions: what the page shows there. */
async function played(line: string, expected: string): Promise<string> {
  let text = '';
  const left = expected.split('\n');
  const ask = async (question: string, isHidden = false) => {
    const asked = question.trimStart();
    const at = left.findIndex((shown) => shown.startsWith(asked.trimEnd()));
    if (at < 0) throw new RangeError(`docs/cierre.md does not answer: ${question}`);
    const [shown = ''] = left.splice(0, at + 1).slice(-1);
    const answer = shown.slice(asked.length);
    text += `${question}${answer}\n`;
    return isHidden ? sandbox.login.password : answer.replace(ADDRESS, sandbox.url);
  };
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    text += chunk.toString();
    done();
  };
  const [stdout, stderr] = [new Writable({ write }), new Writable({ write })];
  const bank = line.includes('--bcu') ? ['--api', sandbox.url] : [];
  const words = [...wordsOf(line), ...bank];
  const code = await main(words, { stdout, stderr, ask, signal: new AbortController().signal }, '0.0.0');
  return `${text}[${code}]\n`;
}

/** Without what differs from machine to machine, and without progress, which a terminal writes over. */
function normalised(text: string): string {
  return text
    .replaceAll(sandbox.url, ADDRESS)
    .replaceAll(process.execPath, 'node')
    .replaceAll(/\S*\/bin\/cfe-lake\.ts/g, 'cfe-lake.ts')
    .replaceAll(folder, '/estudio')
    .replaceAll(/ --max-semi-space-size=\d+/g, '')
    .replaceAll(/#cfe-lake-\w+/g, '#cfe-lake')
    .replaceAll(/(Corrida \d{14})-\w{8}/g, '$1')
    .replaceAll(/^\d+\/\d+ .*\n/gm, '')
    .replaceAll(/ +$/gm, '');
}

/** Whether the lines are those, where `…` stands for any. */
function isShown(shown: string, printed: string): boolean {
  const escaped = shown
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.replaceAll(/[^\w\s]/g, '\\$&')}\\n`));
  return new RegExp(`^${escaped.join('')}$`).test(`${printed}\n`);
}

it.skipIf(process.platform === 'win32')(
  'docs/cierre.md prints what it says, from init to the rectification',
  async () => {
    const all: string[] = [];
    const otherwise: string[] = [];
    for (const [, moment, commands = '', expected = ''] of BLOCKS) {
      if (moment !== undefined) setTime(moment);
      if (all.length > 0 && moment !== undefined) sandbox.behave({ hidden: () => [] });
      let printed = '';
      for (const line of commands.trimEnd().split('\n')) {
        if (!line.startsWith(PROGRAM)) throw new TypeError(`no command of the program: ${line}`);
        const text = normalised(await played(line.slice(PROGRAM.length), expected));
        printed += text;
        all.push(`$ ${line}\n${text}`);
      }
      // What a crontab runs is no hint.
      expect.soft(englishNameIn(printed.replaceAll(/^30 .*$/gm, ''))).toBeUndefined();
      const text = printed.replace(/\[\d\]\n$/, '').trimEnd();
      if (expected !== '' && !isShown(expected.trimEnd(), text)) otherwise.push(`${commands}${text}`);
    }
    // What compares long texts looks at the clock.
    vi.useRealTimers();
    await expect.soft(all.join('\n')).toMatchFileSnapshot(FILE);
    expect(otherwise).toEqual([]);
  },
  300_000,
);
