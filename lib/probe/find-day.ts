import type { Direction } from '../api/directions.ts';
import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { addDays } from '../time/days.ts';
import { type ProbeAnswer, pageIn } from './answer.ts';
import { listRequest, type ProbeRange } from './list-request.ts';
import type { ProbeClient } from './probe-client.ts';
import { ProbeError } from './report.ts';

/** Two days with pages of so many rows, and equally many, show that a page holds no more. */
const LEAST_FULL_PAGE = 10;

export interface FoundDay {
  day: string;
  /** The range of two days by which it was found, and its first page. */
  range: ProbeRange;
  answer: ProbeAnswer;
}

/**
 * A day that has receipts, of these, tried in their order: the first whose page is full, so that paging can be
 * seen; else the one with the most; undefined when none has any. One request a day, for it and the next:
 * whatever the bound is, that has the day. Throws ProbeError when the API gives no list at all.
 */
export async function findDay(
  client: ProbeClient,
  direction: Direction,
  days: readonly string[],
): Promise<FoundDay | undefined> {
  let best: (FoundDay & { rowsSeen: number }) | undefined;
  let longest = 0;
  let hasPage = false;
  let refusal: ProbeAnswer | undefined;
  for (const first of days) {
    const range = { from: first, to: addDays(first, 1) };
    const answer = await client.ask(listRequest(direction, range, { pageSize: MAX_PAGE_SIZE }));
    const page = pageIn(answer);
    if (page === undefined) refusal = answer;
    hasPage ||= page !== undefined;
    // A server's error may be that day's own; anything else is the same for all.
    if (!hasPage && answer.status < 500) throw new ProbeError(noListMessage(client, direction, answer));
    const rows = page?.rows ?? [];
    const ofLast = rows.filter(({ day }) => day === range.to).length;
    const ofFirst = rows.length - ofLast;
    // Where the newest come first, the page may hold the second day's rows only.
    const isOfLast = ofFirst === 0 && days.includes(range.to);
    const found = { day: isOfLast ? range.to : first, range, answer, rowsSeen: isOfLast ? ofLast : ofFirst };
    if (rows.length > 0 && found.rowsSeen > (best?.rowsSeen ?? -1)) best = found;
    const isFull =
      rows.length >= MAX_PAGE_SIZE || (rows.length >= LEAST_FULL_PAGE && rows.length === longest);
    if (isFull && best !== undefined && best.rowsSeen > 0) return best;
    longest = Math.max(longest, rows.length);
  }
  if (!hasPage && refusal !== undefined) throw new ProbeError(noListMessage(client, direction, refusal));
  return best;
}

function noListMessage({ rut }: ProbeClient, direction: Direction, { status, failure }: ProbeAnswer): string {
  const list = `The list of ${direction} of ${rut}`;
  if (status === 0) return `${list}: no answer (${failure}). Check the API's address and the network.`;
  if (status === 200) return `${list} is no page of receipts. Check the API's address.`;
  if (status === 401 || status === 403) {
    return `${list} was refused with status ${status}. Renew the token of this company, then probe again.`;
  }
  if (status >= 500 || status === 429) {
    return `${list} was answered with status ${status}. Probe again when the API has recovered.`;
  }
  if (status >= 300 && status < 400) {
    return `${list} was answered with a redirect (status ${status}), which is never followed. Give the final address.`;
  }
  return `${list} was answered with status ${status}. Check the API's address.`;
}
