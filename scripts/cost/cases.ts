/** A case to be priced: active companies have receipts on most days, the others have none. */
export interface Case {
  name: string;
  companies: number;
  activeCompanies: number;
  /** Receipts of an active company, per direction and day. */
  receiptsPerUnit: number;
  /** The measured size that stands for it. A larger unit costs proportionally more. */
  measuredSize: 10 | 50 | 500 | 5_000;
  /** Whether the details of all receipts are read. */
  hasDetails?: boolean;
  /** Whether older days are read once a month. */
  hasDeepReading?: boolean;
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
    name: 'A with deepReadDays=400',
    companies: 200,
    activeCompanies: 50,
    receiptsPerUnit: 50,
    measuredSize: 50,
    hasDeepReading: true,
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
    measuredSize: 5_000,
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
export const BACKFILL = {
  name: "D's year of backfill, once",
  companies: 1_000,
  directions: 2,
  days: 365,
  /** Companies with receipts on a day; while the backfill goes on, half of them are there. */
  unitsPerDay: 100,
  /** Each rebuilds all days. The backfill takes an hour and a half. */
  publications: 10,
};

/** Figures that were not measured. They are rather high; the page lists them. */
export const ASSUMPTIONS = {
  nightsAMonth: 30,
  directions: 2,
  nightlyDays: 3,
  weeksAMonth: 30 / 7,
  weeklyDays: 65,
  /** From day 66 to day 400. */
  deepDaysAMonth: 335,
  workerMemoryGb: 1,
  /** Share of a processor at that memory. CPU time beyond the share adds to the wall time. */
  processorShare: 0.58,
  /** Start-up, and work around the export. */
  overheadMsPerInvocation: 500,
  /** An invocation may take 15 minutes. */
  usableMsPerInvocation: 14 * 60_000,
  /** start-run, publish and finish-run together. */
  runGbSeconds: 25,
  runGbSecondsPerCompany: 0.1,
  /** start-run proves the service. */
  requestsPerRun: 6,
  /** The child's start, export, choice and end. */
  transitionsPerCompany: 4,
  /** Another export and choice. */
  transitionsPerFurtherPart: 2,
  /** Start, map, publish, choice, finish-run, end. */
  transitionsPerRun: 6,
  /** finish-run reads a part of the audit and, for two changed units, the staged changes (twice) and the object. */
  readsPerCompanyAndRun: 7,
  /**
   * publish, for each day in which anything changed: once while the run goes on, once at its end, and up to three times
   * until the marks are old enough. Each reads the object and lists the units; the first two read all units and replace
   * the object.
   */
  readsPerPublishedDay: 5,
  writesPerPublishedDay: 7,
  rebuildsPerPublishedDay: 2,
  /** publish lists the marks and the runs that are not closed. */
  listingsPerPublication: 2,
  /** The scheduled publish usually finds nothing to do. */
  scheduledPublicationsAMonth: 4_320,
  scheduledPublicationGbSeconds: 1,
  /** renew-tokens is called as often; without a login it only looks for its secret. */
  renewalGbSeconds: 0.1,
  /** finish-run reads the runs of 160 days for the coverage page, start-run days for its proof. */
  readsPerRun: 630,
  /** finish-run lists the parts to close, and replaces two objects and the page. */
  writesPerRun: 20,
  logBytesPerInvocation: 5_000,
  requestBytes: 1_500,
  companiesPerSecret: 50,
  secretCallsPerInvocation: 2,
  monthsInTheLake: 12,
  /** The handlers' metrics, UnitsFailed twice, and the cold starts of five functions. */
  metrics: 33,
  /** Metrics of details, which have data only if details are read. */
  detailMetrics: 3,
  alarmMetrics: 23,
  dashboards: 1,
  queriesADay: 20,
  /** Athena charges at least this much per query. */
  minBytesPerQuery: 10_000_000,
} as const;
