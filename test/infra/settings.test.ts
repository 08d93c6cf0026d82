import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings, readSettingsFile, SettingsError } from '../../lib/stack/read-settings.ts';
import { SettingsSchema } from '../../lib/stack/settings.ts';
import { settingsJsonSchema, settingsPage, settingTexts } from '../../scripts/settings-documents.ts';
import { CDK_JSON } from './cdk-json.ts';

const ADDRESS = { apiAddress: 'https://api.example.invalid/cfe' };

function problemsOf(context: Record<string, unknown>): readonly string[] {
  try {
    readSettings(context);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('readSettings', () => {
  it('needs the API address only: all others have the default that their docstring names, or none', () => {
    const named = settingTexts().flatMap(([name, { default: text }]) =>
      text === undefined ? [] : [[name, text.replaceAll(/^'|'$/g, '')]],
    );
    expect(readSettings({ ...ADDRESS, ...Object.fromEntries(named) })).toEqual(readSettings(ADDRESS));
    expect(Object.keys(readSettings(ADDRESS))).toEqual(['apiAddress', ...named.map(([name]) => name)]);
    expect(readSettings(ADDRESS)).toMatchObject({
      ...ADDRESS,
      nightly: { hour: 2, minute: 0 },
      nightlyDays: 3,
      weekly: 'SUN',
      details: [],
      useKms: false,
      removalPolicy: 'retain',
    });
  });

  it('says how to give the address when it is missing', () => {
    expect(problemsOf({})).toEqual([
      expect.stringMatching(/^apiAddress: is missing; .*cfe-lake\.config\.json: \{"apiAddress"/),
    ]);
  });

  it('accepts the text of the command line like the values of the file', () => {
    const fromFile = {
      ...ADDRESS,
      nightlyDays: 5,
      useKms: true,
      login: true,
      logRetentionDays: 30,
    };
    const fromCommandLine = {
      ...ADDRESS,
      nightlyDays: '5',
      useKms: 'true',
      login: 'true',
      logRetentionDays: '30',
    };
    expect(readSettings(fromCommandLine)).toEqual(readSettings(fromFile));
  });

  it('takes ids and tags as text, or as the file has them', () => {
    const ids = ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'];
    const network = { vpcId: 'vpc-01234567', securityGroupIds: ['sg-01234567'] };
    const tags = { team: 'finance', 'cost center': 'a=b' };
    const fromFile = readSettings({ ...ADDRESS, ...network, subnetIds: ids, tags });
    expect(fromFile).toMatchObject({ subnetIds: ids, tags });
    const text = { subnetIds: ids.join(), tags: 'team=finance,cost center=a=b' };
    expect(readSettings({ ...ADDRESS, ...network, ...text })).toEqual(fromFile);
  });

  it('takes digits for text where a setting is text', () => {
    const digits = { secretName: '2026', bucketName: '20261124', login: '5' };
    expect(readSettings({ ...ADDRESS, ...digits })).toMatchObject(digits);
  });

  it.each([
    ['off', []],
    [[], []],
    ['emitidos', ['emitidos']],
    ['emitidos,recibidos', ['recibidos', 'emitidos']],
    [['emitidos', 'emitidos'], ['emitidos']],
  ])('reads receipts of the directions %j whole', (details, directions) => {
    expect(readSettings({ ...ADDRESS, details }).details).toEqual(directions);
  });

  it('switches schedules off', () => {
    const settings = readSettings({ ...ADDRESS, nightly: 'off', weekly: 'off' });
    expect(settings).toMatchObject({ nightly: undefined, weekly: undefined });
  });

  it('reads any time of the day and day of the week', () => {
    const twoDigits = (value: number) => String(value).padStart(2, '0');
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        fc.constantFrom('MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'),
        (hour, minute, weekly) => {
          const nightly = `${twoDigits(hour)}:${twoDigits(minute)}`;
          expect(readSettings({ ...ADDRESS, nightly, weekly })).toMatchObject({
            nightly: { hour, minute },
            weekly,
          });
        },
      ),
    );
  });

  it('names every setting that is wrong, in one error', () => {
    const notANumber = fc.oneof(
      fc.constantFrom('', '-1', '1.5', 'three', '0', 'NaN', ' 3'),
      fc.constant(0.5),
    );
    const invalid: Record<SettingName, fc.Arbitrary<unknown>> = {
      apiAddress: fc.constantFrom(
        '',
        'api.example',
        'http://api.example',
        'http://localhost',
        'https://u:p@x',
        7,
      ),
      stackName: fc.constantFrom('', '1st', 'with space', 'x'.repeat(33), 5),
      secretName: fc.constantFrom('', 'with space', '/first', 'last/', 'ñ', null),
      login: fc.constantFrom('', 'with space', '/first', 'last/', 'ñ', 1, null),
      secretKeyArn: fc.constantFrom('', 'alias/mine', 'arn:aws:s3:::bucket', 1),
      nightly: fc.constantFrom('', '24:00', '2:00', '02:60', 'SUN 02:00', 'OFF', false),
      nightlyDays: fc.oneof(notANumber, fc.integer({ min: 61 })),
      weekly: fc.constantFrom('', '05:00', 'SUNDAY', 'sun', 'SUN 5:00', 'SUN,MON', true),
      weeklyDays: fc.oneof(notANumber, fc.integer({ min: 367 })),
      deepReadDays: fc.oneof(notANumber, fc.constantFrom(31, 3661, 'off')),
      companiesAtOnce: fc.oneof(notANumber, fc.integer({ min: 1001 })),
      backfillCompaniesAtOnce: fc.oneof(notANumber, fc.integer({ min: 1001 })),
      apiRequestsPerSecond: fc.oneof(notANumber, fc.constantFrom('off', 1001)),
      requestsPerCompany: fc.oneof(notANumber, fc.integer({ min: 65 })),
      workerMemoryMb: fc.oneof(notANumber, fc.constantFrom(255, 10_241)),
      details: fc.constantFrom('', 'true', 'ambos', 'recibidos, emitidos', ['off'], true),
      maxDetailsPerUnit: notANumber,
      maxRowsPerList: fc.oneof(notANumber, fc.integer({ min: 1_000_000_001 })),
      runTimeoutHours: fc.oneof(notANumber, fc.integer({ min: 721 })),
      vpcId: fc.constantFrom('', 'vpc', 'subnet-0123456789abcdef0', 5),
      subnetIds: fc.constantFrom('', [], ['sg-0123456789abcdef0'], 'subnet-01234567,', 5, [5]),
      securityGroupIds: fc.constantFrom('', [], 'sg', 'sg-01234567;sg-89abcdef', null),
      firstDay: fc.constantFrom('', '2012', '2012-02-30', '01-01-2012', 2012),
      scanCutoffGiB: notANumber,
      useKms: fc.constantFrom('', 'yes', 1, null),
      bucketName: fc.constantFrom('', 'A', 's3://lake', 'my_lake', 3),
      bucketKeyArn: fc.constantFrom('', 'key', 'arn:aws:kms:sa-east-1:1:key/x'),
      encryptionKeyArn: fc.constantFrom('', 'alias/mine', 'arn:aws:kms:sa-east-1:1:key/x'),
      accessLogsBucket: fc.constantFrom('', 'A', 's3://logs', 3),
      permissionsBoundary: fc.constantFrom('', 'a b', '/first', 'arn:aws:iam::1:policy/x', 5),
      tags: fc.constantFrom('', 'team', 'team=a,', { '': 'x' }, { 'aws:x': 'y' }, { team: 1 }, 'team=<b>', 5),
      removalPolicy: fc.constantFrom('', 'snapshot', true),
      noncurrentVersionDays: notANumber,
      logRetentionDays: fc.oneof(notANumber, fc.constantFrom(2, 91, '100')),
      tokenAlarmDays: fc.constantFrom('', '-1', '1.5', 'off', 366, 0.5),
      alarmEmail: fc.constantFrom('', 'someone', 'a b@c.d', 3),
      urgentEmail: fc.constantFrom('', 'someone', 'a b@c.d', 3),
    };
    const someWrong = fc
      .subarray(Object.keys(invalid).filter(isSettingName), { minLength: 1 })
      .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, invalid[name]]))));
    fc.assert(
      fc.property(someWrong, (wrong) => {
        const problems = problemsOf({ ...ADDRESS, ...wrong });
        expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(Object.keys(wrong).sort());
        for (const problem of problems) expect(problem).toMatch(/^\w+: must be /);
      }),
    );
  });

  it('names a setting that does not exist, and leaves the context of CDK alone', () => {
    expect(problemsOf({ ...CDK_JSON.context, ...ADDRESS, nightlyDay: 3 })).toEqual([
      'nightlyDay: there is no such setting',
    ]);
  });

  const KEY = 'arn:aws:kms:sa-east-1:123456789012:key/11111111-2222-3333-4444-555555555555';
  const NETWORK = { vpcId: 'vpc-01234567', subnetIds: 'subnet-01234567', securityGroupIds: 'sg-01234567' };
  const { vpcId: _, ...WITHOUT_VPC } = NETWORK;

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['bucketKeyArn', { bucketKeyArn: KEY }, { bucketName: 'the-lake', bucketKeyArn: KEY }],
    ['useKms', { bucketName: 'the-lake', useKms: true }, { useKms: true }],
    ['vpcId', { vpcId: NETWORK.vpcId }, NETWORK],
    ['vpcId', WITHOUT_VPC, NETWORK],
    ['encryptionKeyArn', { encryptionKeyArn: KEY, useKms: true }, { encryptionKeyArn: KEY }],
    ['accessLogsBucket', { bucketName: 'the-lake', accessLogsBucket: 'logs' }, { accessLogsBucket: 'logs' }],
    ['login', { secretName: 'a', login: 'a/login' }, { secretName: 'a', login: 'b' }],
    ['login', { login: 'cfe-lake/tokens' }, { login: 'prueba/tokens' }],
    ['login', { stackName: 'prueba', login: 'prueba/tokens' }, { stackName: 'prueba', login: true }],
    ['secretName', { secretName: 'cfe-lake', login: 'b' }, { secretName: 'cfe-lake' }],
    [
      'secretName',
      { stackName: 'prueba', secretName: 'prueba', login: 'b' },
      { stackName: 'prueba', secretName: 'cfe-lake', login: 'b' },
    ],
    ['maxRowsPerList', { maxRowsPerList: 300_000, workerMemoryMb: 512 }, { maxRowsPerList: 500_000 }],
    ['deepReadDays', { weeklyDays: 90, deepReadDays: 120 }, { weeklyDays: 90, deepReadDays: 121 }],
  ])('names %s where it contradicts others, %j, and not with %j', (name, contradicting, agreeing) => {
    expect(problemsOf({ ...ADDRESS, ...contradicting })).toEqual([
      expect.stringMatching(`^${name}: .*(give|needs|keeps)`),
    ]);
    expect(problemsOf({ ...ADDRESS, ...agreeing })).toEqual([]);
  });

  it('does not repeat an address that holds a password', () => {
    const problems = problemsOf({ apiAddress: 'https://user:hunter2@api.example' });
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('hunter2');
  });
});

it('docs/settings.md is what the docstrings say', async () => {
  await expect(settingsPage()).toMatchFileSnapshot('../../docs/settings.md');
});

describe('docs/cfe-lake.config.schema.json', () => {
  const accepts = new Ajv({ strict: false }).compile(settingsJsonSchema());

  it('is what the settings say', async () => {
    const text = `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../docs/cfe-lake.config.schema.json');
  });

  it('accepts what the stack accepts, as JSON', () => {
    const all = {
      ...ADDRESS,
      $schema: './docs/cfe-lake.config.schema.json',
      stackName: 'books',
      secretName: 'books/companies',
      secretKeyArn: 'arn:aws:kms:sa-east-1:123456789012:key/11111111-2222-3333-4444-555555555555',
      nightly: '23:59',
      nightlyDays: 5,
      weekly: 'SAT',
      weeklyDays: 65,
      details: ['emitidos'],
      login: true,
      firstDay: '2020-01-01',
      useKms: true,
      removalPolicy: 'destroy',
      logRetentionDays: 30,
      alarmEmail: 'books@example.com',
    };
    const { $schema: _, ...settings } = all;
    expect(accepts(all)).toBe(true);
    readSettings({}, settings);
    for (const details of ['off', 'recibidos', 'recibidos,emitidos'])
      expect(accepts({ ...ADDRESS, details })).toBe(true);
  });

  it.each([
    {},
    { ...ADDRESS, nightlyDay: 3 },
    { ...ADDRESS, nightlyDays: 61 },
    { ...ADDRESS, nightly: '25:00' },
    { ...ADDRESS, weekly: 'SUN 05:00' },
    { ...ADDRESS, details: 'ambos' },
    { ...ADDRESS, logRetentionDays: 2 },
    { ...ADDRESS, useKms: 'yes' },
    { apiAddress: 'http://api.example.invalid' },
  ])('marks %j', (settings) => {
    expect(accepts(settings)).toBe(false);
    expect(() => readSettings(settings)).toThrow(SettingsError);
  });
});

describe('cfe-lake.config.json', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cfe-lake-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = (name: string, json: unknown) => writeFile(join(folder, name), JSON.stringify(json));

  it('supplies the settings, and -c wins for one time', async () => {
    await write('cfe-lake.config.json', { $schema: 'x', ...ADDRESS, nightlyDays: 5, useKms: true });
    const file = await readSettingsFile(folder);
    expect(readSettings({}, file)).toMatchObject({ nightlyDays: 5, useKms: true });
    expect(readSettings({ nightlyDays: '7' }, file)).toMatchObject({ nightlyDays: 7, useKms: true });
  });

  it('is not needed', async () => {
    expect(await readSettingsFile(folder)).toEqual({});
  });

  it('is the only place: settings in cdk.json are told to move', async () => {
    await write('cdk.json', { app: 'x', context: { ...CDK_JSON.context, useKms: true } });
    const message = /useKms: is in cdk\.json; it belongs in cfe-lake\.config\.json/;
    await expect(readSettingsFile(folder)).rejects.toThrow(message);
    await write('cfe-lake.config.json', ADDRESS);
    await expect(readSettingsFile(folder)).rejects.toThrow(message);
  });

  it.each(['cfe-lake.config.json', 'cdk.json'])(
    'is read with the byte order mark of editors on Windows: %s',
    async (name) => {
      await write('cfe-lake.config.json', ADDRESS);
      const json =
        name === 'cdk.json' ? { app: 'x', context: { useKms: true } } : { ...ADDRESS, nightlyDays: 5 };
      await writeFile(join(folder, name), `\u{feff}${JSON.stringify(json)}`);
      const reading = readSettingsFile(folder);
      if (name === 'cdk.json') await expect(reading).rejects.toThrow(/useKms: is in cdk\.json/);
      else expect(readSettings({}, await reading)).toMatchObject({ nightlyDays: 5 });
    },
  );

  it.each<[string, (text: string) => Buffer]>([
    ['UTF-16', (text) => Buffer.from(`\u{feff}${text}`, 'utf16le')],
    ['UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le')],
    ['Windows-1252', (text) => Buffer.from(text, 'latin1')],
  ])('names the encoding to save it in: %s', async (_, bytesOf) => {
    const text = JSON.stringify({ ...ADDRESS, stackName: 'Compañía' });
    await writeFile(join(folder, 'cfe-lake.config.json'), bytesOf(text));
    await expect(readSettingsFile(folder)).rejects.toThrow(/cfe-lake\.config\.json: it is not UTF-8 text/);
  });

  it('is no folder', async () => {
    await mkdir(join(folder, 'cfe-lake.config.json'));
    await expect(readSettingsFile(folder)).rejects.toThrow(/cfe-lake\.config\.json: it is a folder/);
  });

  it.each([[[]], ['text'], [null]])('is an object, not %j', async (json) => {
    await write('cfe-lake.config.json', json);
    await expect(readSettingsFile(folder)).rejects.toThrow(/must be one JSON object/);
  });

  it('knows every name in it, whatever it looks like', async () => {
    await write('cfe-lake.config.json', { ...ADDRESS, 'nightly-days': 5 });
    const file = await readSettingsFile(folder);
    expect(() => readSettings({}, file)).toThrow(/nightly-days: there is no such setting/);
  });
});

type SettingName = keyof typeof SettingsSchema.entries;

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SettingsSchema.entries, name);
}
