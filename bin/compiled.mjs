import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

if (!existsSync(new URL('../node_modules/commander', import.meta.url))) {
  console.error('The packages of this program are not installed yet. Run: npm ci');
  process.exit(2);
}

// Imported before the first TypeScript of a checkout, whose start would else load Node's type stripper. The folder is as
// private as the code is.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/cfe-lake', import.meta.url)));
