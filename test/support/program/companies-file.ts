import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a companies file that only its user can read. Returns its path. */
export function writeCompanies(folder: string, companies: readonly object[]): string {
  const file = join(folder, 'companies.json');
  writeFileSync(file, JSON.stringify({ companies }), { mode: 0o600 });
  return file;
}
