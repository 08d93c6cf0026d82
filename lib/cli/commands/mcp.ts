import { once } from 'node:events';
import { resolve } from 'node:path';
import { parseS3Address } from '../../lake/store/open-store.ts';
import { CfeLakeError, EXIT_WRONG_INPUT, hasCode, WrongInputError } from '../../system/errors.ts';
import { programWords, readVersion } from '../../system/program.ts';
import { defineCommand, wholeNumber } from '../command.ts';
import { Answerer } from '../mcp/answerer.ts';
import { AssistantConnection } from '../mcp/connection.ts';
import { DATA, type Given, MOST_CHARACTERS, MOST_ROWS, TOOLS } from '../mcp/tools.ts';
import { LAKE_OPTION, openFoundLake } from '../options/lake.ts';
import { SAY } from '../phrases/program.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;

async function sdk() {
  try {
    const [server, stdio] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
    return { ...server, ...stdio };
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new CfeLakeError('mcp needs a package that is not installed.', {
      advice: 'Beside cfe-lake, run: npm install @modelcontextprotocol/server',
      exitCode: EXIT_WRONG_INPUT,
    });
  }
}

/** The form that most assistants read, with whole paths, since they start it anywhere. */
function settingsFor(lake: string): string {
  const [command, ...words] = programWords();
  const args = [...words, 'mcp', '--lake', parseS3Address(lake) === undefined ? resolve(lake) : lake];
  return JSON.stringify({ mcpServers: { 'cfe-lake': { command, args } } });
}

export const mcpCommand = defineCommand({
  options: {
    ...LAKE_OPTION,
    'timeout-seconds': wholeNumber(
      1,
      3_600,
      `end a question that takes longer (default ${DEFAULT_TIMEOUT_SECONDS})`,
    ),
  },
  examples: ['mcp --lake s3://bucket/lake'],
  notes: [
    `Speaks the Model Context Protocol over standard input and output, for assistants. It reads the lake and nothing else: no token, no request to the API, no other file. An answer has at most ${MOST_ROWS.toLocaleString('en')} rows and ${MOST_CHARACTERS.toLocaleString('en')} characters. One question at a time is answered, in a process of its own: DuckDB has 1 GB of memory, or a quarter of the machine's if that is less, and 2 GB of disk in a temporary folder.`,
    'It needs a package of its own: npm install @modelcontextprotocol/server',
    ...Object.entries(TOOLS).map(([name, { description }]) => `  ${name.padEnd(17)}${description}`),
  ],
  run: async (options, _words, terminal) => {
    const { McpServer, fromJsonSchema, serveStdio, parseJSONRPCMessage } = await sdk();
    const lake = (await openFoundLake(options, terminal)).address;
    if (terminal.ask !== undefined) throw new WrongInputError(SAY.nobodyAsks(settingsFor(lake)));
    const answerer = new Answerer((options['timeout-seconds'] ?? DEFAULT_TIMEOUT_SECONDS) * 1000);
    const input = terminal.stdin ?? (() => process.stdin);
    const transport = new AssistantConnection({ input, output: process.stdout }, parseJSONRPCMessage);
    const serve = () => {
      const server = new McpServer({ name: 'cfe-lake', version: readVersion() }, { instructions: DATA });
      for (const [name, { description, takes, needs }] of Object.entries(TOOLS)) {
        const properties = Object.fromEntries(
          Object.entries(takes).map(([key, meaning]) => [key, { type: 'string', description: meaning }]),
        );
        const inputSchema = fromJsonSchema<Given>({
          type: 'object',
          properties,
          required: [...needs],
          additionalProperties: false,
        });
        const annotations = { readOnlyHint: true, openWorldHint: false };
        server.registerTool(name, { description, inputSchema, annotations }, async (given, { mcpReq }) => {
          const signal = AbortSignal.any([mcpReq.signal, transport.cancellationOf(mcpReq.id)]);
          const { text, isError } = await answerer.answer({ lake, name, given }, signal);
          return { isError, content: [{ type: 'text', text }] };
        });
      }
      return server;
    };
    // The tools stay the same: nobody needs to wait for news of them, in place of a question.
    const connection = serveStdio(serve, { transport, maxSubscriptions: 0 });
    try {
      await Promise.race([transport.ended, once(terminal.signal, 'abort')]);
    } finally {
      answerer.close();
      await connection.close();
    }
    terminal.signal.throwIfAborted();
    return 0;
  },
});
