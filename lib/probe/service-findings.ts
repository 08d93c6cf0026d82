import { type Direction, ENDPOINTS } from '../api/directions.ts';
import type { Finding, RetryAfter } from './answer.ts';
import { describeAnswer, type ProbeAnswer } from './answer.ts';
import type { ProbeClient, ProbeRequest } from './probe-client.ts';
import { listRequest, type ProbeRange } from './probe-client.ts';

/** The largest Int64: no receipt will ever have it. */
const UNKNOWN_ID = '9223372036854775807';

/** How the API responds to requests that it cannot fulfil (the contract, §7, does not say): 5 requests. */
export async function probeRefusals(
  client: ProbeClient,
  direction: Direction,
  range: ProbeRange,
): Promise<Finding[]> {
  const { listPath } = ENDPOINTS[direction];
  const good = listRequest(direction, range, { pageSize: 1 });
  const query = good.query ?? [];
  const cases: { name: string; question: string; request: ProbeRequest }[] = [
    {
      name: 'unknownId',
      question: 'What does the detail of an unknown id answer?',
      request: { path: `${listPath}/${UNKNOWN_ID}` },
    },
    {
      name: 'missingAuthorization',
      question: 'What is answered without the header Authorization?',
      request: { ...good, without: 'authorization' },
    },
    {
      name: 'missingXEmisor',
      question: 'What is answered without the header X-Emisor?',
      request: { ...good, without: 'x-emisor' },
    },
    {
      name: 'badFilterValue',
      question: 'What does a date that is none answer?',
      request: {
        ...good,
        query: query.map(([name, value]) => [name, name === 'FechaDesde' ? 'no-date' : value]),
      },
    },
    {
      name: 'unknownParameter',
      question: 'What does an unknown parameter answer?',
      request: { ...good, query: [...query, ['ParametroDesconocido', '1']] },
    },
  ];
  const findings: Finding[] = [];
  for (const { name, question, request } of cases) {
    const answer = await client.ask(request);
    findings.push({ name, question, finding: verdict(answer), evidence: [describeAnswer(answer)] });
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
  return {
    name: 'parallelism',
    question: 'How many requests may be in flight?',
    finding: `${isRefused ? '' : 'at least '}${tolerated}${end}`,
    evidence,
  };
}

/** The API's latency, by requests sent one at a time. */
export function latencyFinding(latenciesMs: readonly number[]): Finding {
  const question = 'How long does an answer take?';
  if (latenciesMs.length === 0) return { name: 'latency', question, finding: 'unknown', evidence: [] };
  const [least, median, most] = [
    Math.min(...latenciesMs),
    medianOf(latenciesMs),
    Math.max(...latenciesMs),
  ].map(ms);
  return {
    name: 'latency',
    question,
    finding: `${median} (median)`,
    evidence: [`from ${least} to ${most}, ${latenciesMs.length} requests one after the other`],
  };
}

/** The form of Retry-After in throttled responses (429, 503). */
export function retryAfterFinding(retryAfters: readonly (RetryAfter | undefined)[]): Finding {
  const forms = [...new Set(retryAfters.map((given) => given?.form))];
  const texts = forms.map((form) => {
    if (form === undefined) return 'absent';
    return form === 'date' ? 'as a date' : 'in seconds';
  });
  return {
    name: 'retryAfter',
    question: 'Does a throttled answer say when to come again (Retry-After)?',
    finding: texts.length === 0 ? 'unknown: nothing was throttled' : texts.sort().join(', '),
    evidence: retryAfters.length === 0 ? [] : [`${retryAfters.length} answers of status 429 or 503`],
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
