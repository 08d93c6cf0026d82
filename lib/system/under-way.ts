/** Work that a program which is told to end waits for: the answer to a login has what the next start logs in with. */
const UNDER_WAY = new Set<Promise<unknown>>();

/** Gives the outcome of the work, which is waited for even where nobody wants it any more. */
export async function uninterrupted<Result>(work: Promise<Result>): Promise<Result> {
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

/** Resolves once no such work is under way. */
export async function allEnded(): Promise<void> {
  while (UNDER_WAY.size > 0) await Promise.allSettled(UNDER_WAY);
}
