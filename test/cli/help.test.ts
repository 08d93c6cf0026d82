import { writeFileSync } from 'node:fs';
import { writeXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { continuationOf } from '../../lib/cli/commands/export.ts';
import { SUMMARIES } from '../../lib/cli/phrases/summaries.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { campaign } from '../support/campaign.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { allCommands } from '../support/program/commands.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain, wordsOf } from '../support/program/run-main.ts';

const commands = await allCommands();

it('help lists every command with what it does, and of a command its options, however it is asked for', async () => {
  const { code, stdout } = await runMain('--help');
  expect(code).toBe(0);
  for (const summary of Object.values(SUMMARIES)) expect(stdout).toContain(summary()('en'));
  expect((await runMain()).stdout).toBe(stdout);
  const ofExport = await runMain('export', '--help');
  expect(ofExport.stdout).toContain('  --direction');
  expect(await runMain('help', 'export')).toEqual(ofExport);
});

it('the command that goes on after Ctrl-C has options of missing only, whatever export was given', () => {
  const optionsOf = (name: string) => commands.find((command) => command.name === name)?.options ?? {};
  const given = Object.entries(optionsOf('export')).map(([name, { kind }]) => [name, kind === 'flag' || 'x']);
  const typed = continuationOf(Object.fromEntries(given), ['2026-11-19', '2026-11-20']).split(' ');
  const names = typed.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !Object.hasOwn(optionsOf('missing'), name))).toEqual([]);
});

describe('examples', () => {
  let folder: string;
  let before: string;
  let sandbox: Sandbox;
  beforeAll(async () => {
    folder = sharedFolder();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T15:00:00Z') });
    sandbox = await startSandbox({
      companyCount: 1,
      receiptsPerDay: 3,
      behaviour: { lateArrivals: false, statusFlips: false },
    });
    const companies = sandbox.companies.map(({ rut, token }) => ({ rut, token }));
    writeCompanies(folder, companies);
    before = process.cwd();
    process.chdir(folder);
    const official = [['Fecha', 'Tipo', 'Serie', 'Número', 'RUT Emisor', 'Monto Total']];
    writeFileSync('cotizaciones.csv', 'Fecha;Moneda;Compra\n18/11/2026;USD;40,125\n');
    writeFileSync('emitidos.csv', `${official[0]?.join(';')}\n`);
    writeFileSync(
      'recibidos.xlsx',
      await writeXlsx({
        sheets: [{ name: 'Hoja1', rows: [['CFE Recibidos', '01/11/2026', '19/11/2026'], ...official] }],
      }),
    );
    // The user's receipts, in ./lake, and the sandbox's, in ./lake-sandbox.
    const yours = 'export --from 2026-11-01 --to 2026-11-19 --companies companies.json --api'.split(' ');
    expect((await runMain(...yours, sandbox.url)).code).toBe(0);
    expect((await runMain('export', '--sandbox', '--date', '2026-11-19')).code).toBe(0);
  });
  afterAll(async () => {
    process.chdir(before);
    await sandbox.close();
  });

  const examples = commands.flatMap(({ examples: lines }) => lines);

  it.each(examples)('%s: its words are the command’s', async (example) => {
    const [name, ...words] = wordsOf(example);
    const { options } = commands.find((known) => known.name === name) ?? { options: {} };
    const typed = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
    expect(Object.keys(options)).toEqual(expect.arrayContaining(typed));
    // Values are checked before the help is given.
    expect(await runMain(name ?? '', ...words, '--help')).toMatchObject({ code: 0, stderr: '' });
  });

  /**
   * Examples that need AWS, the central bank or a close, serve until they are stopped, write outside the folder, need all details, or have a test of
   * their own.
   */
  const NOT_RUN =
    /^(backfill|check|close|mcp|runs|sandbox|demo|init)|s3:|>|127\.0\.0\.1|--notify|dgi-2181|--bcu|--close/;

  /** Examples that read many days or details. They do so for your companies, who have few receipts here. */
  const READS_MUCH = /^(export|verify) .*(--from|--details)/;

  const run = commands.flatMap(({ examples: lines }) =>
    lines
      .filter((example) => !NOT_RUN.test(example))
      .slice(0, campaign({ quick: 1, long: Number.POSITIVE_INFINITY })),
  );

  it.each(run)('%s: works', async (example) => {
    const words = wordsOf(example).map((word) => word.replace('https://api.example.com', sandbox.url));
    const { options } = commands.find(({ name }) => name === words[0]) ?? { options: {} };
    // Where there is a companies.json, whose receipts are meant must be said.
    const whose = READS_MUCH.test(example)
      ? ['--api', sandbox.url, '--companies', 'companies.json']
      : 'sandbox' in options && !words.includes('--companies')
        ? ['--sandbox']
        : [];
    const { code, stdout, stderr } = await runMain(...words, ...whose);
    expect(stderr).not.toMatch(/^cfe-lake:/m);
    expect(stdout).not.toBe('');
    // These exit with 1 when they find something.
    expect(code).toBeLessThanOrEqual(/^(missing|verify|report|reconcile)/.test(example) ? 1 : 0);
  });
});
