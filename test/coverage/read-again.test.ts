import { expect, it } from 'vitest';
import { readAgainCommand } from '../../lib/coverage/read-again.ts';

const API = { api: 'https://api.example.com/v2' };
const SANDBOX = { sandbox: { seed: '1' } };
const EXPORT = 'npm run -s cfe-lake -- export';

it.each([
  ['s3://bucket/lake', undefined, 'npm run -s cfe-lake -- backfill'],
  ['./lake', API, `${EXPORT} --lake ./lake --companies companies.json --api https://api.example.com/v2`],
  ['/data/the lake', API, `${EXPORT} --lake '/data/the lake' --companies companies.json --api ${API.api}`],
  ['./lake-sandbox', SANDBOX, `${EXPORT} --lake ./lake-sandbox`],
  ['./lake', undefined, `${EXPORT} --lake ./lake --companies companies.json`],
] as const)('days of %s, of %j, are read again by the command that fills it', (lake, source, command) => {
  expect(readAgainCommand('npm run -s cfe-lake --', lake, source)).toBe(command);
});
