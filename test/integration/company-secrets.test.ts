import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, describe, expect, it } from 'vitest';
import { describeProblem } from '../../lib/companies/company.ts';
import { listCompanies, secretTokenSource } from '../../lib/companies/secrets-manager.ts';
import { clientSettings, startAwsServer, startStandIn } from '../support/aws/aws-server.ts';
import { campaign } from '../support/campaign.ts';

const server = await campaign({ quick: startStandIn, long: startAwsServer })();
const client = new SecretsManagerClient(clientSettings(server));
afterAll(async () => {
  client.destroy();
  await server.close();
});

const A = '211003420017';
const B = '219999830019';
const C = '214844360018';

async function createSecret(Name: string, value: unknown): Promise<void> {
  await client.send(new CreateSecretCommand({ Name, SecretString: JSON.stringify(value) }));
}

const tokenOf = (baseName: string, rut: string) => secretTokenSource(client, baseName, rut).current();

describe(`companies in Secrets Manager on ${server.name}`, () => {
  it('are read from one secret, as a list for a run and one by one for workers', async () => {
    await createSecret('one/companies', {
      companies: [
        { rut: B, token: 'tok-b' },
        { rut: A, token: 'tok-a', name: 'Ñandú' },
      ],
    });
    expect(await listCompanies(client, 'one/companies')).toEqual({
      ruts: [A, B],
      problems: [],
      expiries: new Map(),
    });
    expect(await tokenOf('one/companies', A)).toBe('tok-a');
    expect(await tokenOf('one/companies', B)).toBe('tok-b');
    await expect(tokenOf('one/companies', C)).rejects.toThrow(`RUT ${C} has no usable entry`);
  });

  it('are read from more secrets than one page has', async () => {
    await createSecret('many/companies', { [A]: 'tok-a' });
    await createSecret('many/companies-old', { [C]: 'not this one' });
    await createSecret(`many/companies/${B}`, { [B]: 'tok-b' });
    await createSecret('many/companies/2148', { [C]: 'tok-c', [A]: 'misplaced' });
    for (let n = 10; n < 35; n += 1) await createSecret(`many/companies/2${n}9`, { companies: 'none' });
    const { ruts, problems } = await listCompanies(client, 'many/companies');
    expect(ruts).toEqual([A, C, B]);
    expect(problems).toHaveLength(26);
    expect(problems.map(describeProblem)).toContain(
      `secret many/companies/2148, entry 2, RUT ${A}: this secret is for RUTs that begin with 2148: move the entry to another`,
    );
    expect(await Promise.all([A, B, C].map((rut) => tokenOf('many/companies', rut)))).toEqual([
      'tok-a',
      'tok-b',
      'tok-c',
    ]);
  });

  it('have the current token when it is renewed', async () => {
    await createSecret('renewed/companies', { [A]: 'before' });
    const source = secretTokenSource(client, 'renewed/companies', A);
    expect(await source.current()).toBe('before');
    const SecretString = JSON.stringify({ [A]: 'after' });
    await client.send(new PutSecretValueCommand({ SecretId: 'renewed/companies', SecretString }));
    expect(await source.renew('refused')).toBe('after');
  });

  it('are reported as missing when there is no secret', async () => {
    await expect(listCompanies(client, 'none/companies')).rejects.toThrow(
      /There is no secret named .*aws secretsmanager create-secret/,
    );
    await expect(tokenOf('none/companies', A)).rejects.toThrow('has no usable entry');
  });
});
