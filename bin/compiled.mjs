import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Imported before the first TypeScript of a checkout, whose start would else load Node's type stripper. The folder is as
// private as the code is.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/cfe-lake', import.meta.url)));
