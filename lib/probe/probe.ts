import { DIRECTIONS, type Direction } from '../api/directions.ts';
import type { Day, DayRange } from '../time/days.ts';
import { type Finding, findingOn } from './answer.ts';
import { findDay, type ListSample, ProbeError, sampleList } from './list-sample.ts';
import { pageSizeFindings, pagingFindings } from './paging-findings.ts';
import { listRequest, ProbeClient, type ProbeClientOptions, RequestLimitError } from './probe-client.ts';
import { probeRangeWidth, probeResultWindow } from './range-findings.ts';
import { latencyFinding, probeParallelism, probeRefusals, retryAfterFinding } from './service-findings.ts';

/**
 * Each list takes ten requests to find a day and eight for pages, the longer one ten more, and the API as a whole 5: 51
 * if nothing is throttled. Up to 14 others test how many requests may be in flight.
 */
export const MAX_REQUESTS = 60;
export const MAX_DAYS = 10;

export interface ProbeOptions extends Omit<ProbeClientOptions, 'maxRequests'> {
  /** Issue dates among which to find one with receipts, tried in order; at most MAX_DAYS. */
  days: readonly Day[];
  maxRequests?: number;
}

export interface ProbeReport {
  api: string;
  rut: string;
  /** The issue date whose list was examined; null if none had receipts. */
  days: Record<Direction, string | null>;
  requests: {
    sent: number;
    limit: number;
    /** By status; 0: no response. */
    byStatus: Readonly<Record<number, number>>;
  };
  findings: Finding[];
}

/**
 * Finds out what the contract leaves open, by reading one company's lists with at most `maxRequests` requests. Throws
 * ProbeError if neither list can be read.
 */
export async function probe({ maxRequests = MAX_REQUESTS, ...options }: ProbeOptions): Promise<ProbeReport> {
  const client = new ProbeClient({ ...options, maxRequests });
  const findings: Finding[] = [];
  const days: Record<Direction, string | null> = { recibidos: null, emitidos: null };
  try {
    const samples = await probeLists(client, options.days, findings);
    for (const { direction, day } of samples) days[direction] = day;
    const longest = longestOf(samples);
    if (longest !== undefined) {
      const { finding, whole } = await probeRangeWidth(client, longest);
      findings.push(finding);
      findings.push(await probeResultWindow(client, longest, whole));
    }
    const { direction, range } = longest ?? emptyList(options.days);
    findings.push(...(await probeRefusals(client, direction, range)));
    findings.push(await probeParallelism(client, listRequest(direction, range, { pageSize: 10 })));
  } catch (error) {
    if (!(error instanceof RequestLimitError)) throw error;
    findings.push(findingOn('requestLimit', [`no: the limit of ${maxRequests} requests was reached`, []]));
  }
  findings.push(latencyFinding(client.latenciesMs), retryAfterFinding(client.retryAfters));
  const { origin, pathname } = options.address;
  return {
    api: `${origin}${pathname}`,
    rut: options.rut,
    days,
    requests: { sent: client.sent, limit: maxRequests, byStatus: client.byStatus },
    findings,
  };
}

/** Samples the lists that have receipts, and adds to `findings`. */
async function probeLists(
  client: ProbeClient,
  days: readonly Day[],
  findings: Finding[],
): Promise<ListSample[]> {
  const samples: ListSample[] = [];
  const problems: ProbeError[] = [];
  for (const direction of DIRECTIONS) {
    try {
      const found = await findDay(client, direction, days.slice(0, MAX_DAYS));
      if (found === undefined) {
        findings.push(
          findingOn('list', [`unknown: no receipts from ${days.at(-1)} to ${days[0]}`, []], direction),
        );
        continue;
      }
      const sample = await sampleList(client, direction, found);
      findings.push(...pageSizeFindings(sample), ...pagingFindings(sample));
      samples.push(sample);
    } catch (error) {
      if (!(error instanceof ProbeError)) throw error;
      findings.push(findingOn('list', [`unknown: ${error.message}`, []], direction));
      problems.push(error);
    }
  }
  const [problem] = problems;
  if (problem !== undefined && problems.length === DIRECTIONS.length) throw problem;
  return samples;
}

function longestOf(samples: readonly ListSample[]): ListSample | undefined {
  const length = ({ first }: ListSample) => first.page?.rows.length ?? 0;
  return samples.toSorted((a, b) => length(b) - length(a))[0];
}

function emptyList(days: readonly Day[]): { direction: Direction; range: DayRange } {
  const [day] = days;
  if (day === undefined) throw new TypeError('no day to probe');
  return { direction: 'recibidos', range: { from: day, to: day } };
}
