import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { askForCompanies, rutsIn } from '../../lib/cli/company-questions.ts';
import { Printer } from '../../lib/cli/printer.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { startHttpServer } from '../support/api/http-server.ts';
import { filesIn, newFolder } from '../support/lake/lake-folder.ts';
import { runStreamed } from '../support/program/run-main.ts';
import { endOf, PROGRAM_FILE, plainEnvironment } from '../support/program/run-program.ts';
import { rutsOf } from '../support/ruts.ts';

const CRONTAB = `#!/bin/sh
case "$1" in
  -l) [ -f "$CRONTAB_FILE" ] || { echo 'no crontab for you' >&2; exit 1; }; cat "$CRONTAB_FILE" ;;
  -) cat >"$CRONTAB_FILE" ;;
esac
`;
const OTHERS = '# mine\n0 1 * * * true\n';
const PASSWORD = 'una-clave-de-prueba';

let sandbox: Sandbox;
let before: string;
beforeAll(async () => {
  before = process.cwd();
  sandbox = await startSandbox({ now: '2026-11-20T03:00:00', receiptsPerDay: 2, companyCount: 3 });
});
afterAll(() => sandbox.close());

let folder: string;
let crontab: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  const place = newFolder();
  crontab = join(place, 'crontab');
  writeFileSync(crontab, OTHERS);
  const programs = join(place, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'crontab'), CRONTAB);
  chmodSync(join(programs, 'crontab'), 0o755);
  env = { PATH: `${programs}:${process.env.PATH}`, CRONTAB_FILE: crontab };
  folder = join(place, 'mis datos');
  mkdirSync(folder);
  process.chdir(folder);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T06:00:00Z') });
});
afterEach(() => void process.chdir(before));

/** Answers in this order. What was asked, and whether the answer was hidden. */
function answering(...answers: readonly string[]) {
  const left = [...answers];
  const asked: [question: string, isHidden: boolean][] = [];
  const ask = async (question: string, isHidden = false) => {
    asked.push([question, isHidden]);
    const answer = left.shift();
    if (answer === undefined) throw new RangeError(`not expected: ${question}`);
    return answer;
  };
  return { ask, asked, left };
}

/** What a user of the sandbox answers. */
function answersOf(password = PASSWORD): string[] {
  const ruts = sandbox.companies.map(({ rut }) => rut);
  const list = [ruts.slice(0, 2).join(', '), ruts[2] ?? '', '', 'y'];
  return [sandbox.url, '', sandbox.login.tokenUrl, sandbox.login.username, password, '', ...list];
}

async function init(words: readonly string[], ...answers: readonly string[]) {
  const { ask, asked, left } = answering(...answers);
  const { code, stdout, stderr } = await runStreamed(['init', ...words], { ask });
  expect(left).toEqual([]);
  return { code, asked, stdout, stderr, text: stdout + stderr };
}

describe.skipIf(process.platform === 'win32')('init', () => {
  it('writes companies.json for its owner, exports three days, and puts in the line of this folder', async () => {
    const words = ['--schedule', '--details', 'emitidos', '--bcu'];
    const { code, asked, text } = await init(words, ...answersOf());
    expect(code).toBe(0);
    expect(statSync('companies.json').mode & 0o777).toBe(0o600);
    const { api, companies } = JSON.parse(readFileSync('companies.json', 'utf8'));
    expect({ origin: new URL(api).origin, companies }).toEqual({
      origin: sandbox.url,
      companies: sandbox.companies.map(({ rut }) => ({ rut })),
    });
    expect(
      filesIn('lake').filter((file) => /^unidades.(?:emitidos|recibidos).fecha=/.test(file)),
    ).toHaveLength(18);
    expect(asked.filter(([, isHidden]) => isHidden)).toEqual([[expect.stringContaining('Password'), true]]);
    const lines = readFileSync(crontab, 'utf8');
    expect(lines.startsWith(OTHERS)).toBe(true);
    expect(lines).toContain(`cd '${folder}' && `);
    expect(lines).toContain(' --details emitidos --last 3; ');
    expect(lines).toContain(' rates --bcu --yes --lake ./lake && ');
    expect(text + lines).not.toContain(PASSWORD);
  });

  it('goes on with the file that is there, and writes another only where it is told to', async () => {
    await init([], ...answersOf());
    const written = readFileSync('companies.json', 'utf8');
    const again = await init([], '');
    expect({ code: again.code, companies: readFileSync('companies.json', 'utf8') }).toEqual({
      code: 0,
      companies: written,
    });
    expect(again.stdout).toContain('30 6 * * * cd ');
    expect(readFileSync(crontab, 'utf8')).toBe(OTHERS);
    await init([], 'new', ...answersOf().with(4, 'otra'), '');
    expect(readFileSync('companies.json', 'utf8')).toContain('"otra"');
  });

  it('warns once of a file with tokens that other users may read', async () => {
    const warning = 'other users of this machine may read it. Run: chmod 600 companies.json';
    expect((await init([], ...answersOf())).text).not.toContain(warning);
    chmodSync('companies.json', 0o644);
    expect((await init([], '')).stderr.split(warning)).toHaveLength(2);
  });

  it('neither exports nor schedules what the API refuses, unless it is told to go on', async () => {
    const { code, stdout } = await init(['--schedule'], ...answersOf('equivocada'), '', '');
    expect(code).toBe(1);
    expect(stdout).toContain('run init again');
    expect({ hasLake: existsSync('lake'), crontab: readFileSync(crontab, 'utf8') }).toEqual({
      hasLake: false,
      crontab: OTHERS,
    });
    expect((await init(['--schedule'], '', '', 'y')).code).toBe(1);
    expect(readFileSync(crontab, 'utf8')).toContain(folder);
  });

  it.each([
    ['en', /refused\. Password/],
    ['es', /rechazó el ingreso\. Contraseña/],
  ])('asks for a wrong password alone again, as often as it is wrong: %s', async (language, question) => {
    const { code, asked, text } = await init(
      ['--lang', language],
      ...answersOf('equivocada'),
      ...['tercera', PASSWORD],
    );
    expect(code).toBe(0);
    expect(asked.slice(-2)).toEqual(Array(2).fill([expect.stringMatching(question), true]));
    expect(JSON.parse(readFileSync('companies.json', 'utf8')).login.password).toBe(PASSWORD);
    expect(text).not.toMatch(/equivocada|tercera/);
  });

  it('asks for the password of the company whose own login is refused, and writes it there', async () => {
    await init([], ...answersOf());
    const { login, companies, ...others } = JSON.parse(readFileSync('companies.json', 'utf8'));
    const own = (password: string) => ({ ...login, password, body: 'form' });
    const withOwn = (password: string) => {
      const [first, second, ...rest] = companies;
      // The same user: its password would be refused again.
      const alike = { ...own(password), body: 'json' };
      return {
        ...others,
        login,
        companies: [{ ...first, login: own(password) }, { ...second, login: alike }, ...rest],
      };
    };
    writeFileSync('companies.json', JSON.stringify(withOwn('equivocada')), { mode: 0o600 });
    const { asked } = await init([], '', PASSWORD);
    expect(asked.at(-1)).toEqual([
      expect.stringContaining(`The login of ${companies[0].rut} was refused. Password`),
      true,
    ]);
    expect(JSON.parse(readFileSync('companies.json', 'utf8'))).toEqual(withOwn(PASSWORD));
  });

  it('writes nothing over what another program wrote while it asked', async () => {
    await init([], ...answersOf('equivocada'), '', '');
    const theirs = readFileSync('companies.json', 'utf8').replace('equivocada', 'theirs');
    const ask = async (question: string) => {
      if (!/refused\. Password/.test(question)) return '';
      writeFileSync('companies.json', theirs);
      return PASSWORD;
    };
    const { code, stderr } = await runStreamed(['init'], { ask });
    expect(code).toBe(2);
    expect(stderr).toMatch(/another program changed companies\.json meanwhile.* Run init again/s);
    expect(readFileSync('companies.json', 'utf8')).toBe(theirs);
  });

  it('quotes nothing of a file that somebody saves half changed while it checks', async () => {
    const server = await startHttpServer(() => {
      writeFileSync('companies.json', '{"login": {"password": QXZJ-it}}');
      return { status: 401 };
    });
    const login = { tokenUrl: `${server.address.href}token`, username: 'ana', password: 'mistyped' };
    const companies = sandbox.companies.slice(0, 1).map(({ rut }) => ({ rut }));
    writeFileSync('companies.json', JSON.stringify({ api: sandbox.url, login, companies }), { mode: 0o600 });
    const { code, text } = await init([], '');
    expect(code).toBe(2);
    expect(text).toMatch(/companies\.json: .*it is not JSON/);
    expect(text).not.toContain('QXZJ');
  });

  it.each([0o777, 0o775, 0o1777])('begins in no folder that others may write: %o', async (mode) => {
    chmodSync(folder, mode);
    const { code, stderr } = await runStreamed(['init'], { ask: answering().ask });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('may be written by others'),
    });
    expect(stderr).toContain('chmod go-w');
    chmodSync(folder, 0o700);
    chmodSync(dirname(folder), 0o777);
    expect(await runStreamed(['init'], { ask: answering().ask })).toMatchObject({ code: 2 });
    expect(filesIn(folder)).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('begins in no folder of another user, whatever its mode', async () => {
    chownSync(folder, 65_534, 65_534);
    const { code, stderr } = await runStreamed(['init'], { ask: answering().ask });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('belongs to another user') });
    expect(stderr).toContain('Begin in a new folder in your home.');
    expect(stderr).not.toContain('chmod');
  });

  it('prints and puts in lines that open no log through a link', async () => {
    const { stdout } = await init([], ...answersOf());
    const target = join(folder, 'bashrc');
    writeFileSync(target, 'mine');
    symlinkSync(target, join(folder, 'cfe-lake.log'));
    const [line = ''] = stdout.split('\n').filter((printedLine) => printedLine.startsWith('30 6 '));
    const command = line.replace(/^(\S+ ){5}/, '').replaceAll('\\%', '%');
    const night = () => endOf(spawn('sh', ['-c', command], { cwd: '/', env: plainEnvironment(env) }));
    await night();
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect(lstatSync(join(folder, 'cfe-lake.log')).isFile()).toBe(true);
    // What was there before is the log of last night.
    await night();
    expect(readFileSync(join(folder, 'cfe-lake.log'), 'utf8')).toContain('emitidos');
  });

  it('--undo-schedule takes out the line of this folder alone, asks nothing, and may be repeated', async () => {
    await init(['--schedule'], ...answersOf());
    const ofFolder = readFileSync(crontab, 'utf8').slice(OTHERS.length);
    const ofAnother = ofFolder.replaceAll(/cfe-lake-\w{8}/g, 'cfe-lake-00000000');
    writeFileSync(crontab, OTHERS + ofFolder + ofAnother);
    for (const _time of [1, 2]) {
      expect(await runStreamed(['init', '--undo-schedule'])).toMatchObject({ code: 0, stderr: '' });
      expect(readFileSync(crontab, 'utf8')).toBe(OTHERS + ofAnother);
    }
  });

  it('says without a terminal which file to write, and without a scheduler that there is none', async () => {
    const { code, stderr } = await runStreamed(['init']);
    expect(code).toBe(2);
    expect(stderr).toContain(`Write ${join(folder, 'companies.json')} for your user alone: {"api"`);
    vi.stubEnv('PATH', '/nowhere');
    expect(await runStreamed(['init', '--schedule'], { ask: answering().ask })).toMatchObject({ code: 2 });
    expect(filesIn(folder)).toEqual([]);
  });
});

describe('what init asks', () => {
  const [first = '', second = ''] = rutsOf(2);
  const asFor = async (...answers: readonly string[]) => await asIn('en', ...answers);
  const asIn = async (language: string, ...answers: readonly string[]) => {
    const { ask, asked } = answering('https://api.example.com', ...answers);
    const stderr = new Printer(new PassThrough(), { LC_ALL: language });
    return { given: await askForCompanies(ask, stderr), asked };
  };
  const URLS = ['ftp://x', 'https://x.example.com/token'];
  const login = { tokenUrl: URLS[1], body: 'json' };
  const RUTS = [first, '', '', '', 'y'];

  it.each([
    [['', ...URLS, 'ana', '', ' a b ', '', ...RUTS], { ...login, username: 'ana', password: ' a b ' }, 2],
    [['refresh', ...URLS, 'r', 'form', ...RUTS], { ...login, body: 'form', refreshToken: 'r' }, 1],
    [['cl', ...URLS, 'id', 's', 'x', 'json', ...RUTS], { ...login, clientId: 'id', clientSecret: 's' }, 1],
  ])('a login, again after an answer that can’t be: %j', async (answers, expected, hidden) => {
    const { given, asked } = await asFor(...answers);
    expect(given).toEqual({ api: 'https://api.example.com/', login: expected, companies: [{ rut: first }] });
    expect(asked.filter(([, isHidden]) => isHidden)).toHaveLength(hidden);
  });

  it('is asked and answered in Spanish', async () => {
    const { given, asked } = await asIn('es', 'renov', ...URLS, 'r', '', first, '', 's');
    expect(given).toMatchObject({ login: { ...login, refreshToken: 'r' }, companies: [{ rut: first }] });
    expect(asked.map(([question]) => question)).toContain('Token de renovación (no se muestra): ');
  });

  it('or a token of each company, that of the one before for an empty answer', async () => {
    const { given, asked } = await asFor('tokens', `${first} ${second}`, '', 'sí', '', 'a b', ' t ', '');
    const companies = [first, second].map((rut) => ({ rut, token: 't' }));
    expect(given).toEqual({ api: 'https://api.example.com/', companies });
    expect(asked.filter(([, isHidden]) => isHidden)).toHaveLength(4);
  });

  const RUT = fc.constantFrom(...rutsOf(50));
  const shape = fc.constantFrom(
    (rut: string) => rut,
    (rut: string) => rut.replace(/^(..)(.{6})(.*)$/, '$1.$2.$3'),
    (rut: string) => rut.replace(/^(..)(......)(...)(.)$/, '$1 $2 $3-$4'),
  );

  it('RUTs however they are written and set apart; no other word becomes one', () => {
    const item = fc.tuple(RUT, shape, fc.constantFrom(', ', ';', '\t', '\n', ' ,Ferretería\t'));
    fc.assert(
      fc.property(fc.array(item), (items) => {
        const text = items.map(([rut, write, gap]) => write(rut) + gap).join('');
        expect(rutsIn(text)).toEqual({ ruts: items.map(([rut]) => rut), problems: [] });
      }),
    );
    fc.assert(
      fc.property(fc.array(RUT), (ruts) => {
        expect(rutsIn(ruts.join(' ')).ruts).toEqual(ruts);
      }),
    );
    expect(rutsIn('219999830018 eyJ0eXAiOi1.x')).toEqual({
      ruts: [],
      problems: [
        expect.stringMatching(/^219999830018 is not a RUT: .*check digit/),
        expect.stringMatching(/^a word is not a RUT/),
      ],
    });
  });
});

/** Runs a program in a terminal of its own: each text that it is to print, then what to type. */
const IN_TERMINAL = `
import json, os, pty, sys, termios
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
shown = b''
def read():
    global shown
    try: data = os.read(terminal, 65536)
    except OSError: data = b''
    shown += data
    return data
start = 0
for text, keys in json.loads(sys.argv[1]):
    while shown.find(text.encode(), start) < 0 and read(): pass
    start = len(shown)
    os.write(terminal, keys.encode())
while read(): pass
echoes = bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({'shown': shown.decode(), 'echoes': echoes, 'code': code}))
`;

const HAS_PYTHON = spawnSync('python3', ['-c', 'import pty']).status === 0;

describe.skipIf(!HAS_PYTHON)('init in a terminal (of python3, where there is one)', () => {
  async function inTerminal(steps: readonly (readonly [text: string, keys: string])[]) {
    const program = [process.execPath, PROGRAM_FILE, 'init', '--schedule'];
    const words = ['-c', IN_TERMINAL, JSON.stringify(steps), ...program];
    const child = spawn('python3', words, { cwd: folder, env: plainEnvironment(env), timeout: 50_000 });
    const { code, stdout, stderr } = await endOf(child);
    if (code !== 0) return expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const ended: { shown: string; echoes: boolean; code: number } = JSON.parse(stdout);
    return ended;
  }

  function stepsToPassword(keys: string): [string, string][] {
    return [
      ['API (https://…): ', `${sandbox.url}\r`],
      ['(Enter: user): ', '\r'],
      ['login (https://…): ', `${sandbox.login.tokenUrl}\r`],
      ['User name: ', `${sandbox.login.username}\r`],
      ['Password (not shown): ', keys],
    ];
  }

  it('hides what is secret, takes a list that is pasted at once, and reads it to its end', async () => {
    const ruts = rutsOf(600).join(',');
    const rutLines = sandbox.companies.map(({ rut }) => rut).join('\r\n\r\n\r\n');
    const ended = await inTerminal([
      ...stepsToPassword(`${PASSWORD}\r`),
      ['(Enter: json): ', '\r'],
      ['RUT 1: ', `${rutLines}\r`],
      ['RUT 4: ', `${ruts}\r`],
      ['RUT 604: ', '\r'],
      ['more RUTs): ', '\u0003'],
    ]);
    expect(ended).toMatchObject({ echoes: true, code: 130 });
    expect(ended?.shown).toContain('603 companies');
    expect(ended?.shown).not.toContain(PASSWORD);
    expect(filesIn(folder)).toEqual([]);
  });

  it.each([
    ['Ctrl-C', 'una-clave\u0003', 130],
    ['the end of the input', '\u0004', 1],
  ])('leaves no file, no line and no silent terminal at %s', async (_name, keys, code) => {
    expect(await inTerminal(stepsToPassword(keys))).toMatchObject({ echoes: true, code });
    expect({ files: filesIn(folder), crontab: readFileSync(crontab, 'utf8') }).toEqual({
      files: [],
      crontab: OTHERS,
    });
  });
});
