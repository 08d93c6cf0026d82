import type { ProbeAnswer, RetryAfter } from './answer.ts';
import type { ProbeClient, ProbeRequest } from './probe-client.ts';
import type { Finding } from './report.ts';

const LEVELS = [1, 2, 4, 8] as const;
const LEAST_REQUESTS = 2;

/** A limit by rate, once seen, must not be taken for one by parallelism: a second lets it recover. */
const PAUSE_MS = 1000;

/**
 * How many requests may be in flight: 1, 2, 4, 8, few requests each (16 in all), and no more after the first
 * that is throttled or fails. Nothing is asked again here.
 */
export async function probeParallelism(client: ProbeClient, request: ProbeRequest): Promise<Finding> {
  const evidence: string[] = [];
  let tolerated = 0;
  let refusal: string | undefined;
  for (const level of LEVELS) {
    const count = Math.max(LEAST_REQUESTS, level);
    if (client.left < count) {
      refusal = 'the limit of requests';
      break;
    }
    if (client.retryAfters.length > 0) await client.pause(PAUSE_MS);
    const answers: ProbeAnswer[] = [];
    while (answers.length < count) {
      answers.push(...(await Promise.all(Array.from({ length: level }, () => client.askOnce(request)))));
    }
    const failed = answers.filter(({ status }) => status !== 200);
    const median = medianOf(answers.map(({ latencyMs }) => latencyMs));
    evidence.push(`${level} in flight: ${count - failed.length} of ${count} answered, median ${ms(median)}`);
    const [first] = failed;
    if (first !== undefined) {
      refusal = first.status === 0 ? 'no answer' : `status ${first.status}`;
      break;
    }
    tolerated = level;
  }
  return {
    name: 'parallelism',
    question: 'How many requests may be in flight?',
    finding: parallelismText(tolerated, refusal),
    evidence,
  };
}

function parallelismText(tolerated: number, refusal: string | undefined): string {
  if (refusal === undefined) return `at least ${tolerated}`;
  return tolerated === 0 ? `unknown: ${refusal} with one at a time` : `${tolerated}; then ${refusal}`;
}

/** How long the API takes, by requests that went one at a time. */
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

/** What throttled answers (429, 503) said of when to come again. */
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
