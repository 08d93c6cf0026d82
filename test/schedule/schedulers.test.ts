import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { crontab } from '../../lib/schedule/crontab.ts';
import { NIGHTS, type Nightly, nightlyOf, shellLine } from '../../lib/schedule/nightly.ts';
import { type Run, runOnSystem } from '../../lib/schedule/scheduler.ts';
import { systemd } from '../../lib/schedule/systemd.ts';
import { taskScheduler } from '../../lib/schedule/task-scheduler.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const NIGHTLY = nightlyOf('/home/ana/mis lagos', ['/opt/node', '/opt/cfe-lake.ts', 'export']);

/** A crontab in memory, as `crontab -l` and `crontab -` give and take it. */
function fakeCrontab(text: string | undefined) {
  const tab = { text, writes: 0 };
  const run: Run = ([program, word], input = '') => {
    if (program !== 'crontab') return undefined;
    if (word === '-l' && tab.text === undefined)
      return { code: 1, stdout: '', stderr: 'no crontab for ana\n' };
    if (word === '-') {
      tab.text = input;
      tab.writes += 1;
    }
    return { code: 0, stdout: tab.text ?? '', stderr: '' };
  };
  return { tab, run };
}

/** Every command that was run, all of which succeed. */
function recorder() {
  const ran: string[][] = [];
  const run: Run = (words) => {
    ran.push([...words]);
    return { code: 0, stdout: '', stderr: '' };
  };
  return { ran, run };
}

it.skipIf(process.platform === 'win32')(
  'of two commands both are run, and either’s failure is the night’s',
  () => {
    for (const [first, second] of [
      [0, 0],
      [1, 0],
      [0, 2],
      [1, 2],
    ]) {
      const folder = newFolder();
      const sh = (code: number) => ['/bin/sh', '-c', `echo ran ${code}; exit ${code}`];
      const [night] = NIGHTS;
      if (night === undefined) throw new Error('there are no nights');
      const line = shellLine(nightlyOf(folder, sh(first ?? 0), sh(second ?? 0)), night);
      const { status } = spawnSync('/bin/sh', ['-c', line]);
      expect(status).toBe(second === 0 ? first : second);
      expect(readFileSync(join(folder, 'cfe-lake.log'), 'utf8')).toBe(`ran ${first}\nran ${second}\n`);
    }
  },
);

describe('a crontab', () => {
  const line = fc
    .string({ unit: 'binary-ascii', maxLength: 20 })
    .map((text) => text.replaceAll(/[\n#]/g, ''));
  const others = fc.array(line).map((lines) => lines.map((text) => `${text}\n`).join(''));

  it('keeps the lines of others, byte for byte, whatever is put in and taken out, and however often', async () => {
    const other = nightlyOf('/home/ana/otra', NIGHTLY.words);
    await fc.assert(
      fc.asyncProperty(others, fc.boolean(), async (text, hasOther) => {
        const { tab, run } = fakeCrontab(text);
        const scheduler = crontab(run);
        if (hasOther) await scheduler?.install(other);
        const before = tab.text;
        await scheduler?.install(NIGHTLY);
        const once = tab.text;
        await scheduler?.install(NIGHTLY);
        expect(tab.text).toBe(once);
        expect(once?.startsWith(before ?? '')).toBe(true);
        expect(await scheduler?.remove(NIGHTLY)).toBe(true);
        expect(tab.text).toBe(before);
        const { writes } = tab;
        expect(await scheduler?.remove(NIGHTLY)).toBe(false);
        expect(tab).toEqual({ text: before, writes });
      }),
    );
  });

  it('is begun where there was none, and a last line without an end gets one', async () => {
    for (const text of [undefined, '0 1 * * * true']) {
      const { tab, run } = fakeCrontab(text);
      await crontab(run)?.install(NIGHTLY);
      expect(tab.text).toMatch(/^(?:0 1 \* \* \* true\n)?30 6 \* \* \* cd .*\n30 7 \* \* 0 cd .*\n$/);
    }
  });

  it('has lines that Debian’s cron takes, of under 999 characters, in a folder with a long path', async () => {
    const folder = `/home/maría de los ángeles/${'contabilidad y facturas/'.repeat(6)}2026`;
    const [companies, lake] = [`${folder}/companies.json`, `${folder}/lake`];
    const words = ['/usr/bin/node', '/usr/lib/cfe-lake', 'export', '--companies', companies, '--lake', lake];
    const { tab, run } = fakeCrontab('');
    await crontab(run)?.install(nightlyOf(folder, words, [...words.slice(0, 2), 'rates', '--lake', lake]));
    for (const line of tab.text?.split('\n') ?? []) expect(Buffer.byteLength(line)).toBeLessThan(999);
    expect(tab.text).toContain(' --companies ./companies.json --lake ./lake --last 65; ');
  });

  it('is left alone where it can’t be read, and where there is no such program', () => {
    expect(crontab(() => ({ code: 1, stdout: '', stderr: 'ana is not allowed to use it' }))).toBeUndefined();
    expect(crontab(() => undefined)).toBeUndefined();
  });
});

describe.skipIf(process.platform === 'win32')('the line', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .map((text) => text.replaceAll(/[\p{Cc}\/]/gv, ''))
    .filter((text) => text !== '' && !/^\.+$/.test(text));

  it('runs in its folder, and prints into its log, whatever the folder’s name and with no environment', () => {
    const place = newFolder();
    fc.assert(
      fc.property(name, (folder) => {
        const home = join(place, folder);
        mkdirSync(home, { recursive: true });
        const { tab, run } = fakeCrontab('');
        const nightly = nightlyOf(home, [
          process.execPath,
          '-p',
          'process.cwd() + process.argv.at(-1)',
          '--',
        ]);
        void crontab(run)?.install(nightly);
        // cron's lines end at a line feed alone; `$` would end one at U+2028.
        const lines = Buffer.from(tab.text ?? '', 'latin1')
          .toString()
          .split('\n');
        const line = lines.find((text) => text.startsWith('30 6 '))?.slice('30 6 * * * '.length) ?? '';
        // As cron reads it: a bare % would end the line.
        expect(line).not.toMatch(/(?<!\\)%/);
        execFileSync('/bin/sh', ['-c', line.replaceAll('\\%', '%')], { env: {} });
        expect(readFileSync(nightly.log, 'utf8')).toBe(`${home}3\n`);
        expect(statSync(nightly.log).mode & 0o777).toBe(0o600);
      }),
      { numRuns: 10 },
    );
  });

  it('prints what a night said where it failed, for cron to mail, and nothing else', () => {
    const home = newFolder();
    const outcome = (program: string) => {
      const line =
        crontab(fakeCrontab('').run)?.text(nightlyOf(home, [process.execPath, '-e', program, '--'])) ?? '';
      const [first = ''] = line.split('\n');
      return execFileSync('/bin/sh', ['-c', first.slice('30 6 * * * '.length)], { encoding: 'utf8' });
    };
    expect(outcome('console.log("done")')).toBe('');
    expect(outcome('console.log("odd"); process.exit(1)')).toBe('odd\n');
  });

  it('is not written for a folder whose name would end it', () => {
    for (const name of ['a\nb', 'a\u001bb'])
      expect(() => nightlyOf(`/home/${name}`, [])).toThrow(/control character.* rename it/);
  });
});

describe('systemd’s timers', () => {
  /** Its units, in a folder of their own. */
  async function installed(nightly: Nightly) {
    const home = newFolder();
    vi.stubEnv('XDG_CONFIG_HOME', home);
    const { ran, run } = recorder();
    const scheduler = systemd(run);
    await scheduler?.install(nightly);
    const unit = (name: string) => join(home, 'systemd', 'user', `${nightly.mark}-${name}`);
    return { scheduler, ran, unit };
  }

  it.skipIf(process.platform === 'win32')(
    'are in ~/.config where the folder is not an absolute one',
    async () => {
      const home = newFolder();
      vi.stubEnv('HOME', home);
      vi.stubEnv('XDG_CONFIG_HOME', relative(process.cwd(), join(home, 'other')));
      await systemd(recorder().run)?.install(NIGHTLY);
      expect(readdirSync(home)).toEqual(['.config']);
    },
  );

  it('are a service and a timer for each of the nights, and leave nothing when they are taken out', async () => {
    const { scheduler, ran, unit } = await installed(NIGHTLY);
    expect(readFileSync(unit('65.timer'), 'utf8')).toContain('OnCalendar=Sun *-*-* 07:30\nPersistent=true\n');
    expect(readFileSync(unit('3.service'), 'utf8')).toContain(
      `ExecStart=/bin/sh -c "cd '/home/ana/mis lagos' && umask 077 && rm -f ./cfe-lake.log && set -C && /opt/node /opt/cfe-lake.ts export --last 3 >./cfe-lake.log 2>&1"\n`,
    );
    const timers = [3, 65].map((name) => `${NIGHTLY.mark}-${name}.timer`);
    expect(ran.at(-1)).toEqual(['systemctl', '--user', 'enable', '--now', ...timers]);
    expect(await scheduler?.remove(NIGHTLY)).toBe(true);
    expect(ran.at(-1)).toEqual(['systemctl', '--user', 'disable', '--now', ...timers]);
    expect(existsSync(unit('3.timer'))).toBe(false);
    expect(await scheduler?.remove(NIGHTLY)).toBe(false);
  });

  it.skipIf(process.platform === 'win32')(
    'are in folders for this user alone, whatever the umask',
    async () => {
      const umask = process.umask(0o000);
      onTestFinished(() => void process.umask(umask));
      const { unit } = await installed(NIGHTLY);
      const folder = dirname(unit('3.timer'));
      expect([folder, dirname(folder)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
    },
  );

  const analyze = ['systemd-analyze', 'verify', '--user'];
  it('are units that systemd takes, whatever the folder’s name', async (context) => {
    const folder = join(newFolder(), 'a $b %c "d" \\e \'f\'');
    mkdirSync(folder);
    vi.stubEnv('XDG_RUNTIME_DIR', folder);
    const { unit } = await installed(nightlyOf(folder, [process.execPath, '--version']));
    const files = [3, 65].flatMap((name) => [unit(`${name}.service`), unit(`${name}.timer`)]);
    const ran = runOnSystem([...analyze, ...files]);
    if (ran === undefined) return context.skip('systemd-analyze is not here');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });

  it('are none where no systemd answers', () => {
    expect(systemd(() => ({ code: 1, stdout: '', stderr: 'Failed to connect to bus' }))).toBeUndefined();
  });
});

it('the Task Scheduler gets two tasks of a script, as its documentation has them, and loses them again', async () => {
  const { ran, run } = recorder();
  const folder = newFolder();
  const nightly = nightlyOf(folder, ['C:\\100%\\node.exe', 'C:\\cfe lake\\cfe-lake.ts', 'export']);
  const scheduler = taskScheduler(run);
  const script = join(folder, 'cfe-lake-nightly.cmd');
  const create = ['schtasks', '/create', '/f', '/tn'];
  const tasks = [
    [...create, `${nightly.mark}-3`, '/sc', 'daily', '/st', '06:30', '/tr', `"${script}" 3`],
    [...create, `${nightly.mark}-65`, '/sc', 'weekly', '/d', 'SUN', '/st', '07:30', '/tr', `"${script}" 65`],
  ];
  await scheduler.install(nightly);
  expect(ran.splice(0)).toEqual(tasks);
  expect(readFileSync(script, 'utf8').split('\r\n')).toEqual([
    '@echo off',
    'chcp 65001 >nul',
    `cd /d "${folder}"`,
    `del /q "${nightly.log}" 2>nul`,
    `"C:\\100%%\\node.exe" "C:\\cfe lake\\cfe-lake.ts" "export" --last %1 >"${nightly.log}" 2>&1`,
    '',
  ]);
  expect(scheduler.text(nightly)).toContain(`/sc weekly /d SUN /st 07:30 /tr "\\"${script}\\" 65"`);
  expect(await scheduler.remove(nightly)).toBe(true);
  expect(ran.map((words) => words.join(' '))).toEqual(
    [3, 65].map((name) => `schtasks /delete /f /tn ${nightly.mark}-${name}`),
  );
  expect(existsSync(script)).toBe(false);
  expect(await scheduler.remove(nightly)).toBe(false);
});
