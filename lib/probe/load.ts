import type { RetryAfter } from './answer.ts';
import type { ProbeClient, ProbeRequest } from './probe-client.ts';
import type { Finding } from './report.ts';

/** With one in flight all else is asked. */
const LEVELS = [2, 4, 8] as const;

/** A limit by rate, once seen, must not be taken for one by parallelism: a second lets it recover. */
const PAUSE_MS = 1000;

/**
 * How many requests may be in flight: 2, 4, 8, all of them once (14 in all), and no more after the first that is
 * throttled or fails, or where fewer requests are left. Nothing is asked again here.
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
