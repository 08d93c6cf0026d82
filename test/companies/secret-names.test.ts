import { describe, expect, it } from 'vitest';
import { beginningOfRuts, nameOfSecret, namesFor } from '../../lib/companies/secret-names.ts';

const BASE = 'cfe-lake/companies';
const RUT = '214844360018';

describe('namesFor', () => {
  it('gives the names that may hold a RUT, from its own secret to the common one', () => {
    const names = namesFor(BASE, RUT);
    expect(names).toHaveLength(13);
    expect(names[0]).toBe(`${BASE}/${RUT}`);
    expect(names[11]).toBe(`${BASE}/2`);
    expect(names[12]).toBe(BASE);
  });

  it('stays within what one batch read takes', () => {
    expect(namesFor(BASE, RUT).length).toBeLessThanOrEqual(20);
  });

  it('gives just the names whose beginning the RUT has', () => {
    for (const name of namesFor(BASE, RUT)) {
      const beginning = beginningOfRuts(BASE, name);
      expect(RUT.startsWith(beginning ?? 'not a companies secret')).toBe(true);
    }
  });
});

describe('beginningOfRuts', () => {
  it.each([
    [BASE, ''],
    [`${BASE}/21`, '21'],
    [`${BASE}/${RUT}`, RUT],
    [`${BASE}/north`, 'unusable'],
    [`${BASE}/`, 'unusable'],
    [`${BASE}/2148443600181`, 'unusable'],
    [`${BASE}-old`, undefined],
    [`${BASE}2`, undefined],
  ])('%s: %s', (name, beginning) => {
    expect(beginningOfRuts(BASE, name)).toBe(beginning);
  });
});

it('nameOfSecret finds the name in an ARN, and leaves a name as it is', () => {
  const arn = (name: string) =>
    `arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:${name}-AbC123`;
  for (const name of [BASE, `${BASE}/21`, `${BASE}-a-bcdefg`]) {
    expect(nameOfSecret(arn(name))).toBe(name);
    expect(nameOfSecret(name)).toBe(name);
  }
});
