import {
  BatchGetSecretValueCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  SecretsManagerServiceException,
} from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeProblem } from '../../lib/companies/company.ts';
import {
  beginningOfRuts,
  listCompanies,
  nameOfSecret,
  namesFor,
} from '../../lib/companies/secrets-manager.ts';

const BASE = 'cfe-lake/companies';
const RUT = '214844360018';

describe('namesFor', () => {
  it('returns the names that may hold a RUT, from its own secret to the common one', () => {
    const names = namesFor(BASE, RUT);
    expect(names).toHaveLength(13);
    expect(names[0]).toBe(`${BASE}/${RUT}`);
    expect(names[11]).toBe(`${BASE}/2`);
    expect(names[12]).toBe(BASE);
  });

  it('returns only names that may hold the RUT, by beginningOfRuts', () => {
    for (const name of namesFor(BASE, RUT)) {
      const beginning = beginningOfRuts(BASE, name);
      expect(RUT.startsWith(beginning ?? 'not a companies secret')).toBe(true);
    }
  });
});

it.each([
  [BASE, ''],
  [`${BASE}/21`, '21'],
  [`${BASE}/${RUT}`, RUT],
  [`${BASE}/north`, 'unusable'],
  [`${BASE}/`, 'unusable'],
  [`${BASE}/2148443600181`, 'unusable'],
  [`${BASE}-old`, undefined],
  [`${BASE}2`, undefined],
])('the RUTs of the secret %s begin with %s', (name, beginning) => {
  expect(beginningOfRuts(BASE, name)).toBe(beginning);
});

it('nameOfSecret finds the name in an ARN, and leaves a name as it is', () => {
  const arn = (name: string) =>
    `arn:aws-us-gov:secretsmanager:us-gov-west-1:123456789012:secret:${name}-AbC123`;
  for (const name of [BASE, `${BASE}/21`, `${BASE}-a-bcdefg`]) {
    expect(nameOfSecret(arn(name))).toBe(name);
    expect(nameOfSecret(name)).toBe(name);
  }
});

const A = '211003420017';
const B = '219999830019';
const C = '214844360018';
const TOKEN = 'tok-3f9a';

const client = new SecretsManagerClient({});
const service = mockClient(client);

const secret = (Name: string, value: unknown) => ({
  Name,
  SecretString: typeof value === 'string' ? value : JSON.stringify(value),
});
const companies = (...ruts: string[]) => ({ companies: ruts.map((rut) => ({ rut, token: TOKEN })) });

function failure(name: string): SecretsManagerServiceException {
  return new SecretsManagerServiceException({
    name,
    $fault: 'client',
    $metadata: {},
    message: `no: ${TOKEN}`,
  });
}

async function listed() {
  const { ruts, problems } = await listCompanies(client, BASE);
  return { ruts, problems: problems.map(describeProblem) };
}

beforeEach(() => {
  service.reset();
  service
    .on(GetSecretValueCommand)
    .rejects(new ResourceNotFoundException({ $metadata: {}, message: 'no such secret' }));
  service.on(ListSecretsCommand).resolves({ SecretList: [{ Name: `${BASE}-old` }] });
});

describe('listCompanies', () => {
  it('finds a secret that was created a moment ago and is not in the list yet', async () => {
    service.on(BatchGetSecretValueCommand).resolves({ SecretValues: [] });
    service.on(GetSecretValueCommand, { SecretId: BASE }).resolves(secret(BASE, companies(A)));
    expect(await listed()).toEqual({ ruts: [A], problems: [] });
  });

  it('needs no secret of the base name, whether the service says that it is missing or denies it', async () => {
    service.on(BatchGetSecretValueCommand).resolves({ SecretValues: [secret(`${BASE}/${A}`, companies(A))] });
    expect(await listed()).toEqual({ ruts: [A], problems: [] });
    service.on(GetSecretValueCommand).rejects(failure('AccessDeniedException'));
    expect(await listed()).toEqual({ ruts: [A], problems: [] });
    service.on(GetSecretValueCommand).rejects(failure('ThrottlingException'));
    await expect(listed()).rejects.toThrow(/ThrottlingException/);
    service.on(BatchGetSecretValueCommand).resolves({});
    service.on(GetSecretValueCommand).rejects(failure('AccessDeniedException'));
    await expect(listed()).rejects.toThrow(/There is no secret named/);
    service.on(ListSecretsCommand).resolves({ SecretList: [{ Name: BASE }] });
    await expect(listed()).rejects.toThrow(/If the secret exists/);
  });

  it('returns the good companies along with what is wrong, and names the secret and the entry', async () => {
    service.on(BatchGetSecretValueCommand).resolves({
      SecretValues: [
        secret(BASE, {
          companies: [
            { rut: A, token: TOKEN },
            { rut: '210303670014', token: TOKEN },
          ],
        }),
        secret(`${BASE}/214`, `{"companies": [{"rut": "${C}", "token": "${TOKEN}"`),
        { Name: `${BASE}/22`, SecretBinary: Buffer.from(TOKEN) },
        secret(`${BASE}/north`, companies(C)),
        secret(`${BASE}/219`, companies(B)),
      ],
      Errors: [
        // The service names it by its ARN.
        {
          SecretId: `arn:aws:secretsmanager:us-east-1:123456789012:secret:${BASE}/20-AbC123`,
          ErrorCode: 'DecryptionFailure',
          Message: TOKEN,
        },
        { SecretId: `${BASE}-old`, ErrorCode: 'DecryptionFailure', Message: TOKEN },
      ],
    });
    const { ruts, problems } = await listed();
    expect(ruts).toEqual([A, B]);
    expect(problems).toEqual([
      `secret ${BASE}, entry 2, RUT 210303670014: the RUT is not valid: its check digit is wrong; look for a typing error`,
      `secret ${BASE}/20: it could not be read (DecryptionFailure)`,
      expect.stringMatching(/^secret .*\/214: it is not JSON/),
      `secret ${BASE}/22: it holds binary data: store the JSON as text (--secret-string)`,
      `secret ${BASE}/north: its name must be ${BASE}/ and the first digits of the RUTs that it holds`,
    ]);
    expect(problems.join()).not.toContain(TOKEN);
  });

  it.each(['AccessDeniedException', 'DecryptionFailure'])(
    'reports an existing base secret that cannot be read (%s), and exports the others',
    async (code) => {
      service
        .on(BatchGetSecretValueCommand)
        .resolves({ SecretValues: [secret(`${BASE}/211`, companies(A))] });
      service.on(GetSecretValueCommand).rejects(failure(code));
      service
        .on(ListSecretsCommand)
        .resolvesOnce({ SecretList: [{ Name: `${BASE}/211` }], NextToken: 'p2' })
        .resolvesOnce({ SecretList: [{ Name: BASE }] });
      expect(await listed()).toEqual({
        ruts: [A],
        problems: [`secret ${BASE}: it could not be read (${code})`],
      });
    },
  );

  it('lists no company of the one secret whose api is faulty, and those of the others', async () => {
    const faulty = { api: '', companies: companies(B).companies };
    service.on(BatchGetSecretValueCommand).resolves({
      SecretValues: [secret(`${BASE}/211`, companies(A)), secret(`${BASE}/219`, faulty)],
    });
    expect(await listed()).toEqual({
      ruts: [A],
      problems: [expect.stringMatching(/^secret .*\/219: its "api"/)],
    });
  });

  it('counts a RUT that is in two secrets once, and says where the second one is', async () => {
    service.on(BatchGetSecretValueCommand).resolves({
      SecretValues: [secret(BASE, companies(B, A)), secret(`${BASE}/21`, companies(C, A))],
    });
    expect(await listed()).toEqual({
      ruts: [A, C, B],
      problems: [`secret ${BASE}/21, entry 2, RUT ${A}: secret ${BASE} has the same RUT: keep one of them`],
    });
  });

  it('tells the first end of the tokens of a RUT that is in two secrets: a worker may take either', async () => {
    const ending = (seconds: number) => {
      const payload = Buffer.from(JSON.stringify({ exp: seconds })).toString('base64url');
      return { companies: [{ rut: A, token: `eyJhbGciOiJSUzI1NiJ9.${payload}.c2ln` }] };
    };
    for (const [first, second] of [
      [2_000_000_000, 1_700_000_000],
      [1_700_000_000, 2_000_000_000],
    ] as const) {
      service.on(BatchGetSecretValueCommand).resolves({
        SecretValues: [secret(BASE, ending(first)), secret(`${BASE}/211`, ending(second))],
      });
      const { expiries } = await listCompanies(client, BASE);
      expect(expiries.get(A)).toEqual(new Date(1_700_000_000_000));
    }
  });

  it.each([
    [
      'AccessDeniedException',
      /could not be read \(AccessDeniedException\)\. If the secret exists, allow secretsmanager:/,
    ],
    ['ThrottlingException', /Too many requests at once/],
    ['InternalServiceError', /Try again/],
  ])('fails with a message of its own after %s', async (name, message) => {
    service.on(BatchGetSecretValueCommand).rejects(failure(name));
    const listing = listed();
    await expect(listing).rejects.toThrow(message);
    await expect(listing).rejects.not.toThrow(TOKEN);
  });
});
