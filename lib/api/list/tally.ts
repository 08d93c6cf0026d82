import type { RequestTally } from '../client.ts';

/** Counts what reading lists took. */
export interface ListTally extends RequestTally {
  pages: number;
}

export function newTally(): ListTally {
  return { requests: 0, retries: 0, pages: 0 };
}

/** Moves what was counted from one tally to another. */
export function moveTally(from: ListTally, to: ListTally): void {
  to.requests += from.requests;
  to.retries += from.retries;
  to.pages += from.pages;
  Object.assign(from, newTally());
}
