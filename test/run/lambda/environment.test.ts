import { describe, expect, it } from 'vitest';
import { LakeEnvironmentSchema, once, readEnvironment } from '../../../lib/run/lambda/environment.ts';
import { WorkerEnvironmentSchema } from '../../../lib/run/lambda/export-company.ts';
import { WORKER_ENVIRONMENT } from '../../support/worker-environment.ts';

const WORKER = { ...WORKER_ENVIRONMENT, PATH: '/usr/bin' };

describe('readEnvironment', () => {
  it('returns the variables of each function, numbers as numbers', () => {
    expect(readEnvironment(WorkerEnvironmentSchema, WORKER)).toEqual({
      ...WORKER_ENVIRONMENT,
      COMPANIES_AT_ONCE: 5,
      BACKFILL_COMPANIES_AT_ONCE: 2,
      REQUESTS_PER_COMPANY: 8,
      MAX_ROWS_PER_LIST: 1_000_000,
      MAX_DETAILS_PER_UNIT: 10_000,
    });
    expect(readEnvironment(LakeEnvironmentSchema, WORKER)).toEqual({ LAKE_BUCKET: 'a-bucket' });
  });

  it('returns the directions with details, and takes a stack without a login', () => {
    const changed = { DETAILS: 'recibidos,emitidos', TOKENS_SECRET: undefined };
    expect(readEnvironment(WorkerEnvironmentSchema, { ...WORKER, ...changed })).toMatchObject({
      DETAILS: ['recibidos', 'emitidos'],
    });
  });

  it.each([
    [{ DETAILS: '' }, 'DETAILS is empty'],
    [{ DETAILS: 'emitidos,' }, 'DETAILS.1 must be recibidos or emitidos'],
    [{ MAX_DETAILS_PER_UNIT: '0' }, 'MAX_DETAILS_PER_UNIT must be a whole number from 1'],
    [{ MAX_DETAILS_PER_UNIT: undefined }, 'MAX_DETAILS_PER_UNIT is missing'],
  ])('refuses %j', (changes, message) => {
    expect(() => readEnvironment(WorkerEnvironmentSchema, { ...WORKER, ...changes })).toThrow(message);
  });

  it('names everything that is wrong at once', () => {
    const environment = { API_ADDRESS: '', REQUESTS_PER_COMPANY: 'many', COMPANIES_SECRET: 's' };
    expect(() => readEnvironment(WorkerEnvironmentSchema, environment)).toThrow(
      /environment is wrong; deploy the stack again: API_ADDRESS is empty; LAKE_BUCKET is missing; .*REQUESTS_PER_COMPANY must be a whole number/,
    );
  });
});

it('makes a value when it is first asked for, again after a failure, and keeps it', () => {
  let attempts = 0;
  const value = once(() => {
    attempts += 1;
    if (attempts === 1) throw new Error('not yet');
    return attempts;
  });
  expect(attempts).toBe(0);
  expect(() => value()).toThrow('not yet');
  expect([value(), value()]).toEqual([2, 2]);
});
