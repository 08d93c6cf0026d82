import * as v from 'valibot';
import { DEFAULT_MAX_ROWS_PER_LIST } from '../api/access.ts';
import { DEFAULT_MAX_DETAILS_PER_UNIT } from '../export/export-tools.ts';
import { CHANGING_DAYS, FIRST_DAY, MIN_AGES, type WEEK_DAYS } from '../time/days.ts';
import type { Direction } from '../units/unit.ts';
import {
  bucketName,
  dailyTime,
  day,
  directionsOrOff,
  ec2Id,
  ec2Ids,
  httpsAddress,
  keyArn,
  managedPolicy,
  tags,
  text,
  weekDay,
  wholeNumber,
  yesOrNo,
} from './setting-kinds.ts';

/** The retentions that CloudWatch Logs accepts. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/**
 * The settings of a lake: props of `CfeLake`, and values of cfe-lake.config.json. docs/settings.md and the JSON Schema
 * have their texts and defaults from here.
 */
export interface CfeLakeSettings {
  /**
   * Base address of the query API. The first run marks the lake with it, and a run with another address fails. If the
   * service moves, say so once: `cfe-lake backfill --from … --to … --source-moved`.
   */
  readonly apiAddress: string;
  /**
   * The secret with the companies and their tokens. All secrets below it (`cfe-lake/companies/2`) are used too.
   * @default 'cfe-lake/companies'
   */
  readonly secretName?: string;
  /**
   * Whether a login gives tokens to companies without one of their own: `true` for the secret `<stackName>/login`, or the
   * name of another. Only with it the stack has `renew-tokens`, which alone may read it. No two stacks have the same: each
   * refresh token is replaced by the one that sends it. See docs/tokens.md.
   * @default false
   */
  readonly login?: boolean | string;
  /**
   * When the nightly run of both directions starts, in Uruguayan time, or `off`. One that finds the last one under way
   * is not started.
   * @default '02:00'
   */
  readonly nightly?: string;
  /**
   * How many days a nightly run reads, up to yesterday.
   * @default 3
   */
  readonly nightlyDays?: number;
  /**
   * The day of the week, `SUN` to `SAT`, whose night reads `weeklyDays` in place of `nightlyDays`, or `off`.
   * @default 'SUN'
   */
  readonly weekly?: (typeof WEEK_DAYS)[number] | 'off';
  /**
   * How many days that night reads again; statuses change for up to 60 days.
   * @default 65
   */
  readonly weeklyDays?: number;
  /**
   * Days older than `weeklyDays` and up to this old are read again once a month, some each night, in the nightly run: so
   * a change after the weekly reading is found, too. Days that the lake does not have yet are exported. 400 suits most.
   */
  readonly deepReadDays?: number;
  /**
   * Whose details are read too, one request per receipt and none twice: `recibidos`, `emitidos`, `recibidos,emitidos`
   * or `off`.
   * @default 'off'
   */
  readonly details?:
    | 'off'
    | 'recibidos'
    | 'emitidos'
    | 'recibidos,emitidos'
    | 'emitidos,recibidos'
    | readonly Direction[];
  /**
   * Details of a company's day with more receipts are skipped; the audit says so.
   * @default 10000
   */
  readonly maxDetailsPerUnit?: number;
  /**
   * How many companies a nightly run exports at the same time. With `backfillCompaniesAtOnce`, times
   * `requestsPerCompany`, it is the most requests that the API gets from this stack at once. The defaults suit a new
   * account, which has 10 concurrent Lambdas and at most 3,008 MB for each. If the account has 1,000, as most have, and
   * the API can take it, 16 or more shorten a night of many companies.
   * @default 6
   */
  readonly companiesAtOnce?: number;
  /**
   * How many companies a run by hand exports at the same time, beside the night (decision 17). There is one such run at
   * a time. More shorten a large backfill.
   * @default 2
   */
  readonly backfillCompaniesAtOnce?: number;
  /**
   * How many requests of one company may be in flight; halved automatically when the API throttles.
   * @default 8
   */
  readonly requestsPerCompany?: number;
  /**
   * The most requests that the API gets from this stack in a second, where the same service also serves others: in any 10
   * seconds at most ten times as many, one for each company at once, and one. `check` and the beginning of a run count,
   * too; no run exports more companies at once than this. See docs/aws.md.
   */
  readonly apiRequestsPerSecond?: number;
  /**
   * A list with more rows, or 256 MB of them for each 250,000, is taken to be endless, and its unit fails; so do the
   * details of a day with more bytes. `workerMemoryMb` must be 512 for each 250,000.
   * @default 250000
   */
  readonly maxRowsPerList?: number;
  /**
   * Memory of the Lambda that exports a company; CPU grows with it.
   * @default 1024
   */
  readonly workerMemoryMb?: number;
  /**
   * How long a whole run may take before it is stopped.
   * @default 72
   */
  readonly runTimeoutHours?: number;
  /**
   * First issue date that Athena sees; `backfill` refuses earlier days.
   * @default '2012-01-01'
   */
  readonly firstDay?: string;
  /**
   * A query that scans more than this is stopped.
   * @default 100
   */
  readonly scanCutoffGiB?: number;
  /**
   * Encrypt the lake, the logs and the alarms' topic with a KMS key of the stack's own instead of AWS's. Athena users
   * need `kms:Decrypt` on it.
   * @default false
   */
  readonly useKms?: boolean;
  /**
   * How long replaced and deleted objects of the lake can be restored.
   * @default 30
   */
  readonly noncurrentVersionDays?: number;
  /**
   * How long logs are kept, one of the numbers that CloudWatch Logs has, such as 30, 90, 365 or 3653.
   * @default 90
   */
  readonly logRetentionDays?: (typeof RETENTION_DAYS)[number];
  /**
   * Each evening at 18:00, in Uruguayan time, an alarm reports a token that expires within this many days. Use `0` where
   * something renews tokens automatically: then there is none. See docs/tokens.md.
   * @default 7
   */
  readonly tokenAlarmDays?: number;
  /**
   * E-mail address for all alarms; the recipient must confirm it once for each of the two topics.
   */
  readonly alarmEmail?: string;
  /**
   * E-mail address for the urgent alarms alone, such as that of a pager, beside `alarmEmail`.
   */
  readonly urgentEmail?: string;
}

/** Settings of the file. Of names, ids and ARNs, `CfeLakeStack` makes the objects of CDK that the construct takes. */
interface FileSettings extends CfeLakeSettings {
  /**
   * Name of the stack. Its resources are named after it, so one account can hold two stacks.
   * @default 'cfe-lake'
   */
  readonly stackName?: string;
  /**
   * An existing bucket to use, such as the lake that an earlier stack left; the stack then creates none. It must be in
   * the same account and region, and empty or a lake. Its encryption, versioning, lifecycle rules and policy stay as they
   * are, and `destroy` leaves it alone. Its policy must refuse requests without TLS, as that of a kept lake does: `check`
   * warns where it does not, and docs/aws.md has the statement.
   */
  readonly bucketName?: string;
  /**
   * KMS key of that bucket, if it is encrypted with one; `useKms` is for a bucket that the stack creates.
   */
  readonly bucketKeyArn?: string;
  /**
   * KMS key of the secrets with companies, login and its tokens, if they are encrypted with one of your own.
   */
  readonly secretKeyArn?: string;
  /**
   * The VPC through which functions reach the API, with `subnetIds` and `securityGroupIds`: for one that admits known
   * addresses only. It must let them reach AWS's services, too; see docs/aws.md.
   */
  readonly vpcId?: string;
  /**
   * Private subnets of that VPC, such as `subnet-0a…,subnet-0b…`.
   */
  readonly subnetIds?: readonly string[] | string;
  /**
   * Security groups of that VPC, which allow HTTPS out.
   */
  readonly securityGroupIds?: readonly string[] | string;
  /**
   * A KMS key of yours for the lake, the logs, the alarms' topic and the dead-letter queue, in the same account and
   * region. Its policy must admit CloudWatch and its logs; see docs/aws.md.
   */
  readonly encryptionKeyArn?: string;
  /**
   * A bucket of yours for the lake bucket's server access logs, in the same account and region; see docs/aws.md.
   */
  readonly accessLogsBucket?: string;
  /**
   * Name or ARN of the managed policy that bounds every role of the stack, where the account demands one.
   */
  readonly permissionsBoundary?: string;
  /**
   * Tags of all resources, such as `team=finance,env=prod`.
   */
  readonly tags?: Readonly<Record<string, string>> | string;
  /**
   * What happens to the lake when the stack is removed: `retain` keeps it, `destroy` deletes all of it. The value that
   * was deployed last counts: deploy a change before `npx cdk destroy`.
   * @default 'retain'
   */
  readonly removalPolicy?: 'retain' | 'destroy';
}

const secretName = text(
  /^(?!\/)[\w/+=.@-]{1,200}(?<!\/)$/,
  'must be the name of a secret: letters, digits and /_+=.@- only, no slash at its ends',
);

/** The login's secret, if there is a login; true for that of its own name. From the command line, `true` is text. */
const loginSecret = v.message(
  v.pipe(
    v.union([v.boolean(), secretName]),
    v.transform((value) => {
      if (value === true || value === 'true') return true;
      return value === false || value === 'false' ? undefined : value;
    }),
  ),
  'must be true, false or the name of a secret: letters, digits and /_+=.@- only, no slash at its ends',
);

const email = text(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an e-mail address');

type Checks<Given> = { readonly [Name in keyof Given]-?: v.GenericSchema<Given[Name], unknown> };

const MISSING = `is missing; write it into cfe-lake.config.json: {"apiAddress": "https://api.your-provider.example"}`;

/** What each setting of a lake may be, and what it is when it is not given. */
const LAKE = {
  apiAddress: httpsAddress,
  secretName: v.optional(secretName, 'cfe-lake/companies'),
  login: v.optional(loginSecret, false),
  nightly: v.optional(dailyTime, '02:00'),
  nightlyDays: v.optional(wholeNumber(1, 60), 3),
  weekly: v.optional(weekDay, 'SUN'),
  weeklyDays: v.optional(wholeNumber(1, 366), CHANGING_DAYS),
  deepReadDays: v.optional(wholeNumber(MIN_AGES + 1, 3660)),
  details: v.optional(directionsOrOff, 'off'),
  maxDetailsPerUnit: v.optional(wholeNumber(1, 10_000_000), DEFAULT_MAX_DETAILS_PER_UNIT),
  companiesAtOnce: v.optional(wholeNumber(1, 1000), 6),
  backfillCompaniesAtOnce: v.optional(wholeNumber(1, 1000), 2),
  requestsPerCompany: v.optional(wholeNumber(1, 64), 8),
  apiRequestsPerSecond: v.optional(wholeNumber(1, 1000)),
  maxRowsPerList: v.optional(wholeNumber(1, 1_000_000_000), DEFAULT_MAX_ROWS_PER_LIST),
  workerMemoryMb: v.optional(wholeNumber(256, 10_240), 1024),
  runTimeoutHours: v.optional(wholeNumber(1, 720), 72),
  firstDay: v.optional(day, FIRST_DAY),
  scanCutoffGiB: v.optional(wholeNumber(1, 100_000), 100),
  useKms: v.optional(yesOrNo, false),
  noncurrentVersionDays: v.optional(wholeNumber(1, 3650), 30),
  logRetentionDays: v.optional(v.picklist(RETENTION_DAYS, `must be one of ${RETENTION_DAYS.join(', ')}`), 90),
  tokenAlarmDays: v.optional(wholeNumber(0, 365), 7),
  alarmEmail: v.optional(email),
  urgentEmail: v.optional(email),
} satisfies Checks<CfeLakeSettings>;

const name = text(
  /^[A-Za-z][A-Za-z0-9-]{0,31}$/,
  'must be at most 32 letters, digits and dashes, a letter first',
);

/** The props of the construct that are not objects of CDK. */
export const PropsSchema = v.object({ ...LAKE, name: v.optional(name) });

/** All settings of the file, in the order of docs/settings.md. */
export const SettingsSchema = v.object(
  {
    ...LAKE,
    stackName: v.optional(name, 'cfe-lake'),
    secretKeyArn: v.optional(keyArn),
    vpcId: v.optional(ec2Id('vpc')),
    subnetIds: v.optional(ec2Ids('subnet')),
    securityGroupIds: v.optional(ec2Ids('sg')),
    bucketName: v.optional(bucketName),
    bucketKeyArn: v.optional(keyArn),
    encryptionKeyArn: v.optional(keyArn),
    accessLogsBucket: v.optional(bucketName),
    permissionsBoundary: v.optional(managedPolicy),
    tags: v.optional(tags),
    removalPolicy: v.optional(v.picklist(['retain', 'destroy'], 'must be retain or destroy'), 'retain'),
  } satisfies Checks<FileSettings>,
  MISSING,
);

/** The settings as the constructs use them: checked, complete, times and lists parsed. */
export type Settings = v.InferOutput<v.ObjectSchema<typeof LAKE, undefined>>;
export type StackSettings = v.InferOutput<typeof SettingsSchema>;

/** What the names of a stack's own secrets end in: that of the login, and of its tokens. */
export const LOGIN_SUFFIX = '/login';
export const TOKENS_SUFFIX = '/tokens';

/** Settings of which each is right, but not together. */
export function contradictionsIn(settings: Settings & Partial<StackSettings> & { name?: string }): string[] {
  const { weeklyDays, deepReadDays, secretName, useKms, stackName, name = stackName } = settings;
  const login = settings.login === true && name !== undefined ? `${name}${LOGIN_SUFFIX}` : settings.login;
  const tokens = login === undefined || name === undefined ? undefined : `${name}${TOKENS_SUFFIX}`;
  const isOfCompanies = (secret: string | true | undefined) =>
    typeof secret === 'string' && `${secret}/`.startsWith(`${secretName}/`);
  const { bucketName, bucketKeyArn, encryptionKeyArn, accessLogsBucket } = settings;
  const network = [settings.vpcId, settings.subnetIds, settings.securityGroupIds];
  const shortestDeepReadDays = weeklyDays + MIN_AGES;
  const neededMb = Math.ceil((512 * settings.maxRowsPerList) / DEFAULT_MAX_ROWS_PER_LIST);
  return [
    deepReadDays !== undefined &&
      deepReadDays < shortestDeepReadDays &&
      `deepReadDays: is for days older than weeklyDays, a month of them or more: give ${shortestDeepReadDays} or more`,
    isOfCompanies(login) &&
      'login: is secretName, or below it, where the workers may read: give it another name',
    login === true &&
      'login: true is for a lake with a name, whose secret it is: give the name of the secret',
    tokens !== undefined &&
      login === tokens &&
      `login: ${tokens} is the stack's own secret, of the tokens that the login gives: give it another name`,
    isOfCompanies(tokens) &&
      `secretName: the stack's own secret ${tokens} would be below it, where those of companies are: give it another name`,
    neededMb > settings.workerMemoryMb &&
      `maxRowsPerList: a list of so many rows needs workerMemoryMb=${neededMb} or more`,
    network.includes(undefined) &&
      network.some((part) => part !== undefined) &&
      'vpcId: belongs together with subnetIds and securityGroupIds: give all three',
    bucketName === undefined &&
      bucketKeyArn !== undefined &&
      'bucketKeyArn: is the key of an existing bucket: give bucketName too',
    bucketName !== undefined &&
      useKms &&
      'useKms: is for a bucket that the stack creates: for the key of bucketName, give bucketKeyArn',
    encryptionKeyArn !== undefined &&
      useKms &&
      'encryptionKeyArn: is a key of yours, and useKms makes another: give one of the two',
    bucketName !== undefined &&
      accessLogsBucket !== undefined &&
      'accessLogsBucket: is for a bucket that the stack creates: that of bucketName keeps its own settings',
  ].filter((problem) => problem !== false);
}
