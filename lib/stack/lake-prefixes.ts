import {
  LAGGING_FOLDER,
  LEASES_FOLDER,
  OPEN_RUNS_FOLDER,
  SOURCE_FOLDER,
  UNITS_FOLDER,
} from '../lake/layout.ts';

/** Prefixes of the bucket beside the tables', each with its own life. */

/** Parts of units that one invocation did not finish. */
export const STAGING_PREFIX = '.staging/';
/** What runs wrote for the audit and for changes until they are closed. */
export const OPEN_RUNS_PREFIX = `${OPEN_RUNS_FOLDER}/`;
/** What Step Functions writes about a run: one entry a company. */
export const RUN_RECORDS_PREFIX = 'corridas/';
/** Answers of Athena queries. */
export const QUERY_RESULTS_PREFIX = 'consultas/';
/** The page of what was exported. */
export const COVERAGE_PREFIX = 'cobertura/';
/** Which service the receipts are from, and what is known of it; small, and there for good. */
export const SOURCE_PREFIX = `${SOURCE_FOLDER}/`;
/** The units, which the tables are made from: an object a company, direction and day. */
export const UNITS_PREFIX = `${UNITS_FOLDER}/`;
/** Which days may lag behind their units; publish takes them away. */
export const LAGGING_PREFIX = `${LAGGING_FOLDER}/`;
/** Who may export at this moment. */
export const LEASES_PREFIX = `${LEASES_FOLDER}/`;
