import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BEGUN, SCRATCH_PREFIX } from '../../lib/cli/mcp/limits.ts';
import { campaign } from '../support/campaign.ts';
import { newFolder, sharedFolder } from '../support/lake/lake-folder.ts';
import { PROGRAM_FILE, plainEnvironment } from '../support/program/run-program.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';

/** Takes minutes, of a part that DuckDB interrupts. */
const LONG =
  'SELECT count(*) FROM recibidos, range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3';
/** Takes 8 GB and half a minute in one function, which DuckDB neither interrupts nor counts as memory. */
const HUGE = "SELECT len(repeat(repeat('x', 1000000), 4000)) AS n FROM recibidos";
/** One value, of which JavaScript would make gigabytes: its thread does nothing else for half a minute. */
const LIST = 'SELECT list(i) AS l FROM range(30000000) t(i)';
const MOST_BYTES = 2 * 2 ** 30;
/** More than DuckDB takes for LIST: it is being converted. */
const BUSY_BYTES = 800 * 2 ** 20;
/** Beside other tests, processes wait for their turn. */
const SOON_MS = campaign({ quick: 10_000, long: 3_000 });

const ANSWER_PROCESS = new URL('../../lib/cli/mcp/answer-process.ts', import.meta.url);

let lake: string;
beforeAll(async () => {
  const rows = [{ fecha: '2026-11-18', id: 1, rut: '219999830019' }];
  lake = await madeLakeFolder({ recibidos: rows }, sharedFolder());
});

let temporary: string;
beforeEach(() => {
  temporary = newFolder();
});

/** A client of its own process. */
async function connected(...words: string[]) {
  const env: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries({ ...plainEnvironment(), TMPDIR: temporary }))
    env[name] = value;
  const args = [PROGRAM_FILE, 'mcp', '--lake', lake, ...words];
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    pid: transport.pid ?? 0,
    ask: async (sql: string, signal?: AbortSignal) => {
      const { content, isError } = await client.callTool({ name: 'sql', arguments: { sql } }, { signal });
      const [first] = content;
      return { text: first?.type === 'text' ? first.text : '', isError: isError === true };
    },
  };
}

/** A server that takes messages as they are written. */
function started() {
  const words = [PROGRAM_FILE, 'mcp', '--lake', lake];
  const server = spawn(process.execPath, words, { env: plainEnvironment({ TMPDIR: temporary }) });
  onTestFinished(() => void server.kill('SIGKILL'));
  server.stdin.on('error', () => undefined);
  const ended = once(server, 'exit');
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const nextAnswer = async () => JSON.parse((await answers.next()).value ?? '');
  return { server, ended, send, nextAnswer };
}

async function greeted() {
  const { send, nextAnswer, ...others } = started();
  const clientInfo = { name: 'test', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  await nextAnswer();
  send({ method: 'notifications/initialized' });
  return { send, nextAnswer, ...others };
}

function question(id: number, sql: string, more: object = {}) {
  return { id, method: 'tools/call', params: { name: 'sql', arguments: { sql }, ...more } };
}

/** The processes that this one started, on Linux. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

async function until(isTrue: () => boolean, mostMs = 30_000): Promise<number> {
  const beganMs = performance.now();
  while (!isTrue() && performance.now() - beganMs < mostMs) await setTimeout(20);
  return performance.now() - beganMs;
}

/** Or waits only for init to notice. */
const isGone = (pid: number) => !existsSync(`/proc/${pid}/exe`);

function residentBytes(pid: number): number {
  const [, pages = '0'] = isGone(pid) ? [] : readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4096;
}

/** Since it began. */
function mostBytesOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** The question is planned, or run: that much of HUGE's work is done at once. */
const isAsked = () =>
  readdirSync(temporary, { recursive: true }).some((name) => String(name).includes('cfe-lake-query-'));

describe.skipIf(process.platform !== 'linux')('cfe-lake mcp', () => {
  it('reads of an answer without an end what it shows', async () => {
    const { ask, pid } = await connected();
    const { text, isError } = await ask('SELECT * FROM range(200000000)');
    expect({ isError, text }).toEqual({ isError: false, text: expect.stringMatching(/^CUT: there is more/) });
    const [child = 0] = childrenOf(pid);
    expect(mostBytesOf(child)).toBeLessThan(512 * 2 ** 20);
    expect((await ask("SELECT repeat('x', 4000) AS t FROM range(200000000)")).text.length).toBeLessThan(
      50_001,
    );
  });

  it.each([HUGE, LIST])(
    'ends a question that takes too much memory, and answers the next: %s',
    async (sql) => {
      const { ask, pid } = await connected();
      await ask('SELECT 1 AS one');
      const [child = 0] = childrenOf(pid);
      let mostBytes = 0;
      const looking = setInterval(() => {
        mostBytes = Math.max(mostBytes, residentBytes(child));
      }, 10);
      const answer = await ask(sql);
      clearInterval(looking);
      expect(answer).toMatchObject({
        isError: true,
        text: expect.stringMatching(/too much memory. It was ended/),
      });
      expect(mostBytes).toBeLessThan(MOST_BYTES);
      expect((await ask('SELECT 1 AS one')).text).toContain('[{"one":1}]');
    },
  );

  it('reads in a folder whose name other users cannot see, and in none that somebody else made', async () => {
    const { ask, pid } = await connected();
    await ask('SELECT 1 AS one');
    const [child = 0] = childrenOf(pid);
    const [scratch = ''] = readdirSync(temporary).filter((name) => name.startsWith(SCRATCH_PREFIX));
    expect(scratch).not.toBe('');
    for (const process of [pid, child])
      expect(readFileSync(`/proc/${process}/cmdline`, 'utf8')).not.toContain(scratch);

    const made = join(newFolder(), `${SCRATCH_PREFIX}made`);
    mkdirSync(made);
    const answerer = fork(ANSWER_PROCESS, { env: plainEnvironment({ TMPDIR: made }) });
    onTestFinished(() => void answerer.kill('SIGKILL'));
    answerer.send({ lake, name: 'sql', given: { sql: 'SELECT 1 AS one' } });
    expect(await once(answerer, 'message')).toContain(BEGUN);
    const [answer] = await once(answerer, 'message');
    expect(answer).toEqual({ isError: true, text: expect.stringContaining('EEXIST') });
    expect(readdirSync(made)).toEqual([]);
  });

  it('reads in a new folder once its own is gone, or is a link in its place', async () => {
    const { ask } = await connected();
    const scratches = () => readdirSync(temporary).filter((name) => name.startsWith(SCRATCH_PREFIX));
    await ask('SELECT 1 AS one');
    const [first = ''] = scratches();
    rmSync(join(temporary, first), { recursive: true });
    expect((await ask('SELECT 1 AS one')).text).toContain('[{"one":1}]');
    const [second = ''] = scratches();
    expect(second).not.toBe(first);
    const elsewhere = newFolder();
    rmSync(join(temporary, second), { recursive: true });
    symlinkSync(elsewhere, join(temporary, second));
    expect((await ask('SELECT 1 AS one')).text).toContain('[{"one":1}]');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('answers in a new process where the one that waited was killed', async () => {
    const { ask, pid } = await connected();
    await ask('SELECT 1 AS one');
    const waiting = childrenOf(pid);
    expect(waiting).toHaveLength(1);
    for (const child of waiting) {
      process.kill(child, 'SIGKILL');
      await until(() => isGone(child));
    }
    expect((await ask('SELECT 1 AS one')).text).toContain('[{"one":1}]');
  });

  it('ends one that takes longer than --timeout-seconds', async () => {
    const { ask } = await connected('--timeout-seconds', '5');
    const beganMs = performance.now();
    expect(await ask(LONG)).toMatchObject({ isError: true, text: expect.stringContaining('than 5 seconds') });
    expect(performance.now() - beganMs).toBeLessThan(5_000 + SOON_MS);
    expect((await ask('SELECT 1 AS one')).isError).toBe(false);
  });

  it('ends one that is cancelled, at once, and answers the next', async () => {
    const { ask, pid } = await connected();
    const cancel = new AbortController();
    const asked = ask(LONG, cancel.signal).catch(String);
    await until(isAsked);
    const [child = 0] = childrenOf(pid);
    cancel.abort();
    expect(await until(() => isGone(child))).toBeLessThan(SOON_MS);
    expect(await asked).toMatch(/abort/i);
    expect((await ask('SELECT 1 AS one')).isError).toBe(false);
  });

  it('ends all that are cancelled together, also one whose turn has just come', async () => {
    const { ask } = await connected();
    const cancel = new AbortController();
    const asked = [1, 2, 3].map(() => ask(LONG, cancel.signal).catch(String));
    await until(isAsked);
    cancel.abort();
    await Promise.all(asked);
    const beganMs = performance.now();
    expect((await ask('SELECT 1 AS one')).isError).toBe(false);
    expect(performance.now() - beganMs).toBeLessThan(SOON_MS);
  });

  it.each([1, 2 ** 20])(
    'ends when a message is %i bytes too long to be read, though its client stays',
    async (surplus) => {
      const server = spawn(process.execPath, [PROGRAM_FILE, 'mcp', '--lake', lake], {
        env: plainEnvironment(),
      });
      onTestFinished(() => void server.kill('SIGKILL'));
      const said = text(server.stderr);
      // Its rest has no reader.
      server.stdin.on('error', () => undefined).write('x'.repeat(256 * 1024 + surplus));
      expect(await once(server, 'exit')).toEqual([1, null]);
      expect(await said).toMatch(
        /^cfe-lake: The assistant's connection broke: it sent a message of more than 256 KB/,
      );
    },
  );

  it('keeps sixteen questions that wait, in little memory, and refuses the others', async () => {
    const { server, send, nextAnswer } = await greeted();
    const inFull = `${LONG}${' '.repeat(250_000)}`;
    for (let id = 2; id < 42; id += 1) send(question(id, inFull));
    for (let id = 18; id < 42; id += 1)
      expect(await nextAnswer()).toMatchObject({
        id,
        error: { message: expect.stringMatching(/^16 questions have no answer yet/) },
      });
    const dense = { _meta: { x: Array(80_000).fill([]) } };
    for (let id = 42; id < 142; id += 1) send(question(id, LONG, dense));
    send({ id: 142, method: 'ping' });
    expect(await nextAnswer()).toMatchObject({
      id: 142,
      error: { message: expect.stringMatching(/^16 questions/) },
    });
    expect(mostBytesOf(server.pid ?? 0)).toBeLessThan(350 * 2 ** 20);
  });

  it.each([{ reason: null }, { reason: 5 }, { reason: 'enough' }, { other: [] }])(
    'ends a question for whatever reason it is cancelled, without an answer: %j',
    async (more) => {
      const { server, send, nextAnswer } = await greeted();
      send(question(2, LONG));
      await until(isAsked);
      const [child = 0] = childrenOf(server.pid ?? 0);
      send({ method: 'notifications/cancelled', params: { requestId: 2, ...more } });
      expect(await until(() => isGone(child))).toBeLessThan(SOON_MS);
      send(question(3, 'SELECT 1 AS one'));
      expect(await nextAnswer()).toMatchObject({ id: 3, result: { isError: false } });
    },
  );

  it('gives the place of a question that goes on to no other, whatever is called a cancellation', async () => {
    const { send, nextAnswer } = await greeted();
    for (let id = 2; id < 17; id += 1) send(question(id, LONG));
    const method = 'notifications/cancelled';
    for (const params of [undefined, {}, { requestId: null }, { requestId: '2' }, { requestId: [2] }])
      send({ method, params });
    send({ method, params: { requestId: 2, _meta: 5 } });
    send({ method, params: { requestId: 2 }, more: 5 });
    send({ jsonrpc: '1.0', method, params: { requestId: 2 } });
    send({ id: null, method, params: { requestId: 2 } });
    send({ id: 17, method, params: { requestId: 2 } });
    expect(await nextAnswer()).toMatchObject({ id: 17, error: { code: -32_601 } });
    send(question(17, LONG));
    send(question(18, LONG));
    expect(await nextAnswer()).toMatchObject({
      id: 18,
      error: { message: expect.stringMatching(/^16 questions have no answer yet/) },
    });
  });

  it('lets no client wait for news of the tools, which stay the same', async () => {
    const { send, nextAnswer } = started();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { _meta, notifications: { toolsListChanged: true } };
    send({ id: 1, method: 'subscriptions/listen', params });
    expect(await nextAnswer()).toMatchObject({ id: 1, error: { code: -32_603 } });
  });

  it('refuses a question with the id of one that has no answer, which can still be cancelled', async () => {
    const { send, nextAnswer } = await greeted();
    for (const sql of [LONG, 'SELECT 1 AS one']) send(question(2, sql));
    expect(await nextAnswer()).toMatchObject({
      id: 2,
      error: { message: expect.stringMatching(/^Another question with this id/) },
    });
    const beganMs = performance.now();
    send({ method: 'notifications/cancelled', params: { requestId: 2 } });
    send(question(2, 'SELECT 1 AS one'));
    expect(await nextAnswer()).toMatchObject({ id: 2, result: { isError: false } });
    expect(performance.now() - beganMs).toBeLessThan(SOON_MS);
  });

  it('ends when a thousand lines are no message', async () => {
    const { server, ended } = await greeted();
    const beganMs = performance.now();
    server.stdin.write('\n'.repeat(2 ** 20));
    expect(await ended).toEqual([1, null]);
    expect(performance.now() - beganMs).toBeLessThan(SOON_MS);
  });

  it('does not read a client that reads no answers, and ends when it is told to', async () => {
    const { server, ended, send } = await greeted();
    server.stdout.pause();
    for (let id = 2; id < 20_002; id += 1) send({ id, method: 'tools/list' });
    await setTimeout(2_000);
    expect(mostBytesOf(server.pid ?? 0)).toBeLessThan(250 * 2 ** 20);
    server.kill('SIGTERM');
    const beganMs = performance.now();
    expect(await ended).toEqual([130, null]);
    expect(performance.now() - beganMs).toBeLessThan(SOON_MS);
  });

  it.each([
    ['its client leaves', HUGE, (server: ChildProcess) => server.stdin?.end(), 0],
    ['it is told to stop', HUGE, (server: ChildProcess) => server.kill('SIGTERM'), 130],
    ['it is killed', HUGE, (server: ChildProcess) => server.kill('SIGKILL'), null],
    ['it is killed', LIST, (server: ChildProcess) => server.kill('SIGKILL'), null],
  ])('computes nothing any more soon after %s, and leaves nothing: %s', async (_what, sql, leave, code) => {
    const { server, ended, send } = await greeted();
    send(question(2, sql));
    await until(isAsked);
    const [child = 0] = childrenOf(server.pid ?? 0);
    await until(() => residentBytes(child) > BUSY_BYTES);
    const beganMs = performance.now();
    leave(server);
    expect((await ended)[0]).toBe(code);
    await until(() => isGone(child));
    expect(performance.now() - beganMs).toBeLessThan(SOON_MS);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('leaves nothing where it is killed as soon as there is something', async () => {
    const { server, ended, send } = await greeted();
    const watcher = watch(temporary);
    onTestFinished(() => watcher.close());
    send(question(2, 'SELECT 1'));
    await once(watcher, 'change');
    server.kill('SIGKILL');
    await ended;
    await until(() => readdirSync(temporary).length === 0, SOON_MS);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
