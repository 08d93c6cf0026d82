/** Work that a program which is told to end waits for: the answer to a login has what the next start logs in with. */
const UNDER_WAY = new Set<Promise<unknown>>();
const end = new AbortController();

/** Aborts once the program is told to end. */
export const ENDING: AbortSignal = end.signal;

/**
 * Gives the outcome of the work, which is waited for even where nobody wants it any more. Throws, and begins nothing, once
 * the program is told to end.
 */
export async function uninterrupted<Result>(begin: () => Promise<Result>): Promise<Result> {
  assertNotEnding();
  const work = begin();
  UNDER_WAY.add(work);
  try {
    return await work;
  } finally {
    UNDER_WAY.delete(work);
  }
}

/** Whether a program that is told to end has to wait. */
export function isUnderWay(): boolean {
  return UNDER_WAY.size > 0;
}

/** Throws once the program is told to end: called by work of minutes that has no signal. */
export function assertNotEnding(): void {
  ENDING.throwIfAborted();
}

/** The program is told to end: no such work is begun from now on. */
export function beginNoMore(): void {
  end.abort(new Error('interrupted'));
}

/** Resolves once no such work is under way. */
export async function allEnded(): Promise<void> {
  await Promise.allSettled(UNDER_WAY);
}
