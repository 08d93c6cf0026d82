import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { describeAnswer, numberText, type ProbePage, pageIn, rowCount } from './answer.ts';
import type { ListSample, Sample } from './list-sample.ts';
import type { Finding } from './report.ts';

/** Findings about page sizes. The contract (§8) has a maximum and no default. */
export function pageSizeFindings(sample: ListSample): Finding[] {
  const { direction } = sample;
  const first = pageIn(sample.first.answer);
  return [
    {
      name: 'pageSize',
      direction,
      question: 'Which page size is honoured?',
      finding: honouredSize(sample, first),
      evidence: [sample.first, sample.smaller, sample.smallSecond].flatMap(described),
    },
    {
      name: 'overMaximum',
      direction,
      question: `What does a size over ${MAX_PAGE_SIZE} do?`,
      finding: overMaximum(sample, first),
      evidence: described(sample.overMaximum),
    },
    {
      name: 'defaultPageSize',
      direction,
      question: 'How many rows come when no size is asked for?',
      finding: defaultSize(sample, first),
      evidence: described(sample.unsized),
    },
    {
      name: 'pageSizeField',
      direction,
      question: 'What does page_size count?',
      ...pageSizeField(sample),
    },
  ];
}

/** Whether pages had the sizes asked for, if the list could fill them; undefined if not tried. */
export function isSizeHonoured({ smaller, smallSecond }: ListSample): boolean | undefined {
  const tried = [smaller, smallSecond].filter((sample) => sample !== undefined);
  if (tried.length === 0) return undefined;
  return tried.every(({ answer, pageSize }) => pageIn(answer)?.rows.length === pageSize);
}

export function described(sample: Sample | undefined): string[] {
  if (sample === undefined) return [];
  const { pageNumber, pageSize, answer } = sample;
  const asked = pageSize === undefined ? 'no size asked' : `${pageSize} asked`;
  return [`${asked}${pageNumber === 1 ? '' : `, page ${pageNumber}`}: ${describeAnswer(answer)}`];
}

function honouredSize(sample: ListSample, first: ProbePage | undefined): string {
  if (first === undefined || first.rows.length === 0) return 'unknown: no page with rows came';
  const isHonoured = isSizeHonoured(sample);
  const most = first.rows.length;
  if (isHonoured === undefined) return `unknown: the list has only ${rowCount(first)}`;
  if (!isHonoured) {
    const smaller = sample.smaller && pageIn(sample.smaller.answer);
    return smaller?.rows.length === most
      ? `always ${most}, whatever is asked`
      : 'none: the sizes asked differ';
  }
  if (most >= MAX_PAGE_SIZE || hasMore(sample)) return `as asked, up to ${most}`;
  return `as asked; unknown up to where: the list has only ${rowCount(first)}`;
}

function overMaximum(sample: ListSample, first: ProbePage | undefined): string {
  const { answer } = sample.overMaximum;
  const page = pageIn(answer);
  if (answer.status === 0) return 'unknown: no answer came';
  if (page === undefined) return `refused (status ${answer.status})`;
  if (first === undefined || first.rows.length === 0) return 'unknown: the list has no rows';
  if (page.rows.length > first.rows.length) return `honoured: ${rowCount(page)} came`;
  if (page.rows.length < first.rows.length) return `cut to ${page.rows.length}`;
  return hasMore(sample)
    ? `cut to ${page.rows.length} in silence`
    : `accepted; the list has only ${rowCount(first)}`;
}

function defaultSize(sample: ListSample, first: ProbePage | undefined): string {
  const page = pageIn(sample.unsized.answer);
  if (page === undefined) return `unknown: ${describeAnswer(sample.unsized.answer)}`;
  const isWhole = page.rows.length === (first?.rows.length ?? 0) && !hasMore(sample);
  return isWhole ? `unknown: at least the ${rowCount(page)} of the list` : `${page.rows.length}`;
}

/** Whether page 2 at the maximum size has rows, so that page 1 was full. */
export function hasMore({ second }: ListSample): boolean {
  return (pageIn(second.answer)?.rows.length ?? 0) > 0;
}

/** The meaning of the field page_size, found with pages that have fewer or more rows than asked for. */
function pageSizeField(sample: ListSample): Pick<Finding, 'finding' | 'evidence'> {
  const samples = [sample.first, sample.second, sample.overMaximum, sample.pastEnd];
  const telling = samples.flatMap(({ pageSize, answer }) => {
    const page = pageIn(answer);
    return page === undefined || page.rows.length === pageSize ? [] : [{ pageSize, page }];
  });
  const evidence = telling.map(
    ({ pageSize, page }) => `${pageSize} asked, ${rowCount(page)}: page_size ${numberText(page.pageSize)}`,
  );
  if (telling.length === 0) return { finding: 'unknown: every page was as long as asked', evidence };
  if (telling.every(({ page }) => page.pageSize === page.rows.length)) {
    return { finding: 'the rows in the page', evidence };
  }
  const isAsked = telling.every(({ pageSize, page }) => page.pageSize === pageSize);
  return { finding: isAsked ? 'the size asked for' : 'neither the rows nor the size asked for', evidence };
}
