import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';
import {
  AttachRolePolicyCommand,
  CreateAccessKeyCommand,
  CreateRoleCommand,
  CreateUserCommand,
  DeleteAccessKeyCommand,
  DeletePolicyCommand,
  DeleteRoleCommand,
  DeleteUserCommand,
  DeleteUserPolicyCommand,
  DetachRolePolicyCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListRolePoliciesCommand,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { ACCOUNT, REGION } from './emulator.ts';
import { type Ended, ended, PlayFailedError, run } from './process.ts';
import type { Company } from './truth.ts';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const CDK = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
/** Its template, without what a deployment does not compare: functions, SQL, columns and the workflow. */
const LAST_LANDING = fileURLToPath(new URL('last-landing.template', import.meta.url));
export const STACK = 'cfe-lake';
export const SECRET = 'cfe-lake/companies';
export const LOGIN_SECRET = 'cfe-lake/login';
export const TOKENS_SECRET = 'cfe-lake/tokens';

/** Who asks: the environment with their keys. */
export type Person = NodeJS.ProcessEnv;

/** A folder of somebody who deploys this checkout to the emulator, with their settings, and nobody else's environment. */
export class Deployer {
  readonly folder: string;
  /** The account's root. */
  readonly root: Person;
  private settings: Readonly<Record<string, unknown>> = {};

  constructor(folder: string, endpoint: string, certFile: string) {
    this.folder = join(folder, 'deployer');
    mkdirSync(this.folder);
    const cdk = JSON.parse(readFileSync(join(CHECKOUT, 'cdk.json'), 'utf8'));
    // CDK runs the app in this folder, where the settings are.
    const app = `"${process.execPath}" "${join(CHECKOUT, 'bin/app.ts')}"`;
    writeFileSync(join(this.folder, 'cdk.json'), JSON.stringify({ ...cdk, app }));
    this.root = {
      PATH: `${join(CHECKOUT, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: this.folder,
      XDG_CACHE_HOME: this.folder,
      TMPDIR: process.env.TMPDIR ?? '/tmp',
      AWS_ACCESS_KEY_ID: ACCOUNT,
      AWS_SECRET_ACCESS_KEY: 'root',
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      // An IP address: AWS's SDKs then name buckets in the path.
      AWS_ENDPOINT_URL: endpoint,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: join(this.folder, 'none'),
      AWS_SHARED_CREDENTIALS_FILE: join(this.folder, 'none'),
      AWS_CA_BUNDLE: certFile,
      NODE_EXTRA_CA_CERTS: certFile,
      NODE_COMPILE_CACHE: join(CHECKOUT, 'node_modules/.cache/compiled'),
    };
  }

  /** Runs CDK to an end with this code, and returns what it printed: the only place that does. */
  async cdk(words: readonly string[], endsWith = 0): Promise<string> {
    const place = { cwd: this.folder, env: this.root };
    const { code, stdout, stderr } = await run(process.execPath, [CDK, ...words], place);
    return ended(`cdk ${words[0]}`, { code, stdout: `${stdout}${stderr}`, stderr: '' }, endsWith);
  }

  /** Runs a command of the program, as this person. */
  async cli(words: readonly string[], person: Person = this.root): Promise<Ended> {
    const program = [join(CHECKOUT, 'bin/cfe-lake.ts'), ...words];
    return await run(process.execPath, program, { cwd: this.folder, env: person });
  }

  /** Changes settings of the file, or removes those that are undefined, and deploys. Returns what CDK printed. */
  async deploy(settings: Readonly<Record<string, unknown>> = {}): Promise<string> {
    this.settings = { ...this.settings, ...settings };
    writeFileSync(join(this.folder, 'cfe-lake.config.json'), JSON.stringify(this.settings));
    return await this.cdk(['deploy', '--require-approval', 'never']);
  }

  async destroy(): Promise<void> {
    await this.cdk(['destroy', '--force']);
  }

  /** The companies' file, as for the program, and the secret with the same content. */
  async createSecret(address: string, companies: readonly Company[]): Promise<string> {
    const file = join(this.folder, 'sandbox.companies.json');
    const content = JSON.stringify({ api: address, companies });
    writeFileSync(file, content, { mode: 0o600 });
    const client = new SecretsManagerClient(clientFor(this.root));
    await client.send(new CreateSecretCommand({ Name: SECRET, SecretString: content }));
    return file;
  }

  /** Creates another secret, or writes a new version of one that is there. */
  async writeSecret(
    name: string,
    value: object,
    { isNew = false, as = this.root }: { isNew?: boolean; as?: Person } = {},
  ): Promise<void> {
    const client = new SecretsManagerClient(clientFor(as));
    const SecretString = JSON.stringify(value);
    if (isNew) await client.send(new CreateSecretCommand({ Name: name, SecretString }));
    else await client.send(new PutSecretValueCommand({ SecretId: name, SecretString }));
  }

  async removeSecret(SecretId: string): Promise<void> {
    const client = new SecretsManagerClient(clientFor(this.root));
    await client.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
  }

  /** An output of the stack. Throws PlayFailedError if there is none. */
  async output(name: string): Promise<string> {
    const client = new CloudFormationClient(clientFor(this.root));
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName: STACK }));
    const found = stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (found === undefined) throw new PlayFailedError(`The stack has no output ${name}.`);
    return found;
  }

  /** Deploys the template of the last landing, as CloudFormation alone does: its functions do nothing. */
  async deployLastLanding(): Promise<void> {
    const client = new CloudFormationClient(clientFor(this.root));
    const TemplateBody = readFileSync(LAST_LANDING, 'utf8');
    const Capabilities = ['CAPABILITY_NAMED_IAM' as const];
    await client.send(new CreateStackCommand({ StackName: STACK, TemplateBody, Capabilities }));
    await waitUntilStackCreateComplete({ client, maxWaitTime: 120 }, { StackName: STACK });
  }

  /** A role that people take, with this policy and nothing else. */
  async makeRole(RoleName: string, PolicyArn: string): Promise<void> {
    const client = new IAMClient(clientFor(this.root));
    const Principal = { AWS: `arn:aws:iam::${ACCOUNT}:root` };
    const Statement = [{ Effect: 'Allow', Principal, Action: 'sts:AssumeRole' }];
    const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
    await client.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
    await client.send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
  }

  /** Removes a role, and the policy that the stack has no more where CloudFormation had to leave it. */
  async dropRole(RoleName: string, PolicyArn: string): Promise<void> {
    const client = new IAMClient(clientFor(this.root));
    const unlessGone = (error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'NoSuchEntityException') throw error;
    };
    await client.send(new DetachRolePolicyCommand({ RoleName, PolicyArn })).catch(unlessGone);
    await client.send(new DeletePolicyCommand({ PolicyArn })).catch(unlessGone);
    await client.send(new DeleteRoleCommand({ RoleName }));
  }

  /** The policy for such people, by its name: as a permission set of Identity Center names it. */
  policyOf(people: 'operator' | 'analyst'): string {
    return `arn:aws:iam::${ACCOUNT}:policy/${STACK}-${people}-${REGION}`;
  }

  /** A person in a role that has the policy of such people and nothing else. `leave` takes both back. */
  async person(people: 'operator' | 'analyst'): Promise<Employed> {
    const client = new IAMClient(clientFor(this.root));
    const RoleName = `${people}s`;
    const PolicyArn = this.policyOf(people);
    await this.makeRole(RoleName, PolicyArn);
    const home = join(this.folder, people);
    mkdirSync(home, { recursive: true });
    const keys = await assumeRole(this.root, `arn:aws:iam::${ACCOUNT}:role/${RoleName}`);
    return {
      person: { ...this.root, HOME: home, XDG_CACHE_HOME: home, ...keys },
      leave: async () => {
        await client.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
        await client.send(new DeleteRoleCommand({ RoleName }));
      },
    };
  }

  /** A person who may do what a function may, by the policies of its role: nobody but Lambda may take the role itself. */
  async personLike(FunctionName: string): Promise<Employed> {
    const client = new IAMClient(clientFor(this.root));
    const { Role = '' } = await new LambdaClient(clientFor(this.root)).send(
      new GetFunctionConfigurationCommand({ FunctionName }),
    );
    const RoleName = Role.split('/').at(-1);
    const { PolicyNames = [] } = await client.send(new ListRolePoliciesCommand({ RoleName }));
    const { person, leave } = await this.employ(FunctionName);
    for (const PolicyName of PolicyNames) {
      const { PolicyDocument = '' } = await client.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
      const inlinePolicy = {
        UserName: FunctionName,
        PolicyName,
        PolicyDocument: decodeURIComponent(PolicyDocument),
      };
      await client.send(new PutUserPolicyCommand(inlinePolicy));
    }
    return {
      person,
      leave: async () => {
        for (const PolicyName of PolicyNames)
          await client.send(new DeleteUserPolicyCommand({ UserName: FunctionName, PolicyName }));
        await leave();
      },
    };
  }

  private async employ(name: string): Promise<Employed> {
    const client = new IAMClient(clientFor(this.root));
    await client.send(new CreateUserCommand({ UserName: name }));
    const { AccessKey: key } = await client.send(new CreateAccessKeyCommand({ UserName: name }));
    // Of a cache that others fill, they would need no permission.
    const home = join(this.folder, name);
    mkdirSync(home, { recursive: true });
    const person = {
      ...this.root,
      HOME: home,
      XDG_CACHE_HOME: home,
      AWS_ACCESS_KEY_ID: key?.AccessKeyId,
      AWS_SECRET_ACCESS_KEY: key?.SecretAccessKey,
    };
    const leave = async () => {
      await client.send(new DeleteAccessKeyCommand({ UserName: name, AccessKeyId: key?.AccessKeyId }));
      await client.send(new DeleteUserCommand({ UserName: name }));
    };
    return { person, leave };
  }
}

interface Employed {
  person: Person;
  leave: () => Promise<void>;
}

/**
 * Asks a service of AWS by its query protocol: for the few requests whose clients nothing else here needs. Throws
 * PlayFailedError if it is refused.
 */
export async function askByQuery(
  person: Person,
  service: 'sts' | 'sqs' | 'monitoring',
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const { AWS_ENDPOINT_URL = '', AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = person;
  const body = new URLSearchParams(form).toString();
  const moment = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const signed = {
    host: new URL(AWS_ENDPOINT_URL).host,
    'x-amz-date': moment,
    ...(AWS_SESSION_TOKEN && { 'x-amz-security-token': AWS_SESSION_TOKEN }),
  };
  const names = Object.keys(signed).join(';');
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ['POST', '/', '', lines.join(''), names, sha256(body)].join('\n');
  const scope = [moment.slice(0, 8), REGION, service, 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', moment, scope.join('/'), sha256(canonical)].join('\n');
  let key: string | Buffer = `AWS4${AWS_SECRET_ACCESS_KEY}`;
  for (const part of scope) key = createHmac('sha256', key).update(part).digest();
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const answer = await fetch(`${AWS_ENDPOINT_URL}/`, {
    method: 'POST',
    headers: {
      ...signed,
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `AWS4-HMAC-SHA256 Credential=${[AWS_ACCESS_KEY_ID, ...scope].join('/')}, SignedHeaders=${names}, Signature=${signature}`,
    },
    body,
  });
  const text = await answer.text();
  if (!answer.ok) throw new PlayFailedError(`${form.Action}: ${answer.status} ${text}`);
  return text;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The text of an element of an answer. */
export function elementOf(answer: string, name: string): string {
  return new RegExp(`<${name}>([^<]+)</${name}>`).exec(answer)?.[1] ?? '';
}

/** The keys of a session in a role. */
async function assumeRole(root: Person, RoleArn: string): Promise<Person> {
  const form = { Action: 'AssumeRole', Version: '2011-06-15', RoleArn, RoleSessionName: 'play' };
  const answer = await askByQuery(root, 'sts', form);
  return {
    AWS_ACCESS_KEY_ID: elementOf(answer, 'AccessKeyId'),
    AWS_SECRET_ACCESS_KEY: elementOf(answer, 'SecretAccessKey'),
    AWS_SESSION_TOKEN: elementOf(answer, 'SessionToken'),
  };
}

/** The configuration of an AWS client of this process that asks as a person does. */
export function clientFor(person: Person) {
  const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = person;
  return {
    endpoint: AWS_ENDPOINT_URL,
    region: REGION,
    forcePathStyle: true,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    },
  };
}
