import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { login } from '../../examples/token-rotation/login.ts';
import { rotate } from '../../examples/token-rotation/rotate.ts';
import { parseCompaniesText } from '../../lib/companies/company.ts';
import { campaign } from '../support/campaign.ts';

const A = '211003420017';
const B = '219999830019';
const OLD = {
  api: 'https://api.example',
  companies: [
    { rut: A, token: 'old-a', name: 'Ñandú S.A.' },
    { rut: B, token: 'old-b' },
  ],
};

const client = new SecretsManagerClient({});
const service = mockClient(client);

interface Version {
  text: string;
  stages: string[];
}

/** Secrets Manager as far as a rotation needs it: versions of one secret and their stages. */
class EmulatedSecret {
  readonly versions = new Map<string, Version>();

  constructor(value: unknown) {
    this.versions.set('v1', { text: JSON.stringify(value), stages: ['AWSCURRENT'] });
    service.on(GetSecretValueCommand).callsFake(({ VersionId, VersionStage = 'AWSCURRENT' }) => {
      const found = [...this.versions].find(
        ([id, { stages }]) => (VersionId === undefined || VersionId === id) && stages.includes(VersionStage),
      );
      if (found === undefined) throw new ResourceNotFoundException({ $metadata: {}, message: 'no version' });
      return { SecretString: found[1].text, VersionId: found[0] };
    });
    service.on(PutSecretValueCommand).callsFake(({ ClientRequestToken, SecretString, VersionStages }) => {
      for (const version of this.versions.values())
        version.stages = version.stages.filter((stage) => !VersionStages.includes(stage));
      this.versions.set(ClientRequestToken, { text: SecretString, stages: [...VersionStages] });
      return {};
    });
    service.on(DescribeSecretCommand).callsFake(() => ({
      VersionIdsToStages: Object.fromEntries([...this.versions].map(([id, { stages }]) => [id, stages])),
    }));
    service
      .on(UpdateSecretVersionStageCommand)
      .callsFake(({ VersionStage, MoveToVersionId, RemoveFromVersionId }) => {
        const [from, to] = [this.versions.get(RemoveFromVersionId), this.versions.get(MoveToVersionId)];
        if (from === undefined || to === undefined) throw new Error('no such version');
        from.stages = [...from.stages.filter((stage) => stage !== VersionStage), 'AWSPREVIOUS'];
        to.stages.push(VersionStage);
        return {};
      });
  }

  get current(): string {
    return [...this.versions.values()].find(({ stages }) => stages.includes('AWSCURRENT'))?.text ?? '';
  }
}

const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'];
const event = (Step: string) => ({ SecretId: 'cfe-lake/companies', ClientRequestToken: 'v2', Step });
const logged: string[] = [];
const toolsWith = (logIn: typeof login) => ({
  client,
  login: logIn,
  log: (message: string) => logged.push(message),
});

async function rotateAll(logIn: typeof login): Promise<void> {
  for (const step of STEPS) await rotate(event(step), toolsWith(logIn));
}

beforeEach(() => {
  service.reset();
  logged.length = 0;
});

describe('the example of a rotation', () => {
  it('gives everybody a new token, in a secret that the exporter reads, with all else as it was', async () => {
    const secret = new EmulatedSecret(OLD);
    await rotateAll(async ({ rut, name = '' }) => `new-${rut}-${name.length}`);
    expect(JSON.parse(secret.current)).toEqual({
      api: 'https://api.example',
      companies: [
        { rut: A, token: `new-${A}-10`, name: 'Ñandú S.A.' },
        { rut: B, token: `new-${B}-0` },
      ],
    });
    expect(parseCompaniesText(secret.current, 'the secret').problems).toEqual([]);
    expect([...secret.versions.keys()]).toEqual(['v1', 'v2']);
  });

  it('is not seen by the exporter before its last step, and may repeat each', async () => {
    const secret = new EmulatedSecret(OLD);
    let logins = 0;
    const tools = toolsWith(async () => `new-${++logins}`);
    for (const step of STEPS.slice(0, 3)) {
      await rotate(event(step), tools);
      await rotate(event(step), tools);
      expect(JSON.parse(secret.current)).toEqual(OLD);
    }
    expect(logins).toBe(2);
    for (const _ of [1, 2]) await rotate(event('finishSecret'), tools);
    expect(secret.current).toContain('new-1');
  });

  it('leaves a company that can not log in its token, and says which, not what was sent', async () => {
    const secret = new EmulatedSecret(OLD);
    await rotateAll(async ({ rut }) => {
      if (rut === A) throw new TypeError('refused: password=hunter2');
      return 'new-b';
    });
    expect(JSON.parse(secret.current).companies).toEqual([OLD.companies[0], { rut: B, token: 'new-b' }]);
    expect(logged).toEqual([`RUT ${A} could not log in (TypeError)`]);
  });

  it('makes no version when nobody can log in, as before login() is filled in', async () => {
    const secret = new EmulatedSecret(OLD);
    await expect(rotateAll(login)).rejects.toThrow(
      `No company could log in: ${A}, ${B}. The secret stays as it is.`,
    );
    expect([...secret.versions.keys()]).toEqual(['v1']);
  });

  it.each([
    ['no JSON: tok-1'],
    ['{"companies": []}'],
    ['{"219999830019": "tok-1"}'],
    ['{"companies": [{"rut": "x", "token": "tok-1"}]}'],
  ])('repeats nothing of a secret of another shape: %s', async (text) => {
    new EmulatedSecret(OLD).versions.set('v1', { text, stages: ['AWSCURRENT'] });
    const failure = await rotate(
      event('createSecret'),
      toolsWith(async () => 'x'),
    ).catch(String);
    expect(failure).toMatch(/^SecretShapeError: The secret must be/);
    expect(failure).not.toContain('tok-1');
  });

  it('accepts no token from a login that the exporter would refuse', async () => {
    const secret = new EmulatedSecret(OLD);
    await rotateAll(async ({ rut }) => (rut === A ? 'two words' : 'new-b'));
    expect(JSON.parse(secret.current).companies).toEqual([OLD.companies[0], { rut: B, token: 'new-b' }]);
    expect(logged).toEqual([`RUT ${A} could not log in (UnusableTokenError)`]);
  });
});

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
}

describe('its stack', () => {
  // Shorter than Secrets Manager's shortest interval, as long, and longer.
  const often: [number, string, number][] = [
    [40, 'rate(4 hours)', 1],
    [240, 'rate(4 hours)', 0],
    [720, 'rate(12 hours)', 0],
  ];
  it.each(campaign({ quick: often.slice(0, 1), long: often }))(
    'every %d minutes: Secrets Manager’s own rotation by %s, and %d schedules',
    async (minutes, expression, schedules) => {
      const folder = await mkdtemp(join(tmpdir(), 'rotation-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const context = { everyMinutes: minutes, loginSecret: 'provider-logins' };
      await promisify(execFile)(process.execPath, ['examples/token-rotation/app.ts'], {
        env: {
          ...process.env,
          CDK_OUTDIR: folder,
          CDK_CONTEXT_JSON: JSON.stringify(context),
          // CDK's check of the template against its own rules takes seconds.
          CDK_VALIDATION: campaign({ quick: 'false', long: 'true' }),
        },
      });
      const template = await readFile(join(folder, 'TokenRotation.template.json'), 'utf8');
      const { Resources: resources }: { Resources: Record<string, Resource> } = JSON.parse(template);
      const types = Object.values(resources).map(({ Type: type }) => type);
      expect(types.filter((type) => type === 'AWS::SecretsManager::RotationSchedule')).toHaveLength(1);
      expect(types.filter((type) => type === 'AWS::Scheduler::Schedule')).toHaveLength(schedules);
      expect(template).toContain(`"ScheduleExpression": "${expression}"`);
      expect(template).not.toMatch(/"Action": ?"secretsmanager:\*"/);
      expect(template).toContain('secret:provider-logins');
      const permissions = Object.values(resources).filter(
        ({ Type: type }) => type === 'AWS::Lambda::Permission',
      );
      expect(permissions.map(({ Properties: properties }) => properties)).toEqual([
        expect.objectContaining({
          Principal: 'secretsmanager.amazonaws.com',
          SourceAccount: { Ref: 'AWS::AccountId' },
          SourceArn: {
            'Fn::Join': [
              '',
              expect.arrayContaining([expect.stringMatching(/:secret:cfe-lake\/companies-\?{6}$/)]),
            ],
          },
        }),
      ]);
    },
  );
});
