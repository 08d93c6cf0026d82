import { isTargeted, type SandboxBehaviour, type Target } from '../behaviour.ts';
import { type Answer, htmlAnswer, jsonAnswer, messageAnswer } from './answer.ts';

/** Faults of every n-th request. */
export interface PeriodicFaults {
  /**
   * What happens to this request instead of, or to, its answer; undefined: nothing.
   * @param key the same for a request and its repetition
   */
  next(key: string, target: Target): PeriodicFault | undefined;
}

export type PeriodicFault = { kind: 'instead'; answer: Answer } | { kind: 'truncate' };

export function periodicFaults(behaviour: Readonly<SandboxBehaviour>, nowMs: () => number): PeriodicFaults {
  const instead = (answer: () => Answer) => (): PeriodicFault => ({ kind: 'instead', answer: answer() });
  const faults: readonly (readonly [every: number, make: () => PeriodicFault])[] = [
    [behaviour.tooManyRequestsEvery, instead(() => tooManyRequests(behaviour, nowMs))],
    [behaviour.serverErrorEvery, instead(() => messageAnswer(500, 'Internal server error'))],
    [behaviour.badGatewayEvery, instead(() => htmlAnswer(502, '502 Bad Gateway'))],
    [behaviour.htmlEvery, instead(() => htmlAnswer(200, 'Mantenimiento programado'))],
    [behaviour.truncatedEvery, () => ({ kind: 'truncate' })],
    [behaviour.resetEvery, instead(() => ({ kind: 'reset' }))],
    [behaviour.hangEvery, instead(() => ({ kind: 'hang' }))],
    [behaviour.redirectEvery, instead(() => jsonAnswer(302, '', { location: behaviour.redirectTo }))],
  ];
  const active = faults.filter(([every]) => every > 0);
  const spared = new Set<string>();
  let requests = 0;

  return {
    next(key, target) {
      if (active.length === 0 || !isTargeted(behaviour.faultTarget, target)) return undefined;
      requests++;
      // A request that was hit once goes through when it comes again, whatever its number is then.
      if (spared.delete(key)) return undefined;
      const hit = active.find(([every]) => requests % every === 0);
      if (hit !== undefined && hit[0] > 1) spared.add(key);
      return hit?.[1]();
    },
  };
}

/** A 429 that says when to come again as the behaviour has it. */
export function tooManyRequests(
  rules: Pick<SandboxBehaviour, 'retryAfter' | 'retryAfterSeconds'>,
  nowMs: () => number,
  leastSeconds = 0,
): Answer {
  const seconds = Math.max(rules.retryAfterSeconds, leastSeconds);
  const body = JSON.stringify({ message: 'Too many requests' });
  if (rules.retryAfter === 'none') return jsonAnswer(429, body);
  const value =
    rules.retryAfter === 'seconds' ? String(seconds) : new Date(nowMs() + seconds * 1000).toUTCString();
  return jsonAnswer(429, body, { 'retry-after': value });
}
