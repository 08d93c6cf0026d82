import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { thirdPartyLicences } from '../../scripts/third-party.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

/** Writes the packages' files. Returns a bundle with this many bytes of each package's module. */
function bundle(
  packages: Readonly<Record<string, Readonly<Record<string, string>>>>,
  bytesInOutput = 7,
): Metafile {
  const folder = newFolder();
  const inputs = Object.entries(packages).map(([name, files]) => {
    const folderOfPackage = join(folder, 'node_modules', name);
    mkdirSync(folderOfPackage, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folderOfPackage, file), text);
    return [join(folderOfPackage, 'lib/index.js'), { bytesInOutput }] as const;
  });
  const output = { bytes: 1, inputs: Object.fromEntries(inputs), imports: [], exports: [] };
  return { inputs: {}, outputs: { 'index.mjs': output } };
}

const manifest = (name: string, license: string, author?: unknown) =>
  JSON.stringify({ name, version: '1.2.3', license, author });

describe('the licences of what is bundled', () => {
  it('are each text once, below the packages that it is of', async () => {
    const text = await thirdPartyLicences([
      bundle({
        one: { 'package.json': manifest('one', 'MIT'), 'LICENSE.md': 'Copyright A\r\nsome words\n' },
        '@of/two': { 'package.json': manifest('@of/two', 'MIT'), LICENCE: 'Copyright A\nsome words' },
        three: { 'package.json': manifest('three', 'ISC'), license: 'other words', NOTICE: 'a notice' },
      }),
    ]);
    const [, ...parts] = text.trimEnd().split(/\n+={80}\n+/);
    expect(new Set(parts)).toEqual(
      new Set([
        '@of/two@1.2.3 (MIT)\none@1.2.3 (MIT)\n\nCopyright A\nsome words',
        'three@1.2.3 (ISC)\n\na notice',
        'three@1.2.3 (ISC)\n\nother words',
      ]),
    );
  });

  it('are the standard text with its author where a package brings none, and nothing less', async () => {
    const author = 'Some One <one@example.com>';
    const text = await thirdPartyLicences([
      bundle({ bare: { 'package.json': manifest('bare', 'MIT', author) } }),
    ]);
    expect(text).toMatch(
      /\nbare@1\.2\.3 \(MIT\)\n\nCopyright \(c\) Some One\n\nPermission is hereby granted/,
    );
    for (const text of [manifest('bare', 'Other', author), manifest('bare', 'MIT')])
      await expect(thirdPartyLicences([bundle({ bare: { 'package.json': text } })])).rejects.toThrow(
        /no text/,
      );
  });

  it('are not of what was left out', async () => {
    const files = { 'package.json': manifest('gone', 'MIT'), LICENSE: 'x' };
    expect(await thirdPartyLicences([bundle({ gone: files }, 0)])).not.toContain('gone');
  });
});
