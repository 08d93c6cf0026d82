import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';
import { Printer } from '../../../lib/cli/printer.ts';
import { settingsCommand } from '../../../lib/cli/stack/stack-command.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';

const ADDRESS = 'https://api.example.invalid';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const say = (...words: string[]) =>
  settingsCommand(words, { folder, ask: undefined, stdout: new Printer(new PassThrough()) });
const written = async () => JSON.parse(await readFile(join(folder, 'cfe-lake.config.json'), 'utf8'));
const SCHEMA = { $schema: './docs/cfe-lake.config.schema.json' };

it('writes settings as JSON, adds to those that exist, and removes them', async () => {
  await say(`apiAddress=${ADDRESS}`, 'useKms=true', 'nightlyDays=5', 'weekly=SAT');
  expect(await written()).toEqual({
    ...SCHEMA,
    apiAddress: ADDRESS,
    useKms: true,
    nightlyDays: 5,
    weekly: 'SAT',
  });
  await say('nightlyDays=', 'useKms=false');
  expect(await written()).toEqual({ ...SCHEMA, apiAddress: ADDRESS, useKms: false, weekly: 'SAT' });
});

it('removes settings that there are no more, as new ones take their place', async () => {
  const old = { apiAddress: ADDRESS, nightlyReceived: '01:00', nightlyIssued: 'off', weekly: 'SAT 05:00' };
  await writeFile(join(folder, 'cfe-lake.config.json'), JSON.stringify(old));
  await expect(say('nightly=01:00', 'weekly=SAT')).rejects.toThrow(
    /nightlyReceived: .* write "nightly": "01:00" in its place/,
  );
  await say('nightlyReceived=', 'nightlyIssued=', 'nightly=01:00', 'weekly=SAT');
  expect(await written()).toEqual({ ...SCHEMA, apiAddress: ADDRESS, nightly: '01:00', weekly: 'SAT' });
});

it.each([
  [['nightlyDays=99'], /nightlyDays: must be a whole number from 1 to 60/],
  [
    ['nightlyDay=3'],
    /nightlyDay: there is no such setting\. Did you mean nightlyDays\?\nNothing was changed\./,
  ],
  [['apiAddress=foo'], /^The settings are wrong:\n {2}apiAddress: [^\n]+\nNothing was changed\./],
  [['apiAddress='], /apiAddress: is missing/],
  [['nightlyDays'], /Run npm run settings -- name=value/],
  [[], /This is not a terminal/],
])('writes nothing for %j', async (words, message) => {
  await say(`apiAddress=${ADDRESS}`);
  await expect(say(...words)).rejects.toThrow(message);
  expect(await written()).toEqual({ ...SCHEMA, apiAddress: ADDRESS });
});

it('asks for the few that matter, and leaves what is not answered as it was', async () => {
  await say(`apiAddress=${ADDRESS}`, 'nightlyDays=5');
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(/ \[(.*)\]: $/.exec(question)?.[1] ?? '');
    return question.startsWith('E-mail') ? ' books@example.com ' : '';
  };
  await settingsCommand([], { folder, ask, stdout: new Printer(new PassThrough()) });
  expect(asked).toEqual([ADDRESS, '', '', '']);
  expect(await written()).toEqual({
    ...SCHEMA,
    apiAddress: ADDRESS,
    nightlyDays: 5,
    alarmEmail: 'books@example.com',
  });
});

it('does not go by a file that it does not understand', async () => {
  await writeFile(join(folder, 'cfe-lake.config.json'), '{"apiAddress": ');
  await expect(say('nightlyDays=5')).rejects.toThrow(/cfe-lake\.config\.json: must be one JSON object/);
});
