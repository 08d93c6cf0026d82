import { randomInt, randomUUID } from 'node:crypto';
import { leaseKey, waitingKey } from '../lake/layout.ts';
import { type LakeStore, replaceText, StaleObjectError, type StoredObject } from '../lake/store/store.ts';
import type { Clock } from '../time/clock.ts';
import { NIGHTLY_ISSUED, NIGHTLY_RECEIVED, scheduleOf, WEEKLY } from './messages.ts';

/**
 * One cap over all runs: a worker exports only while it holds one of a fixed number of leases, each an object in the
 * lake. A lease expires with the invocation that took it; if that dies, the company's next worker ends it. See
 * docs/decisions/0017.
 */

/** The ranks of runs, highest first. */
const RANKS = ['nightly', 'weekly', 'by-hand'] as const;
type Rank = (typeof RANKS)[number];

/** Workers' clocks differ a little, and a request may be in flight when its sender is stopped. */
const SLACK_MS = 60_000;
/** How many leases, picked at random, a worker tries before it waits. */
const MAX_LOOKED_AT = 32;
/** How often a worker checks whether a run of higher rank waits. */
const LOOK_EVERY_MS = 20_000;
/** How old a worker's knowledge that it still has its lease may be when it asks the API. */
const HELD_FOR_MS = 1_000;
/** A nightly run waits until other workers have paused; other runs wait until a run has ended. */
const WAIT_SECONDS: Readonly<Record<Rank, number>> = { nightly: 60, weekly: 180, 'by-hand': 180 };

/** Whose lease it is: a company has one worker at a time in a run. */
export interface LeaseOwner {
  runId: string;
  rut: string;
}

export interface Lease {
  /** Aborted once it was seen that the lease is another worker's. */
  lost: AbortSignal;
  /** Looks whether the lease is still held, unless it was a moment ago. Never rejects. */
  look(): Promise<void>;
  /** Whether a run of higher rank waits. Checks again now and then, in the background. */
  isWanted(): boolean;
  /** Whether the holder should let another run have its turn before it is finished. */
  shouldGiveWay(): Promise<boolean>;
  /** Never throws: a lease that could not be released expires. */
  release(): Promise<void>;
}

interface Written {
  runId: string;
  /** Absent from the mark that a run waits. */
  rut?: string;
  untilMs: number;
  holder?: string;
}

export type Leases = ReturnType<typeof openLeases>;

/** The leases of a lake, as a worker sees them. `most`: how many workers may export at the same time. */
export function openLeases(store: LakeStore, { most, clock }: { most: number; clock: Clock }) {
  /** Number of the last lease taken: it is usually still free. */
  let lastNumber: number | undefined;
  const isCurrent = ({ metadata }: StoredObject): boolean => Number(metadata.until) > clock.now();

  /** Whether a run of one of these ranks waits for a lease, other than this one. */
  async function isWaiting(ranks: readonly Rank[], exceptRunId?: string): Promise<boolean> {
    const marks = await Promise.all(ranks.map((rank) => store.find(waitingKey(rank))));
    return marks.some((mark) => mark !== undefined && isCurrent(mark) && mark.metadata.run !== exceptRunId);
  }

  /** False if another worker wrote it first. */
  async function write(
    key: string,
    { runId, rut, untilMs, holder = randomUUID() }: Written,
    expected: StoredObject | undefined,
  ): Promise<boolean> {
    const metadata = { run: runId, ...(rut !== undefined && { rut }), until: String(untilMs), holder };
    try {
      // An object's version comes from its bytes, so two leases must differ in theirs.
      await replaceText(store, key, `${holder}\n`, expected, metadata);
      return true;
    } catch (error) {
      if (error instanceof StaleObjectError) return false;
      throw error;
    }
  }

  /** Marks that a run waits, until shortly after its next attempt. */
  async function markWaiting(runId: string): Promise<void> {
    const key = waitingKey(rankOf(runId));
    const untilMs = clock.now() + maxWaitSeconds(runId) * 1000 + SLACK_MS;
    // If another worker has just written the mark, that is enough.
    await write(key, { runId, untilMs }, await store.find(key));
  }

  function inRandomOrder(): number[] {
    const drawn = Array.from({ length: most }, (_, number) => ({ number, place: Math.random() }));
    const numbers = drawn.sort((a, b) => a.place - b.place).map(({ number }) => number);
    const known = lastNumber === undefined || lastNumber >= most ? [] : [lastNumber];
    return [...new Set([...known, ...numbers])].slice(0, MAX_LOOKED_AT);
  }

  /**
   * Ends the lease at once, unless it is another worker's by now. It is replaced, not removed: the SDK repeats a removal
   * whose answer was lost, which would then remove the next holder's lease.
   */
  async function end(owner: LeaseOwner, number: number, holder: string | undefined): Promise<void> {
    const standing = await store.find(leaseKey(number));
    if (standing?.metadata.holder !== holder) return;
    await write(leaseKey(number), { ...owner, untilMs: 0 }, standing);
  }

  function leaseOf(owner: LeaseOwner, number: number, holder: string): Lease {
    const { runId } = owner;
    const loss = new AbortController();
    let heldAtMs = clock.monotonicMs();
    let checking: Promise<void> | undefined;
    let isWanted = false;
    let look: Promise<void> | undefined;
    let lookedAtMs = clock.monotonicMs();
    async function check(): Promise<void> {
      const askedAtMs = clock.monotonicMs();
      try {
        const standing = await store.find(leaseKey(number));
        if (standing?.metadata.holder !== holder)
          loss.abort(new Error('the lease is another worker’s by now'));
        heldAtMs = askedAtMs;
      } catch {
        // The next look may succeed; the work goes on.
      } finally {
        checking = undefined;
      }
    }

    return {
      lost: loss.signal,
      look: async () => {
        if (loss.signal.aborted || clock.monotonicMs() - heldAtMs < HELD_FOR_MS) return;
        checking ??= check();
        await checking;
      },
      isWanted: () => {
        if (!isWanted && look === undefined && clock.monotonicMs() - lookedAtMs >= LOOK_EVERY_MS) {
          lookedAtMs = clock.monotonicMs();
          look = isWaiting(runsBefore(runId))
            .then((isSo) => {
              isWanted = isSo;
            })
            // The next look may succeed; the work goes on.
            .catch(() => undefined)
            .finally(() => {
              look = undefined;
            });
        }
        return isWanted;
      },
      shouldGiveWay: async () => isWanted || (await isWaiting([...runsBefore(runId), rankOf(runId)], runId)),
      release: async () => {
        await look;
        await end(owner, number, holder).catch(() => undefined);
      },
    };
  }

  async function tryAcquire(owner: LeaseOwner, remainingMs: number): Promise<Lease | undefined> {
    const untilMs = clock.now() + remainingMs + SLACK_MS;
    for (const number of inRandomOrder()) {
      const standing = await store.find(leaseKey(number));
      if (standing !== undefined && isCurrent(standing)) continue;
      const holder = randomUUID();
      if (!(await write(leaseKey(number), { ...owner, untilMs, holder }, standing))) continue;
      lastNumber = number;
      return leaseOf(owner, number, holder);
    }
    return undefined;
  }

  return {
    /** Ends the leases that dead workers of the company in this run have left. */
    async endThoseOf(owner: LeaseOwner): Promise<void> {
      const numbers = Array.from({ length: most }, (_, number) => number);
      await Promise.all(
        numbers.map(async (number) => {
          const standing = await store.find(leaseKey(number));
          if (standing === undefined || !isCurrent(standing)) return;
          if (standing.metadata.run !== owner.runId || standing.metadata.rut !== owner.rut) return;
          await end(owner, number, standing.metadata.holder);
          // The next one taken is this one.
          lastNumber = number;
        }),
      );
    },

    /**
     * A lease, whoever waits, valid for as long as its invocation may take. Undefined if none is free.
     */
    tryAcquire,

    /**
     * A lease for a worker of that run. Undefined if none is free or a run of higher rank waits; then the run waits, too.
     */
    async acquire(owner: LeaseOwner, remainingMs: number): Promise<Lease | undefined> {
      const isTurn = !(await isWaiting(runsBefore(owner.runId)));
      const lease = isTurn ? await tryAcquire(owner, remainingMs) : undefined;
      if (lease === undefined) await markWaiting(owner.runId);
      return lease;
    },
  };
}

/** How long a worker of that run waits before it asks again; random, so that not all ask at once. */
export function waitSeconds(runId: string): number {
  const shortest = WAIT_SECONDS[rankOf(runId)];
  return randomInt(shortest, maxWaitSeconds(runId) + 1);
}

function maxWaitSeconds(runId: string): number {
  return WAIT_SECONDS[rankOf(runId)] * 1.5;
}

function rankOf(runId: string): Rank {
  const schedule = scheduleOf(runId);
  if (schedule === NIGHTLY_RECEIVED || schedule === NIGHTLY_ISSUED) return 'nightly';
  return schedule === WEEKLY ? 'weekly' : 'by-hand';
}

function runsBefore(runId: string): readonly Rank[] {
  return RANKS.slice(0, RANKS.indexOf(rankOf(runId)));
}
