import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { describeAnswer, pageIn } from './answer.ts';
import { listRequest, type ProbeRange } from './list-request.ts';
import type { ListSample } from './list-sample.ts';
import { hasMore, isSizeHonoured } from './page-size-findings.ts';
import type { ProbeClient } from './probe-client.ts';
import type { Finding } from './report.ts';

/** So many rows of a list, and no more, some services show; the most first. */
const WINDOWS = [10_000, 5_000, 1_000] as const;
/** The least that divides none of them. */
const LEAST_PAGE_SIZE = 3;

/**
 * Whether rows deep in a list are shown: over a wide range, by a page that has the last row of such a window and reaches
 * past it. At most 3 requests.
 */
export async function probeResultWindow(
  client: ProbeClient,
  sample: ListSample,
  range: ProbeRange | undefined,
): Promise<Finding> {
  const { direction } = sample;
  const evidence: string[] = [];
  const answered = (finding: string): Finding => ({
    name: 'resultWindow',
    direction,
    question: 'Are rows deep in a list shown?',
    finding,
    evidence,
  });
  const pageCap = longestPage(sample);
  if (range === undefined) return answered('unknown: no wide range is answered');
  if (pageCap < LEAST_PAGE_SIZE) return answered('unknown: no page size is surely honoured');
  const pastEnd = pageIn(sample.pastEnd.answer);
  if (pastEnd !== undefined && pastEnd.rows.length > 0) {
    return answered('unknown: a page past the end has rows');
  }
  /** What was found of a deeper row. */
  let deeper = '';
  for (const window of WINDOWS) {
    const pageSize = sizeAcross(window, pageCap);
    const pageNumber = Math.floor((window - 1) / pageSize) + 1;
    const answer = await client.ask(listRequest(direction, range, { pageNumber, pageSize }));
    evidence.push(`${pageSize} asked, page ${pageNumber}: ${describeAnswer(answer)}`);
    const rows = pageIn(answer)?.rows.length;
    const rowsInWindow = window - (pageNumber - 1) * pageSize;
    const depth = window.toLocaleString('en');
    if (rows === undefined) {
      deeper = answer.status === 0 ? `; row ${depth}: no answer` : `; row ${depth}: status ${answer.status}`;
      continue;
    }
    if (rows > rowsInWindow) return answered(`yes, behind row ${depth} too${deeper}`);
    if (rows === rowsInWindow) return answered(`presumably not: the list ends with row ${depth}`);
  }
  return answered(`unknown: the list has too few rows${deeper}`);
}

/** The largest page size with which a page has rows on both sides of a window's end. */
function sizeAcross(window: number, pageCap: number): number {
  let pageSize = pageCap;
  while (window % pageSize === 0) pageSize -= 1;
  return pageSize;
}

/** Rows that a page surely holds when it is asked for as many. */
function longestPage(sample: ListSample): number {
  if (isSizeHonoured(sample) !== true) return 0;
  const rowCount = pageIn(sample.first.answer)?.rows.length ?? 0;
  const isFull = hasMore(sample) || rowCount >= MAX_PAGE_SIZE;
  return isFull ? Math.min(rowCount, MAX_PAGE_SIZE) : (sample.smaller?.pageSize ?? 0);
}
