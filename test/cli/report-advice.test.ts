import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runLine } from '../support/program/run-main.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: '2026-12-20T03:00:00', receiptsPerDay: 3, companyCount: 1 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-20T12:00:00Z') });
});
afterAll(() => sandbox.close());

it('the one command of the page, pasted, brings days and details of both lists, and then nothing is left to bring', async () => {
  const folder = sharedFolder();
  const rut = sandbox.companies[0]?.rut ?? '';
  const [lake, html] = [join(folder, 'lake'), join(folder, 'month.html')];
  const companies = writeCompanies(folder, sandbox.companies);
  const report = `report --rut ${rut} --month 2026-11 --lake ${lake} --html ${html} --companies ${companies}`;
  const pageNow = async (code: number) => {
    expect((await runLine(report)).code).toBe(code);
    return readFileSync(html, 'utf8');
  };
  const days = '--from 2026-11-01 --to 2026-11-28';
  await runLine(`export --api ${sandbox.url} --companies ${companies} --lake ${lake} ${days}`);
  const before = await pageNow(1);
  expect(before).toMatch(/4 días de emitidos o recibidos no se leyeron/);
  expect(before).toMatch(/\d+ comprobantes sin desglose de IVA/);

  const advised = [...before.matchAll(/<code>npm run -s cfe-lake -- (.*?)<\/code>/g)];
  expect(advised).toHaveLength(1);
  const { code, stderr } = await runLine(`${advised[0]?.[1]} --api ${sandbox.url}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/details so far/) });

  const after = await pageNow(0);
  expect(after).toMatch(/El mes se leyó completo/);
  expect(after).not.toMatch(/<code|no se leyeron<|sin desglose de IVA|moneda desconocida/);
});
