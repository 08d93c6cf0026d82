import { expect, it } from 'vitest';
import { once } from '../../lib/lambda/once.ts';

it('makes the value when it is first asked for, and keeps it', () => {
  let made = 0;
  const value = once(() => {
    made += 1;
    return { made };
  });
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});

it('tries again after a failure', () => {
  let attempts = 0;
  const value = once(() => {
    attempts += 1;
    if (attempts === 1) throw new Error('not yet');
    return attempts;
  });
  expect(() => value()).toThrow('not yet');
  expect(value()).toBe(2);
});
