import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const OTHER_RUT = '214844360018';

const folder = sharedFolder();
const sandbox = await sharedSandbox({ now: '2026-11-20T03:00:00' });

function run(...words: string[]) {
  return runMain('probe', '--api', sandbox.url, '--date', '2026-11-19', ...words);
}

describe('probe', () => {
  it('writes what was found as JSON, and a report to be sent on, which replaces an older one', async () => {
    const [file, shared] = [join(folder, 'found.json'), join(folder, 'service.json')];
    await writeFile(shared, 'an older report');
    const { code, stdout } = await run('--out', file, '--report', shared, '--rut', OTHER_RUT);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`Written to ${file}.`) });
    const text = await readFile(file, 'utf8');
    const found = JSON.parse(text);
    expect(found).toMatchObject({ api: `${sandbox.url}/`, rut: OTHER_RUT });
    for (const { finding } of found.findings) expect(stdout).toContain(finding);
    for (const { token } of sandbox.companies) expect(stdout + text).not.toContain(token);

    expect(stdout).toContain(`To be sent on, without address, RUT, token or value of a receipt: ${shared}.`);
    const report = await readFile(shared, 'utf8');
    expect(Object.keys(JSON.parse(report))).toEqual(['requests', 'latencyMs', 'findings']);
    const secrets = sandbox.companies.flatMap(({ rut, token, name }) => [rut, token, name]);
    for (const secret of [...secrets, '127.0.0.1', '2026-11']) expect(report).not.toContain(secret);
  });

  it('is refused where its file has no folder, before anything is asked', async () => {
    const { code, stderr } = await run('--out', '/nowhere/at/all.json');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/--out: there is no folder \/nowhere\/at/),
    });
  });
});
