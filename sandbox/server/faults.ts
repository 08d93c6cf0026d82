import { isTargeted, type PageFault, type SandboxBehaviour, type Target } from '../behaviour.ts';
import { type Answer, htmlAnswer, messageAnswer } from './answer.ts';

const ELSEWHERE = 'https://elsewhere.invalid/';

/** Faults of every n-th request. */
export function periodicFaults(behaviour: Readonly<SandboxBehaviour>, nowMs: () => number) {
  const faults: readonly (readonly [every: number, answer: (usual: () => Answer) => Answer])[] = [
    [behaviour.tooManyRequestsEvery, () => tooManyRequests(behaviour, nowMs)],
    [behaviour.serverErrorEvery, () => messageAnswer(500, 'Internal server error')],
    [behaviour.badGatewayEvery, () => htmlAnswer(502, '502 Bad Gateway')],
    [behaviour.htmlEvery, () => htmlAnswer(200, 'Mantenimiento programado')],
    [behaviour.truncatedEvery, (usual) => truncated(usual())],
    [behaviour.resetEvery, () => 'reset'],
    [behaviour.hangEvery, () => 'hang'],
    [behaviour.redirectEvery, () => ({ status: 302, body: '', headers: { location: ELSEWHERE } })],
  ];
  const active = faults.filter(([every]) => every > 0);
  const spared = new Set<string>();
  let requests = 0;

  /**
   * The answer to a request, with its fault if it has one.
   * @param key the same for a request and its retry
   */
  return (key: string, target: Target, usual: () => Answer): Answer => {
    if (active.length === 0 || !isTargeted(behaviour.faultTarget, target)) return usual();
    requests++;
    // A retry of a request that was hit goes through.
    if (spared.delete(key)) return usual();
    const [every = 0, answer] = active.find(([every]) => requests % every === 0) ?? [];
    if (every > 1) spared.add(key);
    return answer === undefined ? usual() : answer(usual);
  };
}

/** Cuts off a successful body. Errors stay complete. */
function truncated(answer: Answer): Answer {
  if (typeof answer === 'string' || answer.status !== 200) return answer;
  return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
}

/** A 429, with Retry-After in the form that the behaviour asks for. */
export function tooManyRequests(
  { retryAfter, retryAfterSeconds }: Readonly<SandboxBehaviour>,
  nowMs: () => number,
  leastSeconds = 0,
): Answer {
  const answer = messageAnswer(429, 'Too many requests');
  const seconds = Math.max(retryAfterSeconds, leastSeconds);
  if (retryAfter === 'none') return answer;
  const value = retryAfter === 'seconds' ? String(seconds) : new Date(nowMs() + seconds * 1000).toUTCString();
  return { ...answer, headers: { 'retry-after': value } };
}

/** Faults of pages: how many of its rows a page has this time. Uses up a fault that happens once. */
export function pageFaults({ emptyPage, shortPage, faultTarget }: Readonly<SandboxBehaviour>) {
  const happened = new Set<string>();

  const happens = (fault: PageFault | null, key: string, pageNumber: number): boolean => {
    if (fault === null || fault.page !== pageNumber) return false;
    if (fault.when === 'once' && happened.has(key)) return false;
    happened.add(key);
    return true;
  };

  /** @param listKey the same for all pages of a list */
  return (rows: number, listKey: string, pageNumber: number, target: Target): number => {
    if (!isTargeted(faultTarget, target)) return rows;
    if (happens(emptyPage, `empty ${listKey}`, pageNumber)) return 0;
    return happens(shortPage, `short ${listKey}`, pageNumber) ? Math.floor(rows / 2) : rows;
  };
}

/**
 * A token bucket that holds one second's worth and fills steadily. Returns, for each request, the seconds until the
 * next one would be let through; 0: this one is.
 * @param perSecond requests a second; 0: no limit
 * @param nowMs a clock that never goes back
 */
export function rateLimit(perSecond: number, nowMs: () => number): () => number {
  if (perSecond <= 0) return () => 0;
  const capacity = Math.max(1, perSecond);
  let filled = capacity;
  let at = nowMs();
  return () => {
    const now = nowMs();
    filled = Math.min(capacity, filled + ((now - at) * perSecond) / 1000);
    at = now;
    if (filled < 1) return (1 - filled) / perSecond;
    filled--;
    return 0;
  };
}
