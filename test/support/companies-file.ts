import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A companies file of its user alone, in the folder; gives its path. */
export function writeCompanies(folder: string, companies: readonly object[]): string {
  const file = join(folder, 'companies.json');
  writeFileSync(file, JSON.stringify({ companies }), { mode: 0o600 });
  return file;
}
