import { expect, it } from 'vitest';
import { isValidRut } from '../../lib/units/rut.ts';
import {
  CUSTOMERS,
  partiesOf,
  SUPPLIERS,
  sandboxCompanies,
  sandboxToken,
} from '../../sandbox/generator/parties.ts';

it('makes the same companies every time, by default the first four', () => {
  expect(sandboxCompanies()).toEqual(sandboxCompanies(1000).slice(0, 4));
  expect(sandboxCompanies().map(({ rut }) => rut)).toEqual([
    '219999830019',
    '214844360018',
    '218617380010',
    '214198620015',
  ]);
});

it('gives every company a valid RUT, a name and a token, none twice', () => {
  const companies = sandboxCompanies(1000);
  for (const { rut, name } of companies) {
    expect(rut).toSatisfy(isValidRut);
    expect(name).not.toBe('');
  }
  expect(new Set(companies.map(({ rut }) => rut)).size).toBe(1000);
  expect(new Set(companies.map(({ token }) => token)).size).toBe(1000);
});

it('shares no supplier or customer between companies', () => {
  const documents = Array.from({ length: 50 }, (_, position) => {
    const partyOf = partiesOf(position);
    return Array.from({ length: SUPPLIERS + CUSTOMERS }, (_slot, slot) => partyOf(slot).document);
  }).flat();
  expect(documents.filter((document) => !isValidRut(document))).toEqual([]);
  expect(new Set(documents).size).toBe(documents.length);
});

it('makes tokens that look like the JWTs of the service', () => {
  const [header, payload, signature] = sandboxToken('219999830019').split('.');
  const decoded = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT' });
  expect(decoded(payload)).toMatchObject({ sub: '219999830019', exp: 4_102_444_800 });
  expect(Buffer.from(signature ?? '', 'base64url')).toHaveLength(256);
});

it('refuses more companies than ids can encode', () => {
  expect(() => sandboxCompanies(8193)).toThrow(RangeError);
  expect(() => sandboxCompanies(-1)).toThrow(RangeError);
});
