import * as v from 'valibot';
import { DEFAULT_MAX_ROWS_PER_LIST } from '../api/client.ts';
import { DEFAULT_MAX_DETAILS_PER_UNIT } from '../export/unit-tools.ts';
import { CHANGING_DAYS } from '../time/days.ts';
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

/** What CloudWatch Logs accepts as a retention. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/**
 * Every setting of the stack, the one place where it is typed, checked and described. They stand in
 * cfe-lake.config.json; `-c name=value` wins for one time. Only `apiAddress` is needed.
 */
export const SettingsSchema = v.object({
  apiAddress: v.pipe(
    httpsAddress,
    v.description(
      "Base address of the query API. The lake is marked with it at the first run, and a run of another address fails; the same service's new address is said once: `cfe-lake backfill --from … --to … --source-moved`",
    ),
  ),
  stackName: v.pipe(
    v.optional(
      text(/^[A-Za-z][A-Za-z0-9-]{0,31}$/, 'must be at most 32 letters, digits and dashes, a letter first'),
      'cfe-lake',
    ),
    v.description(
      'Name of the stack; what it creates is named after it, so that two can stand in one account',
    ),
  ),
  secretName: v.pipe(
    v.optional(
      text(
        /^(?!\/)[\w/+=.@-]{1,200}(?<!\/)$/,
        'must be the name of a secret: letters, digits and /_+=.@- only, no slash at its ends',
      ),
      'cfe-lake/companies',
    ),
    v.description(
      'The secret that holds the companies and their tokens. All secrets below it (`cfe-lake/companies/2`) count too',
    ),
  ),
  secretKeyArn: v.pipe(
    v.optional(keyArn),
    v.description('The KMS key of those secrets, if they are encrypted with one of your own'),
  ),
  nightlyReceived: v.pipe(
    v.optional(nightlyTime, '02:00'),
    v.description('When the nightly export of received receipts starts, by the clock of Uruguay, or `off`'),
  ),
  nightlyIssued: v.pipe(
    v.optional(nightlyTime, '03:00'),
    v.description('When the nightly export of issued receipts starts, by the clock of Uruguay, or `off`'),
  ),
  nightlyDays: v.pipe(
    v.optional(wholeNumber(1, 60), 3),
    v.description('How many days a nightly export reads, yesterday first'),
  ),
  weekly: v.pipe(
    v.optional(weeklyTime, 'SUN 05:00'),
    v.description(
      'When the weekly re-reading of both directions starts, by the clock of Uruguay, such as `SUN 05:00`, or `off`',
    ),
  ),
  weeklyDays: v.pipe(
    v.optional(wholeNumber(1, 366), CHANGING_DAYS),
    v.description('How many days the weekly re-reading reads; statuses change for up to 60 days'),
  ),
  details: v.pipe(
    v.optional(directionsOrOff, 'off'),
    v.description(
      'Which receipts are read whole too, one request each and none twice: `recibidos`, `emitidos`, `recibidos,emitidos` or `off`',
    ),
  ),
  maxDetailsPerUnit: v.pipe(
    v.optional(wholeNumber(1, 10_000_000), DEFAULT_MAX_DETAILS_PER_UNIT),
    v.description("A company's day with more receipts is left out of that; the audit says so"),
  ),
  detailsMaxAgeDays: v.pipe(
    v.optional(wholeNumber(1, 36_500)),
    v.description(
      'A receipt that was read whole longer ago is read again, although its summary is the same; never, if not given',
    ),
  ),
  companiesAtOnce: v.pipe(
    v.optional(wholeNumber(1, 1000), 8),
    v.description(
      'How many companies are exported at the same time, by all runs together. Times `requestsPerCompany`: the most requests that the API sees of this stack at once. Runs that overlap share it: a nightly one goes before the weekly one, and that before a backfill, whose workers pause and go on afterwards; see decision 17. The default is for a new account, which has 10 concurrent Lambdas and at most 3,008 MB for each; where the account has 1,000, as most have, and the API bears it, 16 and more make a large backfill shorter',
    ),
  ),
  requestsPerCompany: v.pipe(
    v.optional(wholeNumber(1, 64), 8),
    v.description(
      'How many requests of one company may be in flight; halved by itself when the API throttles',
    ),
  ),
  maxRowsPerList: v.pipe(
    v.optional(wholeNumber(1, 1_000_000_000), DEFAULT_MAX_ROWS_PER_LIST),
    v.description('A list that has rows past so many is taken to be endless, and its unit fails'),
  ),
  retryWaitsMinutes: v.pipe(
    v.optional(waits, () => [2, 8]),
    v.description(
      "Minutes to wait before each further attempt at a company's failed units, such as `2,8`; meanwhile another run may take its turn",
    ),
  ),
  workerMemoryMb: v.pipe(
    v.optional(wholeNumber(256, 10_240), 1024),
    v.description('Memory of the Lambda that exports a company; its CPU grows with it'),
  ),
  workerTimeoutMinutes: v.pipe(
    v.optional(wholeNumber(2, 15), 15),
    v.description('How long one invocation of that Lambda may take; it hands back what it did not get to'),
  ),
  runTimeoutHours: v.pipe(
    v.optional(wholeNumber(1, 720), 72),
    v.description('How long a whole run may take before it is stopped, the waits for its turn included'),
  ),
  firstDay: v.pipe(
    v.optional(day, '2012-01-01'),
    v.description('First issue date that Athena looks for; days before it are exported but not seen'),
  ),
  scanCutoffGiB: v.pipe(
    v.optional(wholeNumber(1, 100_000), 100),
    v.description('A query that would scan more than this is stopped'),
  ),
  useKms: v.pipe(
    v.optional(yesOrNo, false),
    v.description(
      "Encrypt the lake, the logs and the alarms' topic with a KMS key of the stack's own, instead of AWS's. Who asks in Athena needs `kms:Decrypt` on it",
    ),
  ),
  bucketName: v.pipe(
    v.optional(
      text(
        /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
        'must be the name of a bucket: 3 to 63 small letters, digits, dots and dashes',
      ),
    ),
    v.description(
      'A bucket that is there already, such as the lake that an earlier stack left; the stack makes none then. It must be in the same account and region, and empty or a lake. What it is encrypted with, its versions and its lifecycle rules stay as they are, and `destroy` leaves it alone',
    ),
  ),
  bucketKeyArn: v.pipe(
    v.optional(keyArn),
    v.description(
      'The KMS key of that bucket, if it is encrypted with one; `useKms` is for a bucket that the stack makes',
    ),
  ),
  removalPolicy: v.pipe(
    v.optional(oneOf(['retain', 'destroy']), 'retain'),
    v.description(
      'What happens to the lake when the stack is removed: `retain` keeps it, `destroy` deletes all of it. It goes by what was deployed last: deploy a change of it before `npm run destroy`',
    ),
  ),
  noncurrentVersionDays: v.pipe(
    v.optional(wholeNumber(1, 3650), 30),
    v.description('How long replaced and deleted objects of the lake can be brought back'),
  ),
  logRetentionDays: v.pipe(
    v.optional(oneOfNumbers(RETENTION_DAYS), 90),
    v.description(`How long logs are kept: ${RETENTION_DAYS.join(', ')}`),
  ),
  tokenReview: v.pipe(
    v.optional(nightlyTime, '18:00'),
    v.description(
      'When the tokens are looked at before the night, by the clock of Uruguay, or `off`: an alarm tells of those that expire before the nightly runs are done. See docs/tokens.md',
    ),
  ),
  tokenAlarmDays: v.pipe(
    v.optional(wholeNumber(0, 365), 7),
    v.description(
      'An alarm tells of a token that expires within so many days; `0` where something renews tokens by itself: then only of one that has expired',
    ),
  ),
  alarmEmail: v.pipe(
    v.optional(text(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an e-mail address')),
    v.description('Where alarms are sent; the address has to confirm once'),
  ),
});

export type Settings = v.InferOutput<typeof SettingsSchema>;
export type SettingName = keyof Settings;
