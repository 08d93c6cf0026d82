import * as v from 'valibot';
import { companiesAtOnce, requestsPerSecondOf } from '../../lib/run/shares.ts';
import { SettingsSchema } from '../../lib/stack/settings.ts';
import { BILL_LINES, type Bill, billOf, PRICES, sumOf } from './bill.ts';
import { ASSUMPTIONS as A, BACKFILL, CASES } from './cases.ts';
import type { Figures, Measurements } from './measurements.ts';
import { backfillOf, monthOf, runsOf, type Usage } from './usage.ts';

/** A cap of requests as an example. */
const CAP_PER_SECOND = 5;

/** Text of docs/cost.md. */
export function costPage(measurements: Measurements): string {
  const rows = [
    ...CASES.map((case_) => ({ ...case_, usage: monthOf(case_, measurements) })),
    { ...BACKFILL, usage: backfillOf(measurements) },
  ];
  const bills = rows.map(({ name, usage }) => ({ name, bill: billOf(usage) }));
  return [
    '# What it costs',
    '',
    '<!-- Written by `npm run cost`; `npm run cost -- --measure` measures again. -->',
    '',
    `A month in AWS, in US dollars, with the default settings: a nightly run of both directions over ${A.nightlyDays} days, once a week over ${A.weeklyDays}. Prices of ${PRICES.region}, ${PRICES.date}. ${PRICES.source}.`,
    '',
    ...billTable(bills),
    '',
    'Most of a small bill is fixed: metrics, alarms, the dashboard and the secrets cost the same however few receipts there are. Ten metrics, ten alarms and three dashboards are free in most accounts, and a metric is charged only for hours in which it has data. Then comes Step Functions, which charges by company and run, and Lambda, which charges for waiting for the API. Storage hardly counts.',
    '',
    '## What a month takes',
    '',
    ...usageTable(rows),
    '',
    cappedNights(rows),
    '',
    requestsOfRuns(measurements),
    '',
    '## What was measured',
    '',
    `On ${measurements.measuredOn}, ${measurements.machine}: the worker's own code against the sandbox over HTTP, both in one process, so that CPU time includes the sandbox. The API answers after ${measurements.apiLatencyMs} ms and the lake after ${measurements.s3LatencyMs} ms, with ${measurements.requestsInFlight} requests in flight. _First_ is into an empty lake, _again_ one night later; start-run has proved that lists are whole, with the last day of their range. Sizes are those of invented receipts; yours may be several times larger.`,
    '',
    ...measuredTable(measurements),
    '',
    '## What was assumed',
    '',
    ...assumptions(),
    '',
  ].join('\n');
}

function billTable(bills: readonly { name: string; bill: Bill }[]): string[] {
  const keys = Object.keys(BILL_LINES).filter((key): key is keyof Bill => key in BILL_LINES);
  return table(
    ['USD a month', ...keys.map((key) => BILL_LINES[key]), 'Sum'],
    bills.map(({ name, bill }) => [
      name,
      ...keys.map((key) => dollars(bill[key])),
      `**${dollars(sumOf(bill))}**`,
    ]),
  );
}

function caseName(name: string): string {
  return name.split(/[:,]/)[0] ?? name;
}

function usageTable(rows: readonly { name: string; usage: Usage }[]): string[] {
  return table(
    [
      '',
      'API requests',
      'Invocations',
      'GB-seconds',
      'State transitions',
      'S3 writes',
      'S3 reads',
      'Stored (GB)',
    ],
    rows.map(({ name, usage }) => [
      caseName(name),
      ...[
        usage.requests,
        usage.invocations,
        usage.gbSeconds,
        usage.transitions,
        usage.s3Writes,
        usage.s3Reads,
      ].map(whole),
      (usage.storedBytes / 1e9).toFixed(2),
    ]),
  );
}

/** Requests a second of a night under the cap, with the default settings. */
function nightsShare(companies: number): number {
  const { companiesAtOnce: night = 0, backfillCompaniesAtOnce: backfill = 0 } = v.getDefaults(SettingsSchema);
  const shares = { night, backfill, requestsPerSecond: CAP_PER_SECOND };
  const corrida = '20261120020000-nocturna';
  const a_la_vez = companiesAtOnce(corrida, companies, shares);
  return a_la_vez * (requestsPerSecondOf(shares, { corrida, a_la_vez }) ?? 0);
}

/** How long a nightly run takes under a cap of requests, all of whose companies have as much to read. */
function cappedNights(rows: readonly { name: string; companies: number; usage: Usage }[]): string {
  const times = rows.flatMap(({ name, companies, usage: { requestsANight } }) =>
    requestsANight === undefined
      ? []
      : [`${caseName(name)} ${whole(Math.ceil(requestsANight / nightsShare(companies) / 60))}`],
  );
  return `With \`apiRequestsPerSecond\`, a run takes at least its requests divided by its share of that number. At ${CAP_PER_SECOND} a second a nightly run takes this many minutes: ${times.join(', ')}.`;
}

/** What one run of the largest case asks of S3. */
function requestsOfRuns(measurements: Measurements): string {
  const platform = CASES.find(({ companies }) => companies === BACKFILL.companies);
  if (platform === undefined) throw new Error(`No case has ${BACKFILL.companies} companies.`);
  const { quietNight, weekly } = runsOf(platform, measurements);
  const { s3Writes, s3Reads } = backfillOf(measurements);
  const said = ({ writes, reads }: { writes: number; reads: number }) =>
    `${whole(writes)} writes and ${whole(reads)} reads`;
  return `Of S3, one run of D's ${whole(platform.companies)} companies asks for: a night in which nothing changed, ${said(quietNight)}; a weekly one in which each day changed, ${said(weekly)}; the year's backfill, ${said({ writes: s3Writes, reads: s3Reads })}. Listings count as writes, as on the bill.`;
}

function measuredTable({ active, detailed, idle, sparseYear }: Measurements): string[] {
  const nights = (of: Measurements['active'], kind: string): [string, Figures][] =>
    Object.entries(of).flatMap(([size, { first, again, weekly }]) => [
      [`3 days of ${whole(Number(size))} receipts${kind}, first`, first],
      [`3 days of ${whole(Number(size))} receipts${kind}, again`, again],
      ...linesOf(`65 days of ${whole(Number(size))} receipts, again`, weekly),
    ]);
  const rows = [...nights(active, ''), ...nights(detailed, ' with details')];
  rows.push(
    ['idle company, 3 days of one direction', idle.nightly],
    ['idle company, 65 days of both', idle.weekly],
    ['a year of one direction, receipts on one day in ten', sparseYear],
  );
  return table(
    ['One function', 'Receipts', 'Requests', 'S3 writes', 'S3 reads', 'KB written', 'Seconds', 'CPU seconds'],
    rows.map(([name, figures]) => [
      name,
      ...[figures.receipts, figures.requests, figures.s3Writes, figures.s3Reads, figures.bytes / 1000].map(
        whole,
      ),
      (figures.wallMs / 1000).toFixed(1),
      (figures.cpuMs / 1000).toFixed(2),
    ]),
  );
}

function linesOf(name: string, figures: Figures | undefined): [string, Figures][] {
  return figures === undefined ? [] : [[name, figures]];
}

function assumptions(): string[] {
  return [
    `- A company is either idle or has receipts every day. Of the ${A.nightlyDays} days of a night one is new. The others cost what reading them again cost, and so do the weekly ones where the table has no line for them.`,
    '- Days larger than those measured cost proportionally more.',
    `- The worker has ${A.workerMemoryGb} GB and ${A.processorShare} of a processor, so the same CPU time takes longer. With 0.6 of a core (a cgroup, 2026-11-28), ten companies of 20,000 receipts in 20 days each, one after the other at 50 ms an answer, took 29 s with 5 s of CPU time, as long as with a whole one. Each invocation adds ${A.overheadMsPerInvocation} ms.`,
    `- Publishing is calculated, not measured: ${A.readsPerPublishedDay} reads and ${A.writesPerPublishedDay} writes for each day of a run, as if each changed, and ${A.rebuildsPerPublishedDay} reads for each of its units; the workers' marks are measured. The days are taken to be as large as the units, which is too much. Each scheduled publication, one every ten minutes, adds ${A.scheduledPublicationGbSeconds} GB-second and ${A.listingsPerPublication} listings; each call of renew-tokens, as often, ${A.renewalGbSeconds} GB-seconds and a look for the login's secret.`,
    '- In general: after D days the tables have 2 × D objects (4 × D with details), plus one per run each in `exportaciones` and `cambios`, however many companies there are. Publishing a day of u units in which any changed takes ⌈u / 1,000⌉ listings, 1 + u reads (for a unit of more than 512 KB, one more for each column of a row group) and a write (above 8 MB, one more for each 8 MB); a day in which none changed, the listings and a read. A unit that is written takes a write more, for the mark of its day. `npm run bench -- publishing year` measures its time and memory.',
    `- ${A.requestsPerRun} requests at the beginning of a run. ${A.transitionsPerCompany} state transitions per company and run, ${A.transitionsPerRun} per run. No retries: a night in which the API is down costs more transitions, and little else.`,
    `- ${A.companiesPerSecret} companies per secret, ${whole(A.logBytesPerInvocation)} bytes of log per invocation, ${whole(A.requestBytes)} bytes sent per request.`,
    `- ${A.metrics} metrics, ${A.alarmMetrics} alarms and a dashboard at full price. Every invocation is traced.`,
    `- The lake holds ${A.monthsInTheLake} months; replaced objects stay for one more. Encryption is S3's own; \`useKms\` adds a dollar and little else.`,
    `- ${A.queriesADay} queries a day in Athena, each over a month of everything (a query is charged for at least 10 MB).`,
    `- Details only where the case says so, with ${A.detailMetrics} more metrics. C's days are larger than \`maxDetailsPerUnit\`, so their details are skipped. No free tier, no taxes.`,
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)];
}

function dollars(amount: number): string {
  return amount.toFixed(2);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
