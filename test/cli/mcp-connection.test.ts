import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { AssistantConnection } from '../../lib/cli/mcp/connection.ts';

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const answerTo = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

it('goes on however many lines are no message, while messages come between them', async () => {
  const input = async function* () {
    for (const id of [1, 2, 3]) yield '\n'.repeat(600) + line({ id, method: 'ping' });
  };
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const connection = new AssistantConnection({ input, output }, parseJSONRPCMessage);
  await connection.start();
  await expect(connection.ended).resolves.toBeUndefined();
});

it('reads no message, of whatever kind, while an answer is not written, however short', async () => {
  const input = async function* () {
    yield line({ id: 1, method: 'ping' }) + line({ id: 2, method: 'ping' });
    yield line({ method: 'notifications/progress' });
  };
  /** What goes on with each write that has begun. */
  const begun: (() => void)[] = [];
  const output = new Writable({ write: (_chunk, _encoding, done) => void begun.push(done) });
  const connection = new AssistantConnection({ input, output }, parseJSONRPCMessage);
  const read: unknown[] = [];
  connection.onmessage = (message) => {
    if ('method' in message) read.push('id' in message ? message.id : message.method);
    if (read.length === 1) void connection.send(answerTo(1));
  };
  await connection.start();
  await setImmediate();
  expect(read).toEqual([1]);

  void connection.send(answerTo(2));
  begun.shift()?.();
  await setImmediate();
  expect(read).toEqual([1]);

  while (begun.length > 0) {
    begun.shift()?.();
    await setImmediate();
    if (output.writableLength > 0) expect(read).toEqual([1]);
  }
  await connection.ended;
  expect(read).toEqual([1, 2, 'notifications/progress']);
});
