#!/usr/bin/env -S node --max-semi-space-size=8
import { addAbortSignal } from 'node:stream';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`cfe-lake runs on Node 22.19 or newer. This is ${process.versions.node}.`);
  process.exit(1);
}

// Modules imported after this call are kept compiled.
const { keepCompiledModules, readVersion } = await import('../lib/system/program.ts');
keepCompiledModules();
const { askAtTerminal, main } = await import('../lib/cli/main.ts');
const { SAY } = await import('../lib/cli/phrases/program.ts');
const { Printer, READER_GONE, tellFailure } = await import('../lib/cli/printer.ts');
const { allEnded, beginNoMore, isUnderWay } = await import('../lib/system/under-way.ts');

/** Node's exit code where a module still waits for something and nothing is under way. */
const UNSETTLED = 13;

/** As the signal itself ends a program: Node's exit waits for threads, in which DuckDB or a file may be stuck. */
function endAtOnce(name: NodeJS.Signals): void {
  process.exitCode = 130;
  process.emit('exit', process.exitCode);
  process.removeAllListeners(name);
  process.kill(process.pid, name);
  // The first process of a container gets no signal of its own.
  process.exit();
}

const interruption = new AbortController();
interruption.signal.addEventListener('abort', beginNoMore);
// Ctrl-C, a service manager's stop, and the end of a remote terminal.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // The second one exits immediately. Every object is replaced in one step; but a spent refresh token would be lost.
    if (isUnderWay()) new Printer(process.stderr).say(SAY.loginAwaited());
    else if (interruption.signal.aborted) endAtOnce(name);
    interruption.abort(new Error('interrupted'));
  });
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A closed pipe (`… | head`): the reader has seen enough. An export has ended by then and keeps its exit code.
  if (error.code === 'EPIPE') interruption.abort(READER_GONE);
  else {
    process.stderr.write(`cfe-lake: the output could not be written (${error.code}).\n`);
    process.exit(1);
  }
});
// Progress that nobody reads is no reason to stop.
process.stderr.on('error', () => undefined);

// Errors that nothing caught. Node itself would print a stack trace.
process.once('uncaughtException', (error) => {
  process.exit(tellFailure(error, new Printer(process.stderr), process.argv.includes('--debug')));
});

process.once('exit', () => {
  if (process.exitCode !== UNSETTLED) return;
  process.exitCode = 1;
  process.stderr.write(
    'cfe-lake: the program ended before its work did. What was stored is whole. Run the command again to go on, ' +
      'and report this message with the command.\n',
  );
});

process.exitCode = await main(
  process.argv.slice(2),
  {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: () => addAbortSignal(interruption.signal, process.stdin),
    ask: askAtTerminal(interruption.signal),
    signal: interruption.signal,
  },
  readVersion(),
);

// What nobody reads keeps no process that is told to end; a login does, which may have spent a refresh token.
const leave = () => allEnded().then(() => setTimeout(() => process.exit(), 1_000).unref());
if (interruption.signal.aborted) leave();
else interruption.signal.addEventListener('abort', leave, { once: true });
