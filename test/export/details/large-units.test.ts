import { expect, it } from 'vitest';
import { exportCompany } from '../../../lib/export/company.ts';
import { HeldDetails } from '../../../lib/export/details/held-details.ts';
import { isJsonObject } from '../../../lib/text/exact-json.ts';
import { DIRECTIONS, planUnits } from '../../../lib/units/unit.ts';
import { FakeApi } from '../../support/api/fake-api.ts';
import { startHttpServer } from '../../support/api/http-server.ts';
import { itLong } from '../../support/campaign.ts';
import { receipt } from '../../support/export/detail-world.ts';
import { exportTools } from '../../support/export/export-tools.ts';
import { RUT } from '../../support/export/unit-world.ts';
import { FakeClock, settled } from '../../support/fake-clock.ts';
import { newFolder } from '../../support/lake/lake-folder.ts';
import { MemoryStore } from '../../support/lake/memory-store.ts';
import { writeCompanies } from '../../support/program/companies-file.ts';
import { runProgram } from '../../support/program/run-program.ts';

const DAYS = ['2026-11-18', '2026-11-19'] as const;

/** Exports the details of both days, the first of which have texts of so many characters. */
async function exported(
  receiptsPerDay: number,
  {
    characters = [0, 0],
    maxBytes = 0,
    store = new MemoryStore(() => 0),
    heldDetails = new HeldDetails(),
  } = {},
) {
  const api = new FakeApi(RUT);
  api.maxBytesPerList = maxBytes;
  api.lists.emitidos = DAYS.flatMap((day, place) =>
    Array.from({ length: receiptsPerDay }, (_, index) => ({
      ...receipt(10_000 * (place + 1) + index),
      fecha_emision: `${day}T00:00:00`,
    })),
  );
  const placeOf = (id: number | string) => Math.floor(Number(id) / 10_000) - 1;
  const answer = api.answer.bind(api);
  api.answer = async (path, query) => {
    const given = await answer(path, query);
    const { body } = given;
    if (query.size > 0 || !isJsonObject(body)) return given;
    return { ...given, body: { ...body, texto: 'x'.repeat(characters[placeOf(String(body.id))] ?? 0) } };
  };
  // As over a network, one answer does not keep another from coming.
  api.beforeAnswer = settled;
  const clock = new FakeClock();
  const tools = exportTools({
    client: api.client(8),
    store,
    heldDetails,
    run: { id: '20261120020000-nocturna', day: '2026-11-20' },
    details: { directions: ['emitidos'], maxPerUnit: 10_000 },
    clock,
  });
  const { results } = await exportCompany(planUnits(RUT, ['emitidos'], DAYS), tools);
  const asked = api.detailsAsked.map((id) => DAYS[placeOf(id)] ?? '');
  return { results, asked };
}

/** The days whose details are asked for, in order, without repeats in a row. */
function turnsOf(asked: readonly string[]): string[] {
  return asked.filter((day, index) => day !== asked[index - 1]);
}

it('a company’s large units read their details one after the other', async () => {
  const { results, asked } = await exported(2_001);
  expect(results.map(({ detailsStored }) => detailsStored)).toEqual([2_001, 2_001]);
  expect(turnsOf(asked).sort()).toEqual(DAYS);
});

it('smaller ones read them side by side, until two have more than 20 MB', async () => {
  const { asked } = await exported(200);
  expect(turnsOf(asked.slice(200)).length).toBeGreaterThan(4);
  const { results, asked: large } = await exported(400, { characters: [2 ** 18, 2 ** 18] });
  expect(results.map(({ detailsStored }) => detailsStored)).toEqual([400, 400]);
  // Each had read 80 of them by then.
  expect(turnsOf(large.slice(320)).length).toBeLessThan(6);
});

it('nor do they while the units of others have 200 MB', async () => {
  const heldDetails = new HeldDetails();
  heldDetails.byteCount = 201 * 2 ** 20;
  const { results, asked } = await exported(200, { heldDetails });
  expect(results.map(({ detailsStored }) => detailsStored)).toEqual([200, 200]);
  // Those in flight as it began to wait.
  const ofOther = asked.slice(0, asked.lastIndexOf(DAYS[1])).filter((day) => day === DAYS[0]);
  expect(ofOther.length).toBeLessThanOrEqual(8);
  expect(heldDetails.byteCount).toBe(201 * 2 ** 20);
});

it('a detail of more than 2 MB is kept while no other unit has any, and is asked for again in its unit’s turn', async () => {
  const { results, asked } = await exported(12, { characters: [2 ** 21, 2 ** 21], maxBytes: 2 ** 30 });
  expect(results.map(({ detailsStored }) => detailsStored)).toEqual([12, 12]);
  // Eight of each unit are in flight as its first one turns out large.
  expect(asked).toHaveLength(24 + 16);
  expect(turnsOf(asked.slice(16))).toHaveLength(2);
});

itLong('large details of a dozen units fit into a heap of 600 MB', { timeout: 300_000 }, async () => {
  const text = 'x'.repeat(4_000_000);
  const apis = ['219999830019', '211003420017'].map((rut) => {
    const api = new FakeApi(rut);
    for (const [place, direction] of DIRECTIONS.entries())
      api.lists[direction] = ['2026-11-17', ...DAYS].flatMap((day, index) =>
        Array.from({ length: 20 }, (_, number) => ({
          ...receipt(10_000 * (1 + place) + 100 * index + number),
          fecha_emision: `${day}T00:00:00`,
        })),
      );
    return api;
  });
  const { address } = await startHttpServer(async ({ path, query, headers }) => {
    const api = apis.find(({ rut }) => rut === headers['x-emisor']);
    const { status, body } = (await api?.answer(path, query)) ?? { status: 404 };
    const isDetail = /\/\d+$/.test(path) && isJsonObject(body);
    return { status, body: JSON.stringify(isDetail ? { ...body, texto: text } : body) };
  });
  const folder = newFolder();
  const companies = writeCompanies(
    folder,
    apis.map(({ rut }) => ({ rut, token: `token-${rut}` })),
  );
  const words = ['export', '--api', address.href, '--companies', companies, '--lake', 'lake'];
  words.push('--from', '2026-11-17', '--to', '2026-11-19', '--json');
  for (const direction of DIRECTIONS) words.push('--details', direction);
  const { code, stdout, stderr } = await runProgram(words, folder, {
    NODE_OPTIONS: '--max-old-space-size=600',
  });
  expect({ code, stderr: stderr.slice(-500) }).toEqual({ code: 0, stderr: expect.any(String) });
  expect(JSON.parse(stdout).units.map(({ detalles }: { detalles: number }) => detalles)).toEqual(
    Array(12).fill(20),
  );
});

it('details of a day with more bytes than a list may have fail by name, and no other day’s, until they are smaller', async () => {
  const store = new MemoryStore(() => 0);
  const asked = { characters: [2 ** 17, 0], maxBytes: 2 ** 20, store };
  const { results } = await exported(30, asked);
  expect(results).toMatchObject([
    { day: DAYS[1], detailState: 'completo' },
    {
      day: DAYS[0],
      detailState: 'fallido',
      detailReason: expect.stringContaining(`emitidos of ${RUT} on ${DAYS[0]} have more than 1 MB`),
    },
  ]);
  const { results: later } = await exported(30, { ...asked, characters: [10, 0] });
  expect(later).toMatchObject([{ day: DAYS[1] }, { day: DAYS[0], detailState: 'completo' }]);
});
