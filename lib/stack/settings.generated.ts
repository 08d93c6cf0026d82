// Made by `npx vitest run test/infra/settings.test.ts --update` from lib/stack/settings.ts.

/** The settings of a CfeLake. */
export interface CfeLakeSettings {
  /**
   * Base address of the query API. The lake is marked with it at the first run, and a run of another address fails; the same service's new address is said once: `cfe-lake backfill --from … --to … --source-moved`.
   */
  readonly apiAddress: string;
  /**
   * The secret that holds the companies and their tokens. All secrets below it (`cfe-lake/companies/2`) count too.
   * @default "cfe-lake/companies"
   */
  readonly secretName?: string;
  /**
   * The KMS key of those secrets, if they are encrypted with one of your own.
   * @default -
   */
  readonly secretKeyArn?: string;
  /**
   * When the nightly export of received receipts starts, by the clock of Uruguay, or `off`.
   * @default "02:00"
   */
  readonly nightlyReceived?: string;
  /**
   * When the nightly export of issued receipts starts, by the clock of Uruguay, or `off`.
   * @default "03:00"
   */
  readonly nightlyIssued?: string;
  /**
   * How many days a nightly export reads, yesterday first.
   * @default 3
   */
  readonly nightlyDays?: number;
  /**
   * When the weekly re-reading of both directions starts, by the clock of Uruguay, such as `SUN 05:00`, or `off`.
   * @default "SUN 05:00"
   */
  readonly weekly?: string;
  /**
   * How many days the weekly re-reading reads; statuses change for up to 60 days.
   * @default 65
   */
  readonly weeklyDays?: number;
  /**
   * Which receipts are read whole too, one request each and none twice: `recibidos`, `emitidos`, `recibidos,emitidos` or `off`.
   * @default "off"
   */
  readonly details?: "off" | "recibidos,emitidos" | "recibidos" | "emitidos" | readonly ("recibidos" | "emitidos")[];
  /**
   * A company's day with more receipts is left out of that; the audit says so.
   * @default 10000
   */
  readonly maxDetailsPerUnit?: number;
  /**
   * A receipt that was read whole longer ago is read again, although its summary is the same; never, if not given.
   * @default -
   */
  readonly detailsMaxAgeDays?: number;
  /**
   * How many companies are exported at the same time, by all runs together. Times `requestsPerCompany`: the most requests that the API sees of this stack at once. Runs that overlap share it: a nightly one goes before the weekly one, and that before a backfill, whose workers pause and go on afterwards; see decision 17. The default is for a new account, which has 10 concurrent Lambdas and at most 3,008 MB for each; where the account has 1,000, as most have, and the API bears it, 16 and more make a large backfill shorter.
   * @default 8
   */
  readonly companiesAtOnce?: number;
  /**
   * How many requests of one company may be in flight; halved by itself when the API throttles.
   * @default 8
   */
  readonly requestsPerCompany?: number;
  /**
   * A list that has rows past so many is taken to be endless, and its unit fails.
   * @default 1000000
   */
  readonly maxRowsPerList?: number;
  /**
   * Minutes to wait before each further attempt at a company's failed units, such as `2,8`; meanwhile another run may take its turn.
   * @default [2,8]
   */
  readonly retryWaitsMinutes?: readonly (number)[] | string;
  /**
   * Memory of the Lambda that exports a company; its CPU grows with it.
   * @default 1024
   */
  readonly workerMemoryMb?: number;
  /**
   * How long one invocation of that Lambda may take; it hands back what it did not get to.
   * @default 15
   */
  readonly workerTimeoutMinutes?: number;
  /**
   * How long a whole run may take before it is stopped, the waits for its turn included.
   * @default 72
   */
  readonly runTimeoutHours?: number;
  /**
   * First issue date that Athena looks for; days before it are exported but not seen.
   * @default "2012-01-01"
   */
  readonly firstDay?: string;
  /**
   * A query that would scan more than this is stopped.
   * @default 100
   */
  readonly scanCutoffGiB?: number;
  /**
   * Encrypt the lake, the logs and the alarms' topic with a KMS key of the stack's own, instead of AWS's. Who asks in Athena needs `kms:Decrypt` on it.
   * @default false
   */
  readonly useKms?: boolean;
  /**
   * How long replaced and deleted objects of the lake can be brought back.
   * @default 30
   */
  readonly noncurrentVersionDays?: number;
  /**
   * How long logs are kept: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653.
   * @default 90
   */
  readonly logRetentionDays?: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 120 | 150 | 180 | 365 | 400 | 545 | 731 | 1096 | 1827 | 2192 | 2557 | 2922 | 3288 | 3653;
  /**
   * When the tokens are looked at before the night, by the clock of Uruguay, or `off`: an alarm tells of those that expire before the nightly runs are done. See docs/tokens.md.
   * @default "18:00"
   */
  readonly tokenReview?: string;
  /**
   * An alarm tells of a token that expires within so many days; `0` where something renews tokens by itself: then only of one that has expired.
   * @default 7
   */
  readonly tokenAlarmDays?: number;
  /**
   * Where alarms are sent; the address has to confirm once.
   * @default -
   */
  readonly alarmEmail?: string;
}
