import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { type CompanyToLogIn, login } from './login.ts';

/** What Secrets Manager calls a rotation function with, once for each step. */
const RotationEvent = v.object({
  SecretId: v.string(),
  /** The name of the version that is being made. */
  ClientRequestToken: v.string(),
  Step: v.picklist(['createSecret', 'setSecret', 'testSecret', 'finishSecret']),
});
type RotationEvent = v.InferOutput<typeof RotationEvent>;

const TOKEN = /^[\x21-\x7e]+$/;

const Companies = v.looseObject({
  companies: v.pipe(
    v.array(
      v.looseObject({
        rut: v.pipe(v.string(), v.regex(/^\d{12}$/)),
        token: v.pipe(v.string(), v.regex(TOKEN)),
        name: v.optional(v.string()),
      }),
    ),
    v.minLength(1),
  ),
});
type Companies = v.InferOutput<typeof Companies>;

/** Nobody's token changes. Names companies, never a token. */
export class NobodyLoggedInError extends Error {
  override name = 'NobodyLoggedInError';
  constructor(ruts: readonly string[]) {
    super(`No company could log in: ${ruts.join(', ')}. The secret stays as it is.`);
  }
}

/** A login returned something that cannot be a token, such as an empty text or one with a space. */
export class UnusableTokenError extends Error {
  override name = 'UnusableTokenError';
}

/** The secret has another shape; its content is not repeated in the message. */
export class SecretShapeError extends Error {
  override name = 'SecretShapeError';
  constructor() {
    super('The secret must be {"companies": [{"rut", "token", "name"?}], "api"?} with at least one company.');
  }
}

export interface RotationTools {
  client: SecretsManagerClient;
  login(company: CompanyToLogIn): Promise<string>;
  /** Told who could not log in. */
  log(message: string): void;
}

/**
 * Renews the tokens of a secret of companies: one new version with everybody's new token. A company whose login fails
 * keeps its token, and is logged. When all fail, the step fails and no version is created.
 */
export async function rotate(event: unknown, tools: RotationTools): Promise<void> {
  const rotation = v.parse(RotationEvent, event);
  switch (rotation.Step) {
    case 'createSecret':
      return await createVersion(rotation, tools);
    case 'testSecret':
      await readVersion(tools.client, rotation.SecretId, 'AWSPENDING');
      return;
    case 'finishSecret':
      return await makeCurrent(rotation, tools.client);
    default:
      // A token is valid once issued: there is nothing to set anywhere.
      return;
  }
}

async function createVersion(
  { SecretId, ClientRequestToken }: RotationEvent,
  tools: RotationTools,
): Promise<void> {
  const { client } = tools;
  const current = await readVersion(client, SecretId, 'AWSCURRENT');
  // Secrets Manager repeats a step when it did not see its end.
  if (await hasVersion(client, SecretId, ClientRequestToken)) return;
  const companies: Companies['companies'] = [];
  const failed: string[] = [];
  for (const company of current.companies) {
    const { token: _, ...toLogIn } = company;
    try {
      companies.push({ ...company, token: usable(await tools.login(toLogIn)) });
    } catch (error) {
      companies.push(company);
      failed.push(company.rut);
      tools.log(`RUT ${company.rut} could not log in (${error instanceof Error ? error.name : 'unknown'})`);
    }
  }
  if (failed.length === companies.length) throw new NobodyLoggedInError(failed);
  await client.send(
    new PutSecretValueCommand({
      SecretId,
      ClientRequestToken,
      SecretString: JSON.stringify({ ...current, companies }),
      VersionStages: ['AWSPENDING'],
    }),
  );
}

/** A version that fails in a later step would block the next rotation. */
function usable(token: string): string {
  if (TOKEN.test(token)) return token;
  throw new UnusableTokenError();
}

async function makeCurrent(
  { SecretId, ClientRequestToken }: RotationEvent,
  client: SecretsManagerClient,
): Promise<void> {
  const { VersionIdsToStages: stages = {} } = await client.send(new DescribeSecretCommand({ SecretId }));
  const current = Object.keys(stages).find((version) => stages[version]?.includes('AWSCURRENT'));
  if (current === ClientRequestToken) return;
  await client.send(
    new UpdateSecretVersionStageCommand({
      SecretId,
      VersionStage: 'AWSCURRENT',
      MoveToVersionId: ClientRequestToken,
      RemoveFromVersionId: current,
    }),
  );
}

async function hasVersion(
  client: SecretsManagerClient,
  SecretId: string,
  VersionId: string,
): Promise<boolean> {
  try {
    await client.send(new GetSecretValueCommand({ SecretId, VersionId, VersionStage: 'AWSPENDING' }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}

async function readVersion(
  client: SecretsManagerClient,
  SecretId: string,
  VersionStage: string,
): Promise<Companies> {
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId, VersionStage }));
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Companies), SecretString);
  if (!parsed.success) throw new SecretShapeError();
  return parsed.output;
}

const client = new SecretsManagerClient({ maxAttempts: 5 });

/** The Lambda. */
export const handler = (event: unknown): Promise<void> => rotate(event, { client, login, log: console.log });
