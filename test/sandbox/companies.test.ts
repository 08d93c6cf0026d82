import { expect, it } from 'vitest';
import { isValidRut } from '../../lib/units/rut.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';

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

it('refuses more companies than ids can encode', () => {
  expect(() => sandboxCompanies(8193)).toThrow(RangeError);
  expect(() => sandboxCompanies(-1)).toThrow(RangeError);
});
