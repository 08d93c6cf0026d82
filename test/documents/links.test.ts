import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = globSync(['*.md', 'docs/**/*.md', 'examples/*/*.md', 'lib/**/*.md', 'sandbox/*.md'], {
  cwd: ROOT,
}).sort();

/** The page's text outside its code blocks. */
function proseOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** The anchors that GitHub gives to its headings. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Links to a file or a heading of this project that lead nowhere. */
function brokenLinksOf(page: string): string[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
}

describe('links between the pages', () => {
  it.each(PAGES)('lead somewhere: %s', (page) => {
    expect(brokenLinksOf(page)).toEqual([]);
  });

  it('are found, including those to a heading', () => {
    expect(proseOf('LEEME.md')).toContain('](docs/one-machine.md#every-night)');
    expect(anchorsOf('docs/one-machine.md')).toContain('every-night');
    expect(anchorsOf('docs/one-machine.md')).not.toContain('no-such-heading');
  });
});
