import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { readCompaniesFile } from '../../lib/companies/company.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import { campaign } from '../support/campaign.ts';
import { newFolder } from '../support/lake/lake-folder.ts';

const PROGRAM = resolve('bin/cfe-lake.ts');

it('has the quirks that were asked for, and writes its companies to a file, with which the printed command exports', async () => {
  const folder = newFolder();
  const quirks = ['--page-cap', '3', '--order', 'id-desc', '--late-arrivals', 'off'];
  const child = spawn(process.execPath, [PROGRAM, 'sandbox', '--company-count', '60', ...quirks], {
    cwd: folder,
  });
  onTestFinished(async () => {
    child.kill('SIGINT');
    await once(child, 'close');
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === 3) break;
  }
  const [url = '', count, command = ''] = lines;
  expect(count).toMatch(/^60 companies;/);
  const lake = `lake-sandbox-${new URL(url).port}`;
  expect(command).toContain(`export --api ${url} --lake ./${lake} --companies ./${lake}.companies.json`);
  const file = join(folder, `${lake}.companies.json`);
  const { companies } = await readCompaniesFile(file);
  expect(companies).toHaveLength(60);
  const [{ rut, token }] = JSON.parse(readFileSync(file, 'utf8')).companies;
  const headers = { authorization: `Bearer ${token}`, 'x-emisor': rut };
  const list = '/v2/consulta/comprobantes/emitidos?FechaDesde=2026-11-19&FechaHasta=2026-11-19';
  const { items } = (await (await fetch(url + list, { headers })).json()) as { items: { id: number }[] };
  const ids = items.map(({ id }) => id);
  expect(ids).toHaveLength(3);
  expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("writes the tax authority's lists of the last month, one of which has a receipt that the service does not show yet", async () => {
  const folder = newFolder();
  const words = ['sandbox', '--company-count', '2', '--receipts-per-day', '1', '--lists', 'listas'];
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: folder });
  onTestFinished(async () => {
    child.kill('SIGINT');
    await once(child, 'close');
  });
  const { value: url } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const [first, second] = sandboxCompanies(2);
  const lists = [first, second].flatMap((company) => [
    `${company?.rut}-emitidos.csv`,
    `${company?.rut}-recibidos.csv`,
  ]);
  expect(readdirSync(join(folder, 'listas'))).toEqual(lists.sort());
  const shownOf = async (company: typeof first) => {
    const text = readFileSync(join(folder, 'listas', `${company?.rut}-recibidos.csv`), 'utf8');
    const days = [...text.matchAll(/^(\d\d)\/(\d\d)\/(\d{4});/gm)].map(
      ([, day, month, year]) => `${year}-${month}-${day}`,
    );
    const headers = { authorization: `Bearer ${company?.token}`, 'x-emisor': company?.rut ?? '' };
    const path = `/consulta/comprobantes/recibidos?FechaDesde=${days[0]}&FechaHasta=${days.at(-1)}`;
    const shown = (await (await fetch(url + path, { headers })).json()) as unknown[];
    return [days.length, shown.length];
  };
  const [[listed = 0, shown], [others, allOthers]] = [await shownOf(first), await shownOf(second)];
  expect({ shown, allOthers }).toEqual({ shown: listed - 1, allOthers: others });
});

const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
it.each(campaign({ quick: SIGNALS.slice(0, 1), long: SIGNALS }))(
  'ends when it is told to by %s',
  async (signal) => {
    const folder = newFolder();
    const child = spawn(process.execPath, [PROGRAM, 'sandbox'], { cwd: folder });
    child.stdout.once('data', () => child.kill(signal));
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
  },
);
