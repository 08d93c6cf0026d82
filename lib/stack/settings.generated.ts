// Made by `npx vitest run test/infra/settings.test.ts --update` from lib/stack/settings.ts.

/** The settings of a CfeLake. */
export interface CfeLakeSettings {
  /**
   * Base address of the query API. The first run marks the lake with it, and a run with another address fails. If the service moves, say so once: `cfe-lake backfill --from … --to … --source-moved`.
   */
  readonly apiAddress: string;
  /**
   * The secret with the companies and their tokens. All secrets below it (`cfe-lake/companies/2`) are used too.
   * @default "cfe-lake/companies"
   */
  readonly secretName?: string;
  /**
   * KMS key of those secrets, if they are encrypted with one of your own.
   * @default -
   */
  readonly secretKeyArn?: string;
  /**
   * When the nightly export of received receipts starts, in Uruguayan time, or `off`.
   * @default "02:00"
   */
  readonly nightlyReceived?: string;
  /**
   * When the nightly export of issued receipts starts, in Uruguayan time, or `off`.
   * @default "03:00"
   */
  readonly nightlyIssued?: string;
  /**
   * How many days a nightly export reads, up to yesterday.
   * @default 3
   */
  readonly nightlyDays?: number;
  /**
   * When the weekly re-reading of both directions starts, in Uruguayan time, such as `SUN 05:00`, or `off`.
   * @default "SUN 05:00"
   */
  readonly weekly?: string;
  /**
   * How many days the weekly re-reading covers; statuses change for up to 60 days.
   * @default 65
   */
  readonly weeklyDays?: number;
  /**
   * Whose details are read too, one request per receipt and none twice: `recibidos`, `emitidos`, `recibidos,emitidos` or `off`.
   * @default "off"
   */
  readonly details?: "off" | "recibidos,emitidos" | "recibidos" | "emitidos" | readonly ("recibidos" | "emitidos")[];
  /**
   * Details of a company's day with more receipts are skipped; the audit says so.
   * @default 10000
   */
  readonly maxDetailsPerUnit?: number;
  /**
   * A detail that was read longer ago is read again, even if its summary is the same. If not set, never.
   * @default -
   */
  readonly detailsMaxAgeDays?: number;
  /**
   * How many companies are exported at the same time, by all runs together. Times `requestsPerCompany`, it is the most requests that the API gets from this stack at once. Overlapping runs share it: a nightly run goes before the weekly one, and that before a backfill, whose workers pause and continue afterwards (decision 17). The default suits a new account, which has 10 concurrent Lambdas and at most 3,008 MB for each. If the account has 1,000, as most have, and the API can take it, 16 or more shorten a large backfill.
   * @default 8
   */
  readonly companiesAtOnce?: number;
  /**
   * How many requests of one company may be in flight; halved automatically when the API throttles.
   * @default 8
   */
  readonly requestsPerCompany?: number;
  /**
   * A list with more rows is taken to be endless, and its unit fails.
   * @default 1000000
   */
  readonly maxRowsPerList?: number;
  /**
   * Minutes to wait before each retry of a company's failed units, such as `2,8`; meanwhile another run may use its lease.
   * @default [2,8]
   */
  readonly retryWaitsMinutes?: readonly (number)[] | string;
  /**
   * Memory of the Lambda that exports a company; CPU grows with it.
   * @default 1024
   */
  readonly workerMemoryMb?: number;
  /**
   * How long one invocation of that Lambda may take; the next one continues with what is left.
   * @default 15
   */
  readonly workerTimeoutMinutes?: number;
  /**
   * How long a whole run may take before it is stopped, its waits for leases included.
   * @default 72
   */
  readonly runTimeoutHours?: number;
  /**
   * First issue date that Athena sees; `backfill` refuses earlier days.
   * @default "2012-01-01"
   */
  readonly firstDay?: string;
  /**
   * A query that scans more than this is stopped.
   * @default 100
   */
  readonly scanCutoffGiB?: number;
  /**
   * Encrypt the lake, the logs and the alarms' topic with a KMS key of the stack's own instead of AWS's. Athena users need `kms:Decrypt` on it.
   * @default false
   */
  readonly useKms?: boolean;
  /**
   * How long replaced and deleted objects of the lake can be restored.
   * @default 30
   */
  readonly noncurrentVersionDays?: number;
  /**
   * How long logs are kept: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653.
   * @default 90
   */
  readonly logRetentionDays?: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 120 | 150 | 180 | 365 | 400 | 545 | 731 | 1096 | 1827 | 2192 | 2557 | 2922 | 3288 | 3653;
  /**
   * When the tokens are checked before the night, in Uruguayan time, or `off`: an alarm reports those that expire before the nightly runs are done. See docs/tokens.md.
   * @default "18:00"
   */
  readonly tokenReview?: string;
  /**
   * An alarm reports a token that expires within this many days. Use `0` where something renews tokens automatically: then it reports only expired ones.
   * @default 7
   */
  readonly tokenAlarmDays?: number;
  /**
   * E-mail address for alarms; the recipient must confirm it once.
   * @default -
   */
  readonly alarmEmail?: string;
}
