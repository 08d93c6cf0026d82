import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { synth } from '../../lib/cdk/run-cdk.ts';
import { Printer } from '../../lib/cli/printer.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

/** Runs `synth` with a fake CDK in a folder with these settings. Returns its output and the words given to CDK. */
async function said(words: readonly string[], settings?: object, code = 0) {
  const folder = newFolder();
  if (settings !== undefined) writeFileSync(join(folder, 'cfe-lake.config.json'), JSON.stringify(settings));
  const stdout = new PassThrough();
  const given: string[] = [];
  const run = async (cdkWords: readonly string[]) => {
    given.push(...cdkWords);
    const output = resolve(folder, words.includes('-o') ? (words.at(-1) ?? '') : 'cdk.out');
    mkdirSync(output, { recursive: true });
    if (code === 0) writeFileSync(join(output, 'CfeLake.template.json'), 'x'.repeat(2048));
    return code;
  };
  const ended = await synth(words, { folder, stdout: new Printer(stdout), run });
  return { ended, given, text: String(stdout.read() ?? '') };
}

describe('npm run synth', () => {
  it('says where the template is, and that it is what a deployment would send', async () => {
    const { ended, given, text } = await said([], { apiAddress: 'https://api.example.com' });
    expect([ended, given]).toEqual([0, ['synth', '--quiet']]);
    expect(text).toMatch(/^The template is cdk\.out\/CfeLake\.template\.json \(2 KB\);/);
    expect(text).toMatch(
      /\nIt is what npm run deploy would send, with the settings of cfe-lake\.config\.json\.\n$/,
    );
  });

  it('uses an example as the API’s address where there is none, and says so', async () => {
    const { given, text } = await said([]);
    expect(given.slice(2)).toEqual(['-c', 'apiAddress=https://api.example.invalid']);
    expect(text).toMatch(/with the default settings\.\nBut its API is an example, .*: npm run settings asks/);
  });

  it('accepts settings for this one time, and another folder', async () => {
    const words = ['-c', 'apiAddress=https://a.example', '-o', 'elsewhere'];
    const { given, text } = await said(words);
    expect(given.slice(2)).toEqual(words);
    expect(text).toMatch(/ elsewhere\/CfeLake\.template\.json .* and -c apiAddress\.\n$/s);
  });

  it('says nothing of a template that CDK did not make', async () => {
    expect(await said([], undefined, 1)).toMatchObject({ ended: 1, text: '' });
  });
});
