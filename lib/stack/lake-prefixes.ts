/** Prefixes of the bucket beside the tables', each with its own life. */

/** Parts of units that one invocation did not finish. */
export const STAGING_PREFIX = '.staging/';
/** What Step Functions writes about a run: one entry a company. */
export const RUN_RECORDS_PREFIX = 'corridas/';
/** Answers of Athena queries. */
export const QUERY_RESULTS_PREFIX = 'consultas/';
/** Calendars of what was exported. */
export const COVERAGE_PREFIX = 'cobertura/';
