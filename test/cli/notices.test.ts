import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noticeOf } from '../../lib/run/notice.ts';
import type { UnitResult } from '../../lib/units/unit.ts';
import { type Answer, startHttpServer } from '../support/api/http-server.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { writeCompanies } from '../support/program/companies-file.ts';
import { runMain } from '../support/program/run-main.ts';
import { sharedSandbox } from '../support/sandbox.ts';

const DAY = '2026-11-19';
const NAME = 'Panadería La Coronilla';
const SECRET_PATH = 'hooks/T0-whoever-has-it-can-post';

const sandbox = await sharedSandbox({
  now: '2026-11-20T23:00:00',
  companyCount: 1,
  receiptsPerDay: 20,
  behaviour: { lateArrivals: false, statusFlips: false },
});

async function toldOf(
  words: (address: string) => readonly string[],
  { token, answer = {} }: { token?: string; answer?: Answer } = {},
) {
  const server = await startHttpServer(() => answer);
  const folder = newFolder();
  const [company] = sandbox.companies;
  if (company === undefined) throw new Error('The sandbox has a company');
  const entry = { rut: company.rut, token: token ?? company.token, name: NAME };
  const file = writeCompanies(folder, [entry]);
  const lake = join(folder, 'lake');
  const given = ['--api', sandbox.url, '--companies', file, '--date', DAY, '--lake', lake];
  const ended = await runMain('export', ...given, ...words(server.address.href));
  return {
    ...ended,
    requests: server.requests,
    host: server.address.host,
    token: entry.token,
    rut: entry.rut,
  };
}

const both = (address: string) => [
  '--notify',
  `${address}${SECRET_PATH}?key=7`,
  '--ping',
  `${address}ping/1`,
];

describe('an export tells of its end', () => {
  it('in one document with a text, and asks for the ping after success', async () => {
    const { code, stderr, requests, token, rut } = await toldOf(both);
    expect(code).toBe(0);
    expect(stderr).not.toContain('Warning');
    const asked = requests.map(({ method, path }) => `${method} ${path}`).sort();
    expect(asked).toEqual(['GET /ping/1', `POST /${SECRET_PATH}`]);
    const post = requests.find(({ method }) => method === 'POST');
    const fresh = [...sandbox.truth(rut, 'emitidos', DAY), ...sandbox.truth(rut, 'recibidos', DAY)].length;
    const notice: { text: string; total: object } = JSON.parse(post?.body ?? '');
    expect(notice).toMatchObject({ version: 1, desde: DAY, hasta: DAY, completa: true });
    expect(notice.total).toMatchObject({
      empresas: 1,
      nuevas: fresh,
      cambiadas: 0,
      fallidas: 0,
      faltantes: 0,
    });
    expect(notice.text).toMatch(new RegExp(`^cfe-lake, ${DAY}: ${fresh} comprobantes nuevos, 0 cambiados, `));
    const sent = JSON.stringify(requests);
    for (const unsaid of [token, rut, NAME, 'authorization']) expect(sent).not.toContain(unsaid);
  });

  it('with the companies only where they may be named', async () => {
    const { requests, rut } = await toldOf((address) => ['--notify', address, '--notify-names']);
    const notice: { text: string; empresas: object[] } = JSON.parse(requests[0]?.body ?? '');
    expect(notice.empresas).toEqual([expect.objectContaining({ rut, nombre: NAME, fallidas: 0 })]);
    expect(notice.text).toContain(`\n${NAME}: `);
  });

  it('that failed without a ping: whoever waits for it notices', async () => {
    const token = 'a-token-that-does-not-work';
    const { code, requests } = await toldOf(both, { token });
    expect(code).toBe(1);
    expect(requests.map(({ method }) => method)).toEqual(['POST']);
    const body = requests[0]?.body ?? '';
    expect(JSON.parse(body)).toMatchObject({ completa: false, total: { nuevas: 0, fallidas: 2 } });
    expect(body).toContain('días de listas: 2 con error');
    expect(body).not.toContain(token);
  });

  it.each<[Answer, RegExp]>([
    [{ status: 404 }, /was not told: it answered status 404\./],
    [{ status: 302, headers: { location: '/elsewhere' } }, /was not told: it answered status 302\./],
    [{ fault: 'reset' }, /was not told: .*ECONNRESET/],
  ])('and does not fail because nobody could be told: %j', async (answer, warning) => {
    const { code, stdout, stderr, requests, host } = await toldOf(both, { answer });
    expect({ code, requests: requests.length }).toEqual({ code: 0, requests: 2 });
    expect(stdout).toContain('Query it:');
    const warnings = stderr.split('\n').filter((line) => line.startsWith('Warning:'));
    expect(warnings.map((line) => line.includes(host) && warning.test(line))).toEqual([true, true]);
    expect(stderr).not.toContain('whoever-has-it');
  });
});

it('what is posted of many companies is bounded, and units that were not read are missing', () => {
  const planned = Array.from({ length: 5_000 }, (_, index) => ({
    rut: `${String(index).padStart(12, '0')}` as `${number}`,
    direction: 'emitidos' as const,
    day: '2026-11-19' as const,
  }));
  const none = {
    conversionErrors: 0,
    pages: 0,
    requests: 0,
    retries: 0,
    bytes: 0,
    startedAt: '',
    endedAt: '',
  };
  const results = planned.slice(1).map((unit): UnitResult => {
    return { ...unit, ...none, state: 'exportado', receipts: 3, appeared: 1, changed: 1, rejected: 1 };
  });
  const names = () => 'Ñandubay '.repeat(20);
  const run = { runId: '20261120020000-0000abcd', planned, results, names, problems: [], isComplete: false };
  const notice = noticeOf(run, true);
  expect(Buffer.byteLength(JSON.stringify(notice))).toBeLessThan(65_536);
  expect(notice.total).toMatchObject({ empresas: 5_000, nuevas: 4_999, cambiadas: 4_999, faltantes: 1 });
  expect(notice.text).toContain('días de listas: 1 sin leer');
  expect(notice.text.split('\n').at(-1)).toBe('… y 4990 más');
  expect(noticeOf(run, false).empresas).toBeUndefined();
  const calling = noticeOf({ ...run, names: () => '<!channel> & Cía' }, true);
  expect(calling.text).toContain('\n&lt;!channel&gt; &amp; Cía: ');
});
