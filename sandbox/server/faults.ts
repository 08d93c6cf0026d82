import { isTargeted, type SandboxBehaviour } from '../behaviour.ts';
import { localCompany } from '../generator/parties.ts';
import type { SandboxReceipt } from '../generator/receipt-list.ts';
import type { PageFault, Target } from '../switches.ts';
import { type Answer, htmlAnswer, jsonAnswer, messageAnswer } from './request.ts';

type PeriodicFault = { kind: 'instead'; answer: Answer } | { kind: 'truncate' };

/** Faults of every n-th request. */
export function periodicFaults(behaviour: Readonly<SandboxBehaviour>, nowMs: () => number) {
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
    /**
     * The fault of this request; undefined if it has none.
     * @param key the same for a request and its retry
     */
    next(key: string, target: Target): PeriodicFault | undefined {
      if (active.length === 0 || !isTargeted(behaviour.faultTarget, target)) return undefined;
      requests++;
      // A retry of a request that was hit goes through.
      if (spared.delete(key)) return undefined;
      const hit = active.find(([every]) => requests % every === 0);
      if (hit !== undefined && hit[0] > 1) spared.add(key);
      return hit?.[1]();
    },
  };
}

/** A 429, with Retry-After in the form that the behaviour asks for. */
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

export interface PageDefects {
  isEmpty: boolean;
  isShort: boolean;
  lacksId: boolean;
  isForeign: boolean;
}

export type PageFaults = ReturnType<typeof pageFaults>;

const FOREIGN_RECIPIENT = localCompany('211003420017', 'Otra Empresa S.A.');

export function pageFaults(behaviour: Readonly<SandboxBehaviour>) {
  const { emptyPage, shortPage, idsMissing, foreignRecipient, faultTarget } = behaviour;
  const isOff = [emptyPage, shortPage, idsMissing, foreignRecipient].every((fault) => fault === null);
  const happened = new Set<string>();

  const happens = (fault: PageFault | null, name: string, listKey: string, pageNumber: number): boolean => {
    if (fault === null || fault.page !== pageNumber) return false;
    const key = `${name} ${listKey}`;
    if (fault.when === 'once' && happened.has(key)) return false;
    happened.add(key);
    return true;
  };

  return {
    /**
     * The defects of a page this time; undefined if it has none. Uses up a fault that happens once.
     * @param listKey the same for all pages of a list
     */
    next(listKey: string, pageNumber: number, target: Target): PageDefects | undefined {
      if (isOff || !isTargeted(faultTarget, target)) return undefined;
      const defects = {
        isEmpty: happens(emptyPage, 'empty', listKey, pageNumber),
        isShort: happens(shortPage, 'short', listKey, pageNumber),
        lacksId: happens(idsMissing, 'id', listKey, pageNumber),
        isForeign: happens(foreignRecipient, 'foreign', listKey, pageNumber),
      };
      return Object.values(defects).includes(true) ? defects : undefined;
    },
  };
}

/** How many rows a defective page still has. */
export function rowsLeft(defects: PageDefects | undefined, rows: number): number {
  if (defects?.isEmpty) return 0;
  return defects?.isShort ? Math.floor(rows / 2) : rows;
}

/** The receipt with another company as its recipient, as a defective page shows it in its first row. */
export function misaddressed(receipt: SandboxReceipt): SandboxReceipt {
  return receipt.direction === 'recibidos' ? { ...receipt, receptor: FOREIGN_RECIPIENT } : receipt;
}

export function withoutId(row: string): string {
  return row.replace(/^\{"id":\d+,/, '{');
}

/**
 * A token bucket per key that holds one second's worth and fills steadily. Returns, for each request, the seconds until
 * the next one would be let through; 0: this one is.
 * @param perSecond requests a second; 0: no limit
 * @param nowMs a clock that never goes back
 */
export function rateLimit(perSecond: number, nowMs: () => number): (key: string) => number {
  if (perSecond <= 0) return () => 0;
  const capacity = Math.max(1, perSecond);
  const buckets = new Map<string, { filled: number; at: number }>();
  return (key) => {
    const now = nowMs();
    const bucket = buckets.get(key) ?? { filled: capacity, at: now };
    buckets.set(key, bucket);
    bucket.filled = Math.min(capacity, bucket.filled + ((now - bucket.at) * perSecond) / 1000);
    bucket.at = now;
    if (bucket.filled < 1) return (1 - bucket.filled) / perSecond;
    bucket.filled--;
    return 0;
  };
}
