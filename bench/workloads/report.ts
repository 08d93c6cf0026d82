import { Writable } from 'node:stream';
import { keepCompiledModules } from '../../lib/system/program.ts';

keepCompiledModules();
const { main } = await import('../../lib/cli/main.ts');
const { report } = await import('./figures.ts');

/** A command of these words, run as the command line does. */
const { words } = JSON.parse(process.argv[2] ?? '{}');
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
await report(async () => {
  const { signal } = new AbortController();
  const code = await main(words, { stdout: nowhere(), stderr: nowhere(), signal }, '0.0.0');
  return { failed: code };
});
