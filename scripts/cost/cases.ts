/** A case to be priced: so many companies, of which some have receipts on most days and the others have none. */
export interface Case {
  name: string;
  companies: number;
  activeCompanies: number;
  /** Of an active company, in each direction and day. */
  receiptsPerUnit: number;
  /** The size that was measured; larger ones count as many times as much. */
  measuredSize: 10 | 50 | 500 | 5_000 | 12_500;
  /** Every receipt read whole. */
  hasDetails?: boolean;
}

export const CASES: readonly Case[] = [
  {
    name: 'A: accounting firm, 200 companies, 50 of them with 100 receipts a day',
    companies: 200,
    activeCompanies: 50,
    receiptsPerUnit: 50,
    measuredSize: 50,
  },
  {
    name: 'B: mid-size company, 10,000 receipts a day',
    companies: 1,
    activeCompanies: 1,
    receiptsPerUnit: 5_000,
    measuredSize: 5_000,
  },
  {
    name: 'B with details, each receipt read whole',
    companies: 1,
    activeCompanies: 1,
    receiptsPerUnit: 5_000,
    measuredSize: 500,
    hasDetails: true,
  },
  {
    name: 'C: largest retail chain, 250,000 receipts a day',
    companies: 1,
    activeCompanies: 1,
    receiptsPerUnit: 125_000,
    measuredSize: 12_500,
  },
  {
    name: 'D: platform, 1,000 companies, 100 of them with 20 receipts a day',
    companies: 1_000,
    activeCompanies: 100,
    receiptsPerUnit: 10,
    measuredSize: 10,
  },
];

/** Case D's first filling: 730,000 units, one day in ten with receipts. */
export const BACKFILL = { name: "D's year of backfill, once", companies: 1_000, directions: 2 };

/** What was not measured. Each is on the high side; the page lists them. */
export const ASSUMPTIONS = {
  nightsAMonth: 30,
  nightlyRuns: 2,
  nightlyDays: 3,
  weeksAMonth: 30 / 7,
  weeklyDays: 65,
  workerMemoryGb: 1,
  /** Of a processor, at that memory; the rest of the measured CPU time is added to the wall time. */
  processorShare: 0.58,
  /** Start-up and what surrounds the export, for each invocation. */
  overheadMsPerInvocation: 500,
  /** Of an invocation's 15 minutes. */
  usableMsPerInvocation: 14 * 60_000,
  /** start-run, publish and finish-run together. */
  runGbSeconds: 25,
  runGbSecondsPerCompany: 0.1,
  /** Export, choice, end, and the start of the child. */
  transitionsPerCompany: 4,
  /** Export and choice once more. */
  transitionsPerFurtherPart: 2,
  /** Map, publish and choice, twice, finish-run; the beginning and the end. */
  transitionsPerRun: 8,
  /** finish-run: a part of the audit; of two units that changed, the staged changes, twice, and the object. */
  readsPerCompanyAndRun: 7,
  /** The worker looks for what says that days lag; publish reads three changed units. */
  publishingReadsPerCompanyAndRun: 4,
  /** The worker lists whether the lake's layout is this one and who is done, and says that days lag. */
  publishingWritesPerCompanyAndRun: 4,
  /** publish, for each day of a run's, twice: the object, which is replaced once, and the list of its units. */
  readsPerPublishedDay: 2,
  writesPerPublishedDay: 3,
  /** publish by its schedule finds nothing to do, as a rule. */
  hourlyPublicationsAMonth: 720,
  hourlyPublicationGbSeconds: 0.5,
  /** finish-run, for the coverage page: the runs of 160 days. */
  readsPerRun: 360,
  /** finish-run: lists what is to be closed, replaces two objects and the page. */
  writesPerRun: 20,
  /** A worker's lease: who has it, and the ranks that go before; it is taken. */
  leaseReadsPerInvocation: 3,
  leaseWritesPerInvocation: 1,
  logBytesPerInvocation: 5_000,
  requestBytes: 1_500,
  companiesPerSecret: 50,
  secretCallsPerInvocation: 2,
  monthsInTheLake: 12,
  /** Those of the handlers, UnitsFailed twice, and the cold starts of four functions. */
  metrics: 30,
  /** Of details, which have data only where these are read. */
  detailMetrics: 3,
  alarmMetrics: 20,
  dashboards: 1,
  queriesADay: 20,
  /** Athena's least for one query. */
  minBytesPerQuery: 10_000_000,
} as const;
