import { afterEach, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR, type Intercept } from '../../sandbox/behaviour.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { rateLimit } from '../../sandbox/service.ts';
import { movingRows } from '../support/api/faults.ts';
import { sharedSandbox } from '../support/sandbox.ts';
import { allRows, ask, DAY, idsOf, LEGACY, LIST, NOW, pageOf, truthOf } from './support.ts';

const sandbox = await sharedSandbox({ now: NOW, receiptsPerDay: 250, longAmounts: true });
afterEach(() => sandbox.behave(DEFAULT_BEHAVIOUR));

const FIRST = pageOf('emitidos', 1, 100);
const truthIds = (): string[] => idsOf(truthOf(sandbox, 'emitidos'));
const page = (number: number) => ask(sandbox, pageOf('emitidos', number, 100));
const statusOf = async (path: string): Promise<number> => (await ask(sandbox, path)).status;

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

it('what is hidden is in no list, legacy lists included, and has no detail, until it is shown', async () => {
  const at = 120;
  const all = truthIds();
  const fewer = all.toSpliced(at, 10);
  const change = {
    direction: 'emitidos',
    day: DAY,
    afterListRequests: 2,
    count: 10,
    position: 'middle',
  } as const;
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
  expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 429, retryAfter: '10' });
});
