import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { bodyText } from '../../api/body.ts';
import { CfeLakeError } from '../../system/errors.ts';
import type { Terminal } from '../command.ts';
import { SAY } from '../phrases/program.ts';
import { MOST_BROKEN_LINES, MOST_MESSAGE_BYTES, MOST_MESSAGE_VALUES, MOST_OPEN } from './limits.ts';

const INVALID_REQUEST = -32_600;
const END_OF_LINE = 0x0a;

interface Streams {
  input: NonNullable<Terminal['stdin']>;
  output: Writable;
}

/**
 * The messages of an assistant, one a line of standard input and output. Whatever its client sends, it takes the memory of
 * one message and of the few questions that wait; a client that reads no answers is not read either.
 */
export class AssistantConnection implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  readonly #streams: Streams;
  readonly #parse: (value: unknown) => JSONRPCMessage;
  /** What ends each question that has no answer, by its id. */
  readonly #open = new Map<unknown, AbortController>();
  readonly #ended = Promise.withResolvers<void>();

  /** `parse` throws where a value is no message. */
  constructor(streams: Streams, parse: (value: unknown) => JSONRPCMessage) {
    this.#streams = streams;
    this.#parse = parse;
  }

  /** Resolves when the client leaves. Rejects with a CfeLakeError if it sends what can't be read. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async start(): Promise<void> {
    this.#read().then(this.#ended.resolve, this.#ended.reject);
  }

  /** Aborted when the client cancels the question, or if it has an answer. */
  cancellationOf(id: RequestId): AbortSignal {
    return this.#open.get(id)?.signal ?? AbortSignal.abort();
  }

  /** What is cancelled is not answered: its answer only says that it is over. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) {
      const isCancelled = this.#open.get(message.id)?.signal.aborted === true;
      this.#open.delete(message.id);
      if (isCancelled) return;
    }
    await this.#write(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  async #read(): Promise<void> {
    const { input, output } = this.#streams;
    let brokenLines = 0;
    for await (const line of linesOf(input())) {
      // While the SDK waits for the write of an answer of its own, it keeps whatever it is given.
      while (output.writableLength > 0) await written(output, '');
      const message = this.#messageIn(line);
      brokenLines = message === undefined ? brokenLines + 1 : 0;
      if (message !== undefined) await this.#take(message);
      if (brokenLines > MOST_BROKEN_LINES) throw new CfeLakeError(SAY.assistantBroke());
    }
  }

  #messageIn(line: Buffer): JSONRPCMessage | undefined {
    try {
      return this.#parse(JSON.parse(bodyText(line, MOST_MESSAGE_VALUES)));
    } catch {
      return undefined;
    }
  }

  async #take(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message) {
      const refusal = this.#open.has(message.id)
        ? 'Another question with this id has no answer yet.'
        : this.#open.size < MOST_OPEN
          ? undefined
          : `${MOST_OPEN} questions have no answer yet: ask again when one has.`;
      if (refusal !== undefined) {
        const error = { code: INVALID_REQUEST, message: refusal };
        return await this.#write({ jsonrpc: '2.0', id: message.id, error });
      }
      this.#open.set(message.id, new AbortController());
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      // Judged here alone: one that the SDK finds wrong in any other member would end nothing.
      this.#open.get(message.params?.requestId)?.abort();
      // It ends before anything else is read.
      await setImmediate();
      return;
    }
    this.onmessage?.(message);
  }

  #write(message: JSONRPCMessage): Promise<void> {
    return written(this.#streams.output, `${JSON.stringify(message)}\n`);
  }
}

/** Resolves once the text is written, and all that was before it. */
function written(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}

/** Throws a CfeLakeError for one that is too long. */
async function* linesOf(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer, void, undefined> {
  let begun: Buffer[] = [];
  let byteCount = 0;
  const add = (part: Buffer) => {
    begun.push(part);
    byteCount += part.length;
    if (byteCount > MOST_MESSAGE_BYTES) throw new CfeLakeError(SAY.assistantBroke());
  };
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    let start = 0;
    for (let end = bytes.indexOf(END_OF_LINE); end >= 0; end = bytes.indexOf(END_OF_LINE, start)) {
      add(bytes.subarray(start, end));
      const line = Buffer.concat(begun);
      begun = [];
      byteCount = 0;
      start = end + 1;
      yield line;
    }
    add(bytes.subarray(start));
  }
}
