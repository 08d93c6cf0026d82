import * as v from 'valibot';
import { DEFAULT_MAX_ROWS_PER_LIST } from '../api/client.ts';
import { DEFAULT_MAX_DETAILS_PER_UNIT } from '../export/export-tools.ts';
import { CHANGING_DAYS, FIRST_DAY } from '../time/days.ts';
import {
  day,
  directionsOrOff,
  httpsAddress,
  keyArn,
  nightlyTime,
  oneOf,
  oneOfNumbers,
  text,
  waits,
  weeklyTime,
  wholeNumber,
  yesOrNo,
} from './setting-kinds.ts';

/** The retentions that CloudWatch Logs accepts. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

function described<const Kind extends v.GenericSchema>(kind: Kind, description: string) {
  return v.pipe(kind, v.description(description));
}

/**
 * Every setting of the stack: its type, check and description. Values come from cfe-lake.config.json; `-c name=value`
 * overrides one for a single deployment. Only `apiAddress` is required.
 */
export const SettingsSchema = v.object({
  apiAddress: described(
    httpsAddress,
    'Base address of the query API. The first run marks the lake with it, and a run with another address fails. If the service moves, say so once: `cfe-lake backfill --from … --to … --source-moved`',
  ),
  stackName: described(
    v.optional(
      text(/^[A-Za-z][A-Za-z0-9-]{0,31}$/, 'must be at most 32 letters, digits and dashes, a letter first'),
      'cfe-lake',
    ),
    'Name of the stack. Its resources are named after it, so one account can hold two stacks',
  ),
  secretName: described(
    v.optional(
      text(
        /^(?!\/)[\w/+=.@-]{1,200}(?<!\/)$/,
        'must be the name of a secret: letters, digits and /_+=.@- only, no slash at its ends',
      ),
      'cfe-lake/companies',
    ),
    'The secret with the companies and their tokens. All secrets below it (`cfe-lake/companies/2`) are used too',
  ),
  secretKeyArn: described(
    v.optional(keyArn),
    'KMS key of those secrets, if they are encrypted with one of your own',
  ),
  nightlyReceived: described(
    v.optional(nightlyTime, '02:00'),
    'When the nightly export of received receipts starts, in Uruguayan time, or `off`',
  ),
  nightlyIssued: described(
    v.optional(nightlyTime, '03:00'),
    'When the nightly export of issued receipts starts, in Uruguayan time, or `off`',
  ),
  nightlyDays: described(
    v.optional(wholeNumber(1, 60), 3),
    'How many days a nightly export reads, up to yesterday',
  ),
  weekly: described(
    v.optional(weeklyTime, 'SUN 05:00'),
    'When the weekly re-reading of both directions starts, in Uruguayan time, such as `SUN 05:00`, or `off`',
  ),
  weeklyDays: described(
    v.optional(wholeNumber(1, 366), CHANGING_DAYS),
    'How many days the weekly re-reading covers; statuses change for up to 60 days',
  ),
  details: described(
    v.optional(directionsOrOff, 'off'),
    'Whose details are read too, one request per receipt and none twice: `recibidos`, `emitidos`, `recibidos,emitidos` or `off`',
  ),
  maxDetailsPerUnit: described(
    v.optional(wholeNumber(1, 10_000_000), DEFAULT_MAX_DETAILS_PER_UNIT),
    "Details of a company's day with more receipts are skipped; the audit says so",
  ),
  detailsMaxAgeDays: described(
    v.optional(wholeNumber(1, 36_500)),
    'A detail that was read longer ago is read again, even if its summary is the same. If not set, never',
  ),
  companiesAtOnce: described(
    v.optional(wholeNumber(1, 1000), 8),
    'How many companies are exported at the same time, by all runs together. Times `requestsPerCompany`, it is the most requests that the API gets from this stack at once. Overlapping runs share it: a nightly run goes before the weekly one, and that before a backfill, whose workers pause and continue afterwards (decision 17). The default suits a new account, which has 10 concurrent Lambdas and at most 3,008 MB for each. If the account has 1,000, as most have, and the API can take it, 16 or more shorten a large backfill',
  ),
  requestsPerCompany: described(
    v.optional(wholeNumber(1, 64), 8),
    'How many requests of one company may be in flight; halved automatically when the API throttles',
  ),
  maxRowsPerList: described(
    v.optional(wholeNumber(1, 1_000_000_000), DEFAULT_MAX_ROWS_PER_LIST),
    'A list with more rows is taken to be endless, and its unit fails',
  ),
  retryWaitsMinutes: described(
    v.optional(waits, () => [2, 8]),
    "Minutes to wait before each retry of a company's failed units, such as `2,8`; meanwhile another run may use its lease",
  ),
  workerMemoryMb: described(
    v.optional(wholeNumber(256, 10_240), 1024),
    'Memory of the Lambda that exports a company; CPU grows with it',
  ),
  workerTimeoutMinutes: described(
    v.optional(wholeNumber(2, 15), 15),
    'How long one invocation of that Lambda may take; the next one continues with what is left',
  ),
  runTimeoutHours: described(
    v.optional(wholeNumber(1, 720), 72),
    'How long a whole run may take before it is stopped, its waits for leases included',
  ),
  firstDay: described(
    v.optional(day, FIRST_DAY),
    'First issue date that Athena sees; `backfill` refuses earlier days',
  ),
  scanCutoffGiB: described(
    v.optional(wholeNumber(1, 100_000), 100),
    'A query that scans more than this is stopped',
  ),
  useKms: described(
    v.optional(yesOrNo, false),
    "Encrypt the lake, the logs and the alarms' topic with a KMS key of the stack's own instead of AWS's. Athena users need `kms:Decrypt` on it",
  ),
  bucketName: described(
    v.optional(
      text(
        /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
        'must be the name of a bucket: 3 to 63 small letters, digits, dots and dashes',
      ),
    ),
    'An existing bucket to use, such as the lake that an earlier stack left; the stack then creates none. It must be in the same account and region, and empty or a lake. Its encryption, versioning and lifecycle rules stay as they are, and `destroy` leaves it alone',
  ),
  bucketKeyArn: described(
    v.optional(keyArn),
    'KMS key of that bucket, if it is encrypted with one; `useKms` is for a bucket that the stack creates',
  ),
  removalPolicy: described(
    v.optional(oneOf(['retain', 'destroy']), 'retain'),
    'What happens to the lake when the stack is removed: `retain` keeps it, `destroy` deletes all of it. The value that was deployed last counts: deploy a change before `npm run destroy`',
  ),
  noncurrentVersionDays: described(
    v.optional(wholeNumber(1, 3650), 30),
    'How long replaced and deleted objects of the lake can be restored',
  ),
  logRetentionDays: described(
    v.optional(oneOfNumbers(RETENTION_DAYS), 90),
    `How long logs are kept: ${RETENTION_DAYS.join(', ')}`,
  ),
  tokenReview: described(
    v.optional(nightlyTime, '18:00'),
    'When the tokens are checked before the night, in Uruguayan time, or `off`: an alarm reports those that expire before the nightly runs are done. See docs/tokens.md',
  ),
  tokenAlarmDays: described(
    v.optional(wholeNumber(0, 365), 7),
    'An alarm reports a token that expires within this many days. Use `0` where something renews tokens automatically: then it reports only expired ones',
  ),
  alarmEmail: described(
    v.optional(text(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an e-mail address')),
    'E-mail address for alarms; the recipient must confirm it once',
  ),
});

export type Settings = v.InferOutput<typeof SettingsSchema>;
