import { describe, expect, it } from 'vitest';
import { CompanyAccess, type TokenSource } from '../../lib/api/access.ts';
import { FakeTokens, RUT } from '../support/api/api-client.ts';

it("a company's token is read again after a failed reading", async () => {
  const answers = [Promise.reject(new Error('the secret store is busy')), Promise.resolve('one')];
  const source: TokenSource = {
    current: () => answers.shift() ?? Promise.resolve('another'),
    renew: () => Promise.resolve('another'),
  };
  const access = new CompanyAccess(RUT, source);
  await expect(access.tokenInUse()).rejects.toThrow('the secret store is busy');
  expect(await access.tokenInUse()).toBe('one');
  expect(await access.tokenInUse()).toBe('one');
});

describe('a token that was refused', () => {
  it('is renewed once, even if other requests are refused during the renewal', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const tokens = new FakeTokens('one', 'two', 'three');
      const access = new CompanyAccess(RUT, tokens);
      const first = access.renewedToken('one');
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const others = [access.renewedToken('one'), access.renewedToken('one')];
      expect([...(await Promise.all([first, ...others])), tokens.renewals]).toEqual(['two', 'two', 'two', 1]);
    }
  });

  it('is not renewed when another one is already in use', async () => {
    const tokens = new FakeTokens('one', 'two', 'three');
    const access = new CompanyAccess(RUT, tokens);
    await access.renewedToken('one');
    expect(await access.renewedToken('one')).toBe('two');
    expect(tokens.renewals).toBe(1);
  });

  it('has no successor while the source returns the same one, and the source is asked once', async () => {
    const tokens = new FakeTokens('one', 'one', 'two');
    const access = new CompanyAccess(RUT, tokens);
    expect(await access.renewedToken('one')).toBeUndefined();
    expect(await access.renewedToken('one')).toBeUndefined();
    expect(tokens.renewals).toBe(1);
    expect(await access.tokenInUse()).toBe('one');
  });

  it('may be in no answer to the next one', async () => {
    const access = new CompanyAccess(RUT, new FakeTokens('one', 'two', 'three'));
    expect(access.secretsBeside('one')).toEqual([{ text: 'one' }]);
    await access.renewedToken('one');
    expect(access.secretsBeside('two')).toEqual([{ text: 'two' }, { text: 'one' }]);
  });

  it('is renewed again when its successor is refused', async () => {
    const tokens = new FakeTokens('one', 'two', 'three');
    const access = new CompanyAccess(RUT, tokens);
    await access.renewedToken('one');
    expect(await access.renewedToken('two')).toBe('three');
  });

  it('is renewed later when the source failed, and every waiting request learns of the failure', async () => {
    let renewals = 0;
    const access = new CompanyAccess(RUT, {
      current: async () => 'one',
      renew: async () => {
        renewals += 1;
        if (renewals === 1) throw new Error('the secret store is busy');
        return 'two';
      },
    });
    const outcomes = await Promise.allSettled([access.renewedToken('one'), access.renewedToken('one')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(renewals).toBe(1);
    expect(await access.renewedToken('one')).toBe('two');
  });
});
