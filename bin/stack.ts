import { stackCommand } from '../lib/cdk/stack-command.ts';
import { tellFailure } from '../lib/cli/main.ts';
import { Printer } from '../lib/cli/printer.ts';

// npm run bootstrap, deploy, diff and destroy.
const stderr = new Printer(process.stderr);
try {
  process.exitCode = await stackCommand(process.argv.slice(2), stderr);
} catch (error) {
  process.exitCode = tellFailure(error, stderr, process.argv.includes('--debug'));
}
