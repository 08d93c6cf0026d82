import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

function repositoriesIn(name: string): string[] {
  const text = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  return [...text.matchAll(/https:\/\/github\.com\/([^/\s"]+\/cfe-lake)\b/g)].map(([, found = '']) => found);
}

it('SECURITY.md and package.json name the same repository', () => {
  expect(repositoriesIn('SECURITY.md')).toHaveLength(1);
  const named = new Set(['SECURITY.md', 'package.json'].flatMap(repositoriesIn));
  expect([...named]).toHaveLength(1);
});
