import {
  BatchGetSecretValueCommand,
  SecretsManagerClient,
  SecretsManagerServiceException,
} from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { CompanyAccess } from '../../lib/api/access.ts';
import { namesFor, secretTokenSource } from '../../lib/companies/secrets-manager.ts';

const BASE = 'cfe-lake/companies';
const A = '211003420017';
const B = '219999830019';

const client = new SecretsManagerClient({});
const service = mockClient(client);

const secret = (Name: string, tokens: Record<string, string>) => ({
  Name,
  SecretString: JSON.stringify(tokens),
});
const throttled = new SecretsManagerServiceException({
  name: 'ThrottlingException',
  $fault: 'client',
  $metadata: {},
  message: 'Rate exceeded',
});
const source = () => secretTokenSource(client, BASE, A);

beforeEach(() => void service.reset());

describe('secretTokenSource', () => {
  it('asks in one request, by name, for the secrets that may hold the RUT and for no other', async () => {
    service
      .on(BatchGetSecretValueCommand)
      .resolves({ SecretValues: [secret(BASE, { [A]: 'one', [B]: 'two' })] });
    expect(await source().current()).toBe('one');
    const calls = service.commandCalls(BatchGetSecretValueCommand);
    expect(calls.map(({ args }) => args[0].input)).toEqual([{ SecretIdList: namesFor(BASE, A) }]);
  });

  it('uses the most specific secret, in whatever order they come', async () => {
    const SecretValues = [
      secret(BASE, { [A]: 'common' }),
      secret(`${BASE}/${A}`, { [A]: 'own' }),
      secret(`${BASE}/21`, { [A]: 'shared' }),
    ];
    service.on(BatchGetSecretValueCommand).resolves({ SecretValues });
    expect(await source().current()).toBe('own');
  });

  it('reads the secret again after a reading that failed, so that the next request has a token', async () => {
    service
      .on(BatchGetSecretValueCommand)
      .rejectsOnce(throttled)
      .resolves({ SecretValues: [secret(BASE, { [A]: 'one' })] });
    const access = new CompanyAccess(A, source());
    await expect(access.tokenInUse()).rejects.toThrow('ThrottlingException');
    expect([await access.tokenInUse(), await access.tokenInUse()]).toEqual(['one', 'one']);
    expect(service.commandCalls(BatchGetSecretValueCommand)).toHaveLength(2);
  });

  it('is read again once after a refusal, and not again while it stays the same', async () => {
    service.on(BatchGetSecretValueCommand).resolves({ SecretValues: [secret(BASE, { [A]: 'stale' })] });
    const access = new CompanyAccess(A, source());
    expect(await access.tokenInUse()).toBe('stale');
    expect(await access.renewedToken('stale')).toBeUndefined();
    expect(await access.renewedToken('stale')).toBeUndefined();
    expect(service.commandCalls(BatchGetSecretValueCommand)).toHaveLength(2);
  });

  it('skips secrets that are missing, broken or without the RUT', async () => {
    service.on(BatchGetSecretValueCommand).resolves({
      SecretValues: [
        { Name: `${BASE}/2110`, SecretString: '{' },
        secret(`${BASE}/21`, { [B]: 'two' }),
        secret(BASE, { [A]: 'one' }),
      ],
      Errors: [{ SecretId: `${BASE}/2`, ErrorCode: 'ResourceNotFoundException' }],
    });
    expect(await source().current()).toBe('one');
  });

  it('names the RUT, the secret and what is wrong in it when there is no token', async () => {
    service.on(BatchGetSecretValueCommand).resolves({
      SecretValues: [
        {
          Name: `${BASE}/21`,
          SecretString: `{"companies":[{"rut":"${A}","token":"not one token"},{"rut":"1"}]}`,
        },
        secret(BASE, { [B]: 'two' }),
      ],
    });
    const reading = source().current();
    await expect(reading).rejects.toThrow(
      new RegExp(
        `^RUT ${A} has no usable entry in the secret ${BASE} .*\\(secret ${BASE}/21, entry 1, RUT ${A}: the token has`,
      ),
    );
  });

  it('takes no token from a secret whose api is faulty', async () => {
    const SecretString =
      '{"api": "https://a.example", "api": "https://b.example", "companies": [{"rut": "211003420017", "token": "one"}]}';
    service.on(BatchGetSecretValueCommand).resolves({ SecretValues: [{ Name: BASE, SecretString }] });
    const api = new URL('https://a.example');
    for (const options of [{}, { api }]) {
      const reading = secretTokenSource(client, BASE, A, options).current();
      await expect(reading).rejects.toThrow(`RUT ${A} has no usable entry in the secret ${BASE}`);
      await expect(reading).rejects.toThrow('api');
    }
  });

  it('says which secret could not be read, when that one may have held it', async () => {
    service.on(BatchGetSecretValueCommand).resolves({
      Errors: [
        { SecretId: BASE, ErrorCode: 'ResourceNotFoundException' },
        { SecretId: `${BASE}/21`, ErrorCode: 'DecryptionFailure' },
      ],
    });
    await expect(source().current()).rejects.toThrow(
      `The secret ${BASE}/21 could not be read (DecryptionFailure). Allow kms:Decrypt`,
    );
  });

  it('takes a name that AWS denies for one that no secret has, but says so when there is no token', async () => {
    const denied = namesFor(BASE, A).slice(0, -1);
    const Errors = denied.map((SecretId) => ({ SecretId, ErrorCode: 'AccessDeniedException' }));
    service
      .on(BatchGetSecretValueCommand)
      .resolvesOnce({ SecretValues: [secret(BASE, { [A]: 'one' })], Errors });
    expect(await source().current()).toBe('one');
    service.on(BatchGetSecretValueCommand).resolves({ SecretValues: [secret(BASE, { [B]: 'two' })], Errors });
    const reading = source().current();
    await expect(reading).rejects.toThrow(`RUT ${A} has no usable entry in the secret ${BASE}`);
    await expect(reading).rejects.toThrow(`AWS denied ${BASE}/${A} and 11 more (AccessDeniedException)`);
  });
});

describe('where companies were found before', () => {
  /** Makes Secrets Manager hold these secrets. */
  function holding(...secrets: ReturnType<typeof secret>[]): void {
    service
      .on(BatchGetSecretValueCommand)
      .callsFake(async ({ SecretIdList: names = [] }: { SecretIdList?: string[] }) => ({
        SecretValues: secrets.filter(({ Name }) => names.includes(Name)),
        Errors: names
          .filter((name) => secrets.every(({ Name }) => Name !== name))
          .map((SecretId) => ({ SecretId, ErrorCode: 'ResourceNotFoundException' })),
      }));
  }
  const asked = () =>
    service.commandCalls(BatchGetSecretValueCommand).map(({ args }) => args[0].input.SecretIdList);

  it('asks for names of that length only', async () => {
    holding(secret(`${BASE}/211`, { [A]: 'one' }), secret(`${BASE}/219`, { [B]: 'two' }));
    const foundLengths = new Set<number>();
    const tokensOf = (rut: string) => secretTokenSource(client, BASE, rut, { foundLengths });
    expect(await tokensOf(A).current()).toBe('one');
    expect(await tokensOf(B).current()).toBe('two');
    expect(await tokensOf(A).current()).toBe('one');
    expect(asked()).toEqual([namesFor(BASE, A), [`${BASE}/219`], [`${BASE}/211`]]);
  });

  it('asks for all of them when those do not have the company, and after a refusal', async () => {
    holding(secret(BASE, { [B]: 'two' }), secret(`${BASE}/${A}`, { [A]: 'own' }));
    const foundLengths = new Set([BASE.length]);
    const tokens = secretTokenSource(client, BASE, A, { foundLengths });
    expect(await tokens.current()).toBe('own');
    expect(asked()).toEqual([[BASE], namesFor(BASE, A)]);
    service.resetHistory();
    expect(await secretTokenSource(client, BASE, B, { foundLengths }).renew('refused')).toBe('two');
    expect(asked()).toEqual([namesFor(BASE, B)]);
  });

  it('asks for all of them when the likely secret can not be read: its own may be', async () => {
    service
      .on(BatchGetSecretValueCommand)
      .resolvesOnce({ Errors: [{ SecretId: BASE, ErrorCode: 'DecryptionFailure' }] })
      .resolvesOnce({
        SecretValues: [secret(`${BASE}/${A}`, { [A]: 'own' })],
        Errors: [{ SecretId: BASE, ErrorCode: 'DecryptionFailure' }],
      });
    const tokens = secretTokenSource(client, BASE, A, { foundLengths: new Set([BASE.length]) });
    expect(await tokens.current()).toBe('own');
  });
});
