import { Printer, tellFailure } from '../lib/cli/printer.ts';
import { stackCommand } from '../lib/cli/stack/stack-command.ts';

// npm run settings, synth, bootstrap, deploy, diff and destroy.
const stdout = new Printer(process.stdout);
const stderr = new Printer(process.stderr);
try {
  process.exitCode = await stackCommand(process.argv.slice(2), { stdout, stderr });
} catch (error) {
  process.exitCode = tellFailure(error, stderr, process.argv.includes('--debug'));
}
