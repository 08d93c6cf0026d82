import { ASSUMPTIONS as A, BACKFILL, type Case } from './cases.ts';
import type { Figures, Measurements } from './measurements.ts';

/** A month's use of each service. */
export interface Usage {
  requests: number;
  /** Of one nightly run; absent where there is none. */
  requestsANight?: number;
  invocations: number;
  gbSeconds: number;
  transitions: number;
  s3Writes: number;
  s3Reads: number;
  /** Size of the lake after a year, replaced versions included. */
  storedBytes: number;
  logBytes: number;
  sentBytes: number;
  secrets: number;
  secretCalls: number;
  scannedBytes: number;
  /** Whether it includes the month's fixed costs: metrics, alarms, dashboard, secrets. */
  hasFixedParts: boolean;
  /** Whether details have metrics of their own. */
  hasDetails: boolean;
}

/** One company's share of one run, and how often a month it occurs. */
interface Work {
  times: number;
  figures: Figures;
}

export function monthOf(case_: Case, measurements: Measurements): Usage {
  const { companies, activeCompanies, receiptsPerUnit, measuredSize } = case_;
  const { hasDetails = false, hasDeepReading = false } = case_;
  const measured = measurements[hasDetails ? 'detailed' : 'active'][String(measuredSize)];
  if (measured === undefined) throw new Error(`No units of ${measuredSize} receipts were measured.`);
  const factor = receiptsPerUnit / measuredSize;
  const first = scaled(measured.first, factor / measured.first.units);
  const again = scaled(measured.again, factor / measured.again.units);
  const plainNights = A.nightsAMonth - A.weeksAMonth;
  const idleCompanies = companies - activeCompanies;
  const weekly = weeklyOf(measured, factor, again);
  // A night's share of older days costs what as much of a weekly reading does.
  const deepShare = hasDeepReading ? A.deepDaysAMonth / A.nightsAMonth / A.weeklyDays : 0;
  const ofNight = scaled(added(first, scaled(again, A.nightlyDays - 1)), A.directions);
  const idleNight = scaled(measurements.idle.nightly, A.directions);
  const work: Work[] = [
    { times: activeCompanies * plainNights, figures: added(ofNight, scaled(weekly, deepShare)) },
    {
      times: activeCompanies * A.weeksAMonth,
      figures: added(scaled(first, A.directions), scaled(weekly, 1 + deepShare)),
    },
    {
      times: idleCompanies * plainNights,
      figures: added(idleNight, scaled(measurements.idle.weekly, deepShare)),
    },
    { times: idleCompanies * A.weeksAMonth, figures: scaled(measurements.idle.weekly, 1 + deepShare) },
  ];
  const requestsANight =
    activeCompanies * ofNight.requests + idleCompanies * idleNight.requests + A.requestsPerRun;
  const newBytes = first.bytes * activeCompanies * A.nightsAMonth * A.directions;
  const rewrittenBytes = total(work, ({ bytes }) => bytes) - newBytes;
  const queries = A.queriesADay * A.nightsAMonth;
  const usage = usageOf(work, A.nightsAMonth, companies);
  const deepDays = hasDeepReading ? A.deepDaysAMonth : 0;
  const publishedDays =
    (plainNights * A.nightlyDays + A.weeksAMonth * A.weeklyDays + deepDays) * A.directions;
  return {
    ...usage,
    requestsANight,
    // Publications and renewals of tokens.
    invocations: usage.invocations + 2 * A.scheduledPublicationsAMonth,
    gbSeconds:
      usage.gbSeconds +
      A.scheduledPublicationsAMonth * (A.scheduledPublicationGbSeconds + A.renewalGbSeconds),
    s3Writes:
      usage.s3Writes +
      A.scheduledPublicationsAMonth * A.listingsPerPublication +
      publishedDays * A.writesPerPublishedDay,
    s3Reads:
      usage.s3Reads + publishedDays * (A.readsPerPublishedDay + A.rebuildsPerPublishedDay * activeCompanies),
    logBytes: usage.logBytes + 2 * A.scheduledPublicationsAMonth * A.logBytesPerInvocation,
    // Units, and the days made from them, which are no larger.
    storedBytes: 2 * (newBytes * A.monthsInTheLake + rewrittenBytes),
    scannedBytes: queries * Math.max(A.minBytesPerQuery, newBytes),
    secretCalls: usage.secretCalls + A.scheduledPublicationsAMonth,
    hasFixedParts: true,
    hasDetails,
  };
}

/** Both directions of the weekly days, all of them read before. */
function weeklyOf({ weekly }: Measurements['active'][string], factor: number, again: Figures): Figures {
  return weekly === undefined ? scaled(again, A.weeklyDays * 2) : scaled(weekly, factor * 2);
}

/** S3 requests of one run of a platform: a night in which nothing changed, and a weekly one in which each day did. */
export function runsOf({ companies, activeCompanies, measuredSize }: Case, measurements: Measurements) {
  const measured = measurements.active[String(measuredSize)];
  if (measured === undefined) throw new Error(`No units of ${measuredSize} receipts were measured.`);
  const idle = companies - activeCompanies;
  const { nightly, weekly } = measurements.idle;
  const active = weeklyOf(measured, 1, scaled(measured.again, 1 / measured.again.units));
  const days = A.weeklyDays * A.directions;
  const ofRun = { writes: A.writesPerRun, reads: A.readsPerRun + companies * A.readsPerCompanyAndRun };
  return {
    quietNight: {
      writes: ofRun.writes + companies * A.directions * nightly.s3Writes,
      reads: ofRun.reads + companies * A.directions * nightly.s3Reads,
    },
    weekly: {
      writes:
        ofRun.writes +
        idle * weekly.s3Writes +
        activeCompanies * active.s3Writes +
        days * A.writesPerPublishedDay,
      reads:
        ofRun.reads +
        idle * weekly.s3Reads +
        activeCompanies * active.s3Reads +
        days * (A.readsPerPublishedDay + A.rebuildsPerPublishedDay * activeCompanies),
    },
  };
}

export function backfillOf({ sparseYear }: Measurements): Usage {
  const { companies, directions, days, unitsPerDay, publications } = BACKFILL;
  const figures = scaled(sparseYear, directions);
  const usage = usageOf([{ times: companies, figures }], 1, companies);
  const published = publications * days * directions;
  return {
    ...usage,
    s3Writes: usage.s3Writes + published * 2,
    s3Reads: usage.s3Reads + published * (1 + unitsPerDay / 2),
    storedBytes: figures.bytes * companies,
    scannedBytes: 0,
    hasFixedParts: false,
    hasDetails: false,
  };
}

/** Of some companies' work in so many runs. */
function usageOf(
  work: readonly Work[],
  runs: number,
  companies: number,
): Omit<Usage, 'storedBytes' | 'scannedBytes' | 'hasFixedParts' | 'hasDetails'> {
  const companyRuns = total(work, () => 1);
  const workers = total(work, (figures) => Math.ceil(durationMs(figures) / A.usableMsPerInvocation));
  const invocations = workers + 4 * runs;
  const workerMs = total(work, durationMs) + workers * A.overheadMsPerInvocation;
  const requests = total(work, ({ requests: count }) => count) + runs * A.requestsPerRun;
  return {
    requests,
    invocations,
    gbSeconds:
      (workerMs / 1000) * A.workerMemoryGb + runs * (A.runGbSeconds + companies * A.runGbSecondsPerCompany),
    transitions:
      companyRuns * A.transitionsPerCompany +
      (workers - companyRuns) * A.transitionsPerFurtherPart +
      runs * A.transitionsPerRun,
    s3Writes: total(work, ({ s3Writes }) => s3Writes) + runs * A.writesPerRun,
    s3Reads:
      total(work, ({ s3Reads }) => s3Reads) + companyRuns * A.readsPerCompanyAndRun + runs * A.readsPerRun,
    logBytes: invocations * A.logBytesPerInvocation,
    sentBytes: requests * A.requestBytes,
    // One more for the login's tokens.
    secrets: Math.ceil(companies / A.companiesPerSecret) + 1,
    secretCalls: workers * A.secretCallsPerInvocation,
  };
}

/** Wall time as measured, plus the extra time that the CPU work takes in a Lambda of this size. */
function durationMs({ wallMs, cpuMs }: Figures): number {
  return wallMs + cpuMs * (1 / A.processorShare - 1);
}

function total(work: readonly Work[], of: (figures: Figures) => number): number {
  return work.reduce((sum, { times, figures }) => sum + times * of(figures), 0);
}

function scaled(figures: Figures, factor: number): Figures {
  return each((key) => figures[key] * factor);
}

function added(a: Figures, b: Figures): Figures {
  return each((key) => a[key] + b[key]);
}

function each(value: (key: keyof Figures) => number): Figures {
  return {
    units: value('units'),
    receipts: value('receipts'),
    requests: value('requests'),
    s3Writes: value('s3Writes'),
    s3Reads: value('s3Reads'),
    bytes: value('bytes'),
    wallMs: value('wallMs'),
    cpuMs: value('cpuMs'),
  };
}
