import { type Direction, ENDPOINTS } from '../api/directions.ts';
import { plural } from '../text/terminal.ts';
import type { DayRange } from '../time/days.ts';
import { describeAnswer, type Finding, findingOn, type ProbeAnswer, type RetryAfter } from './answer.ts';
import { listRequest, type ProbeClient, type ProbeRequest } from './probe-client.ts';

/** The largest Int64: no receipt will ever have it. */
const UNKNOWN_ID = '9223372036854775807';

/** How the API responds to requests that it cannot fulfil (the contract, §7, does not say): 5 requests. */
export async function probeRefusals(
  client: ProbeClient,
  direction: Direction,
  range: DayRange,
): Promise<Finding[]> {
  const { listPath } = ENDPOINTS[direction];
  const good = listRequest(direction, range, { pageSize: 1 });
  const query = good.query ?? [];
  const wrongDate = query.map(([name, value]) => [name, name === 'FechaDesde' ? 'no-date' : value] as const);
  const cases: readonly [Finding['name'], ProbeRequest][] = [
    ['unknownId', { path: `${listPath}/${UNKNOWN_ID}` }],
    ['missingAuthorization', { ...good, without: 'authorization' }],
    ['missingXEmisor', { ...good, without: 'x-emisor' }],
    ['badFilterValue', { ...good, query: wrongDate }],
    ['unknownParameter', { ...good, query: [...query, ['ParametroDesconocido', '1']] }],
  ];
  const findings: Finding[] = [];
  for (const [name, request] of cases) {
    const answer = await client.ask(request);
    findings.push(findingOn(name, [verdict(answer), [describeAnswer(answer)]]));
  }
  return findings;
}

function verdict({ status }: ProbeAnswer): string {
  if (status === 0) return 'unknown: no answer came';
  return status === 200 ? 'accepted (status 200)' : `status ${status}`;
}

/** Requests in flight to try. Everything else is asked with one. */
const LEVELS = [2, 4, 8] as const;

/** Pause after throttling, so that a rate limit is not taken for a limit of parallelism. */
const PAUSE_MS = 1000;

/**
 * Tests how many requests may be in flight: 2, 4 and 8 at once (14 in all). Stops when one is throttled or fails, or
 * when too few requests are left. Does not retry.
 */
export async function probeParallelism(client: ProbeClient, request: ProbeRequest): Promise<Finding> {
  const evidence: string[] = [];
  let tolerated = 1;
  let end = '';
  for (const level of LEVELS) {
    if (client.left < level) {
      end = ', no requests are left to try more';
      break;
    }
    if (client.retryAfters.length > 0) await client.pause(PAUSE_MS);
    const answers = await Promise.all(Array.from({ length: level }, () => client.askOnce(request)));
    const failed = answers.filter(({ status }) => status !== 200);
    const median = medianOf(answers.map(({ latencyMs }) => latencyMs));
    evidence.push(`${level} in flight: ${level - failed.length} of ${level} answered, median ${ms(median)}`);
    const [first] = failed;
    if (first !== undefined) {
      end = first.status === 0 ? '; then no answer' : `; then status ${first.status}`;
      break;
    }
    tolerated = level;
  }
  const isRefused = end.startsWith(';');
  return findingOn('parallelism', [`${isRefused ? '' : 'at least '}${tolerated}${end}`, evidence]);
}

/** The API's latency, by requests sent one at a time. */
export function latencyFinding(latenciesMs: readonly number[]): Finding {
  const count = latenciesMs.length;
  if (count === 0) return findingOn('latency', ['unknown', []]);
  const [least, most] = [ms(Math.min(...latenciesMs)), ms(Math.max(...latenciesMs))];
  return findingOn('latency', [
    `${ms(medianOf(latenciesMs))} (median)`,
    [`from ${least} to ${most}, ${plural(count, 'request')} one after the other`],
  ]);
}

/** The form of Retry-After in throttled responses (429, 503). */
export function retryAfterFinding(retryAfters: readonly (RetryAfter | undefined)[]): Finding {
  const forms = [...new Set(retryAfters.map((given) => given?.form))];
  const texts = forms.map((form) => {
    if (form === undefined) return 'absent';
    return form === 'date' ? 'as a date' : 'in seconds';
  });
  return findingOn('retryAfter', [
    texts.sort().join(', ') || 'unknown: nothing was throttled',
    retryAfters.length === 0 ? [] : [`${plural(retryAfters.length, 'answer')} of status 429 or 503`],
  ]);
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
