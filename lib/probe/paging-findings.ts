import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import {
  describeAnswer,
  type Finding,
  numberText,
  type ProbePage,
  type ProbeRow,
  pageIn,
  rowCount,
} from './answer.ts';
import type { ListSample, Sample } from './list-sample.ts';

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

function described(sample: Sample | undefined): string[] {
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

/** Findings about paging: page numbers, the end, the upper bound, the order, and whether rows stay put. */
export function pagingFindings(sample: ListSample): Finding[] {
  const { direction } = sample;
  return [
    {
      name: 'upperBound',
      direction,
      question: 'Does FechaHasta include its day?',
      finding: sample.upperBound === 'unknown' ? 'unknown: the answers do not tell' : sample.upperBound,
      evidence: [
        `${sample.day} to ${sample.day}: ${describeAnswer(sample.dayAlone.answer)}`,
        `${sample.twoDays.range.from} to ${sample.twoDays.range.to}: ${describeAnswer(sample.twoDays.answer)}`,
      ],
    },
    { name: 'pageNumber', direction, question: 'Is the page number honoured?', ...pageNumber(sample) },
    {
      name: 'pastEnd',
      direction,
      question: 'What does a page past the end hold?',
      finding: pastEnd(sample),
      evidence: described(sample.pastEnd),
    },
    { name: 'order', direction, question: 'In which order do rows come?', ...order(sample) },
    { name: 'stability', direction, question: 'Do pages stay as they are?', ...stability(sample) },
  ];
}

function pageNumber(sample: ListSample): Pick<Finding, 'finding' | 'evidence'> {
  const pages = secondPages(sample);
  const evidence = pages.map(
    (page) => `page 2 of ${rowCount(page)}: page_number ${numberText(page.pageNumber)}`,
  );
  if (pages.length === 0) return { finding: 'unknown: the list has one page only', evidence };
  if (isPageNumberIgnored(sample)) return { finding: 'ignored: page 2 has the rows of page 1', evidence };
  const saysSo = pages.every(({ pageNumber: said }) => said === 2);
  return { finding: saysSo ? 'honoured' : 'honoured, but page_number says otherwise', evidence };
}

function secondPages({ second, smallSecond }: ListSample): ProbePage[] {
  const pages = [second, smallSecond].flatMap((sample) => (sample && pageIn(sample.answer)) ?? []);
  return pages.filter(({ rows }) => rows.length > 0);
}

function isPageNumberIgnored(sample: ListSample): boolean {
  const first = pageIn(sample.first.answer)?.rows ?? [];
  const pages = secondPages(sample);
  return pages.length > 0 && pages.every(({ rows }) => isSameRows(rows, first.slice(0, rows.length)));
}

function pastEnd(sample: ListSample): string {
  const { answer } = sample.pastEnd;
  const page = pageIn(answer);
  const first = pageIn(sample.first.answer);
  if (answer.status === 0) return 'unknown: no answer came';
  if (page === undefined) return `status ${answer.status}`;
  if (page.rows.length === 0) return 'no rows';
  if (first === undefined || !isSameRows(page.rows, first.rows))
    return 'rows, presumably the last page again';
  return hasMore(sample) ? 'rows: the first page again' : 'rows: the only page again';
}

function order(sample: ListSample): Pick<Finding, 'finding' | 'evidence'> {
  const pages = [sample.first, sample.second].flatMap(({ answer }) => pageIn(answer) ?? []);
  const rows = pages.flatMap((page) => page.rows);
  const evidence = [`${rows.length} rows of ${sample.range.from} to ${sample.range.to}`];
  if (new Set(rows.map(({ id }) => id)).size < 3) return { finding: 'unknown: too few rows', evidence };
  const ids = rows.map(({ id }) => (id === '' ? undefined : BigInt(id)));
  const signatures = rows.map(({ signature }) => signature);
  const found = [`by id, ${runOf(ids)}`, `by signature, ${runOf(signatures)}`].filter(
    (text) => !text.endsWith(NO_RUN),
  );
  return { finding: found.length === 0 ? 'neither by id nor by signature' : found.join(', or '), evidence };
}

const NO_RUN = 'unordered';

function runOf<Key extends bigint | string>(keys: readonly (Key | undefined)[]): string {
  const isRun = (isInOrder: (a: Key, b: Key) => boolean) =>
    keys.every((key, index) => {
      const before = index === 0 ? key : keys[index - 1];
      return key !== undefined && before !== undefined && isInOrder(before, key);
    });
  if (isRun((a, b) => a <= b)) return 'ascending';
  return isRun((a, b) => a >= b) ? 'descending' : NO_RUN;
}

function stability(sample: ListSample): Pick<Finding, 'finding' | 'evidence'> {
  const first = pageIn(sample.first.answer);
  const again = pageIn(sample.firstAgain.answer);
  if (first === undefined || again === undefined || first.rows.length === 0) {
    return { finding: 'unknown: no page with rows came twice', evidence: described(sample.firstAgain) };
  }
  const isSame = isSameRows(again.rows, first.rows);
  const evidence = [`page 1 twice: ${isSame ? 'the same rows' : 'other rows, or in another order'}`];
  if (!isSame) return { finding: 'no: page 1 differs when it is asked again', evidence };
  if (isSizeHonoured(sample) !== true) return { finding: 'yes, as far as one page size tells', evidence };
  const overlaps = overlapsOf(sample, first);
  evidence.push(...overlaps.map(({ text, isEqual }) => `${text}: ${isEqual ? 'the same' : 'other'} rows`));
  if (overlaps.some(({ isEqual }) => !isEqual)) {
    return { finding: 'no: the order differs with the page size', evidence };
  }
  const known = new Set(first.rows.map(({ id }) => id));
  const second = isPageNumberIgnored(sample) ? undefined : pageIn(sample.second.answer);
  const repeats = second?.rows.filter(({ id }) => known.has(id)).length ?? 0;
  if (repeats === 0) return { finding: 'yes', evidence };
  return {
    finding: 'no: page 2 repeats rows of page 1',
    evidence: [...evidence, `${repeats} rows repeated`],
  };
}

/** Compares pages of other sizes with the rows of page 1 that they must contain. */
function overlapsOf(sample: ListSample, first: ProbePage): { text: string; isEqual: boolean }[] {
  const others = isPageNumberIgnored(sample) ? [sample.smaller] : [sample.smaller, sample.smallSecond];
  return others.flatMap((other) => {
    const page = other && pageIn(other.answer);
    if (page === undefined || other?.pageSize === undefined) return [];
    const { pageNumber, pageSize } = other;
    const start = (pageNumber - 1) * pageSize;
    const expected = first.rows.slice(start, start + pageSize);
    const text = `page ${pageNumber} of ${rowCount(page)} against page 1`;
    return [{ text, isEqual: isSameRows(page.rows, expected) }];
  });
}

function isSameRows(a: readonly ProbeRow[], b: readonly ProbeRow[]): boolean {
  return a.length === b.length && a.every(({ id }, index) => id === b[index]?.id);
}
