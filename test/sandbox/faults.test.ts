import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR, type Intercept } from '../../sandbox/behaviour.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { rateLimit } from '../../sandbox/server/rate-limit.ts';
import {
  always,
  confined,
  cutOff,
  every,
  failingDay,
  html502,
  movingRows,
  pageFault,
  redirect,
  refusing,
  renewedAfter,
  rewritten,
  status429,
  status500,
} from '../support/api/faults.ts';
import { allRows, ask, DAY, idsOf, LEGACY, LIST, NOW, pageOf, rutOf, truthOf } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: NOW, receiptsPerDay: 250, longAmounts: true });
});
afterEach(() => sandbox.behave(DEFAULT_BEHAVIOUR));
afterAll(() => sandbox.close());

const FIRST = pageOf('emitidos', 1, 100);
const truthIds = (): string[] => idsOf(truthOf(sandbox, 'emitidos'));
const page = (number: number) => ask(sandbox, pageOf('emitidos', number, 100));
const statusOf = async (path: string, company = 0): Promise<number> =>
  (await ask(sandbox, path, { company })).status;

it.each([
  ['429', status429('7'), 429],
  ['500', status500, 500],
  ['502 with HTML', html502, 502],
  ['a redirect', redirect, 302],
] as const)('every third request gets %s, and its repetition the list', async (_name, answer, status) => {
  sandbox.behave({ intercept: every(3, answer) });
  const statuses: number[] = [];
  for (const number of [1, 2, 3, 3, 2, 1, 1]) statuses.push(await statusOf(pageOf('emitidos', number, 10)));
  expect(statuses).toEqual([200, 200, status, 200, 200, status, 200]);
});

it('connections are reset, and JSON is cut off', async () => {
  sandbox.behave({ intercept: always('reset') });
  await expect(page(1)).rejects.toThrow();
  sandbox.behave({ intercept: every(1, cutOff) });
  const { status, text } = await page(1);
  expect(status).toBe(200);
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
});

it('a request that is never answered does not keep the sandbox from closing', async () => {
  let isAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const intercept: Intercept = () => {
    isAsked();
    return 'hang';
  };
  const hanging = await startSandbox({ now: NOW, behaviour: { intercept } });
  const refusal = expect(fetch(hanging.url + FIRST)).rejects.toThrow();
  await asked;
  await hanging.close();
  await refusal;
});

it('a fault is confined to a company, direction and day', async () => {
  const target = { rut: rutOf(sandbox, 1), direction: 'emitidos', day: DAY } as const;
  sandbox.behave({ intercept: confined(target, always(status500)) });
  expect(await statusOf(FIRST, 1)).toBe(500);
  expect(await statusOf(FIRST)).toBe(200);
  expect(await statusOf(pageOf('recibidos', 1, 100), 1)).toBe(200);
  expect(await statusOf(FIRST.replaceAll(DAY, '2026-11-18'), 1)).toBe(200);
  sandbox.behave({ intercept: refusing(rutOf(sandbox, 1)) });
  expect([await statusOf(FIRST, 1), await statusOf(FIRST)]).toEqual([401, 200]);
});

it('a failing day fails alone and within a range, in legacy lists too', async () => {
  sandbox.behave({ intercept: failingDay({ direction: 'emitidos', day: DAY }) });
  const range = (from: string, to: string) => `${LIST.emitidos}?FechaDesde=${from}&FechaHasta=${to}`;
  expect(await statusOf(FIRST)).toBe(500);
  expect(await statusOf(range('2026-11-01', '2026-11-30'))).toBe(500);
  expect(await statusOf(`${LEGACY.emitidos}?FechaDesde=${DAY}&FechaHasta=${DAY}`)).toBe(500);
  expect(await statusOf(range('2026-11-01', '2026-11-18'))).toBe(200);
  expect(await statusOf(pageOf('recibidos', 1, 10))).toBe(200);
});

it('a page is empty or short, once or always, and its rows stay exact', async () => {
  const rowsOf = async (number: number) => idsOf((await page(number)).rows);
  sandbox.behave({ intercept: pageFault('empty', 2) });
  expect([await rowsOf(2), await rowsOf(2)]).toEqual([[], truthIds().slice(100, 200)]);
  sandbox.behave({ intercept: pageFault('short', 2, true) });
  for (const _ of [1, 2]) expect(await rowsOf(2)).toEqual(truthIds().slice(100, 150));
  const { rows, json } = await ask(sandbox, pageOf('emitidos', 2, 100), { company: 1 });
  expect(json.page_size).toBe('50');
  sandbox.behave(DEFAULT_BEHAVIOUR);
  expect(rows).toEqual((await ask(sandbox, pageOf('emitidos', 2, 100), { company: 1 })).rows.slice(0, 50));
});

it('bodies are changed before they are sent', async () => {
  sandbox.behave({ intercept: rewritten((body, { endpoint }) => body.replace('"id":', `"${endpoint}":`)) });
  expect((await page(1)).text).toContain('"list":');
  expect((await ask(sandbox, `${LIST.emitidos}/${truthIds()[0]}`)).text).toContain('"detail":');
});

it('a token that was renewed is refused, and the new one taken', async () => {
  sandbox.behave({ intercept: renewedAfter(2) });
  const authorization = `Bearer ${sandbox.companies[0]?.token}`;
  const asked = async (suffix: string) =>
    (await ask(sandbox, FIRST, { headers: { authorization: authorization + suffix } })).status;
  expect([await asked(''), await asked(''), await asked(''), await asked('+')]).toEqual([200, 200, 401, 200]);
  expect(await statusOf(FIRST, 1)).toBe(200);
});

it.each([
  ['start', 0],
  ['middle', 120],
  ['end', 240],
] as const)('rows vanish from and appear at the %s after two list requests', async (position, at) => {
  const all = truthIds();
  const fewer = all.toSpliced(at, 10);
  const change = { direction: 'emitidos', day: DAY, afterListRequests: 2, count: 10, position } as const;
  sandbox.behave(movingRows({ ...change, kind: 'removed' }));
  expect(idsOf((await page(1)).rows)).toEqual(all.slice(0, 100));
  await page(1);
  expect(truthIds()).toEqual(fewer);
  expect(idsOf(await allRows(sandbox, 'emitidos'))).toEqual(fewer);
  expect(await statusOf(`${LIST.emitidos}/${all[at]}`)).toBe(404);
  const legacy = await ask(sandbox, `${LEGACY.emitidos}?FechaDesde=${DAY}&FechaHasta=${DAY}`);
  expect(idsOf(legacy.rows)).toEqual(fewer);
  expect(truthOf(sandbox, 'recibidos')).not.toHaveLength(0);
  sandbox.behave(movingRows({ ...change, kind: 'inserted' }));
  expect(truthIds()).toEqual(fewer);
  for (const _ of [1, 2]) await page(1);
  expect(truthIds()).toEqual(all);
});

it('a rate limit lets one second’s worth through at once, then keeps to the rate', () => {
  let nowMs = 0;
  const secondsToWait = rateLimit(2, () => nowMs);
  expect([secondsToWait(), secondsToWait(), secondsToWait()]).toEqual([0, 0, 0.5]);
  nowMs += 500;
  expect([secondsToWait(), secondsToWait()]).toEqual([0, 0.5]);
  nowMs += 60_000;
  expect([secondsToWait(), secondsToWait(), secondsToWait()]).toEqual([0, 0, 0.5]);
});

it('says with a 429 when there is room again', async () => {
  sandbox.behave({ rateLimit: 0.1 });
  await page(1);
  const { status, headers } = await page(1);
  expect([status, headers.get('retry-after')]).toEqual([429, '10']);
});
