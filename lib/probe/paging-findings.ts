import { MAX_PAGE_SIZE } from '../api/list/page.ts';
import { plural } from '../text/terminal.ts';
import {
  describeAnswer,
  type Finding,
  type Found,
  findingOn,
  numberText,
  type ProbePage,
  type ProbeRow,
  rowCount,
} from './answer.ts';
import type { ListSample, Sample } from './list-sample.ts';

/** Findings about page sizes. The contract (§8) has a maximum and no default. */
export function pageSizeFindings(sample: ListSample): Finding[] {
  const { direction, first, smaller, smallSecond, overMaximum, unsized } = sample;
  return [
    findingOn('pageSize', [honouredSize(sample), described(first, smaller, smallSecond)], direction),
    findingOn('overMaximum', [maximum(sample), described(overMaximum)], direction),
    findingOn('defaultPageSize', [defaultSize(sample), described(unsized)], direction),
    findingOn('pageSizeField', pageSizeField(sample), direction),
  ];
}

/** Whether pages had the sizes asked for, if the list could fill them; undefined if not tried. */
export function isSizeHonoured({ smaller, smallSecond }: ListSample): boolean | undefined {
  const tried = [smaller, smallSecond].filter((sample) => sample !== undefined);
  if (tried.length === 0) return undefined;
  return tried.every(({ page, pageSize }) => page?.rows.length === pageSize);
}

function described(...samples: readonly (Sample | undefined)[]): string[] {
  return samples
    .filter((sample) => sample !== undefined)
    .map((sample) => {
      const { pageNumber, pageSize } = sample;
      const asked = pageSize === undefined ? 'no size asked' : `${pageSize} asked`;
      return `${asked}${pageNumber === 1 ? '' : `, page ${pageNumber}`}: ${describeAnswer(sample)}`;
    });
}

function honouredSize(sample: ListSample): string {
  const { page } = sample.first;
  if (page === undefined || page.rows.length === 0) return 'unknown: no page with rows came';
  const isHonoured = isSizeHonoured(sample);
  const most = page.rows.length;
  if (isHonoured === undefined) return `unknown: the list has only ${rowCount(page)}`;
  if (!isHonoured) {
    const isAlwaysMost = sample.smaller?.page?.rows.length === most;
    return isAlwaysMost ? `always ${most}, whatever is asked` : 'none: the sizes asked differ';
  }
  if (most >= MAX_PAGE_SIZE || hasMore(sample)) return `as asked, up to ${most}`;
  return `as asked; unknown up to where: the list has only ${rowCount(page)}`;
}

function maximum(sample: ListSample): string {
  const { status, page } = sample.overMaximum;
  const first = sample.first.page;
  if (status === 0) return 'unknown: no answer came';
  if (page === undefined) return `refused (status ${status})`;
  if (first === undefined || first.rows.length === 0) return 'unknown: the list has no rows';
  if (page.rows.length > first.rows.length) return `honoured: ${rowCount(page)} came`;
  if (page.rows.length < first.rows.length) return `cut to ${page.rows.length}`;
  return hasMore(sample)
    ? `cut to ${page.rows.length} in silence`
    : `accepted; the list has only ${rowCount(first)}`;
}

function defaultSize(sample: ListSample): string {
  const { page } = sample.unsized;
  if (page === undefined) return `unknown: ${describeAnswer(sample.unsized)}`;
  const isWhole = page.rows.length === (sample.first.page?.rows.length ?? 0) && !hasMore(sample);
  return isWhole ? `unknown: at least the ${rowCount(page)} of the list` : `${page.rows.length}`;
}

/** Whether page 2 at the maximum size has rows, so that page 1 was full. */
export function hasMore({ second }: ListSample): boolean {
  return (second.page?.rows.length ?? 0) > 0;
}

/** The meaning of the field page_size, found with pages that have fewer or more rows than asked for. */
function pageSizeField(sample: ListSample): Found {
  const samples = [sample.first, sample.second, sample.overMaximum, sample.pastEnd];
  const telling = samples.flatMap(({ pageSize, page }) =>
    page === undefined || page.rows.length === pageSize ? [] : [{ pageSize, page }],
  );
  const evidence = telling.map(
    ({ pageSize, page }) => `${pageSize} asked, ${rowCount(page)}: page_size ${numberText(page.pageSize)}`,
  );
  if (telling.length === 0) return ['unknown: every page was as long as asked', evidence];
  if (telling.every(({ page }) => page.pageSize === page.rows.length)) {
    return ['the rows in the page', evidence];
  }
  const isAsked = telling.every(({ pageSize, page }) => page.pageSize === pageSize);
  return [isAsked ? 'the size asked for' : 'neither the rows nor the size asked for', evidence];
}

/** Findings about paging: page numbers, the end, the upper bound, the order, and whether rows stay put. */
export function pagingFindings(sample: ListSample): Finding[] {
  const { direction } = sample;
  return [
    findingOn('upperBound', upperBound(sample), direction),
    findingOn('pageNumber', pageNumber(sample), direction),
    findingOn('pastEnd', [pastEnd(sample), described(sample.pastEnd)], direction),
    findingOn('order', order(sample), direction),
    findingOn('stability', stability(sample), direction),
  ];
}

function upperBound({ upperBound: found, day, dayAlone, twoDays }: ListSample): Found {
  const { from, to } = twoDays.range;
  return [
    found === 'unknown' ? 'unknown: the answers do not tell' : found,
    [`${day} to ${day}: ${describeAnswer(dayAlone)}`, `${from} to ${to}: ${describeAnswer(twoDays)}`],
  ];
}

function pageNumber(sample: ListSample): Found {
  const pages = secondPages(sample);
  const evidence = pages.map(
    (page) => `page 2 of ${rowCount(page)}: page_number ${numberText(page.pageNumber)}`,
  );
  if (pages.length === 0) return ['unknown: the list has one page only', evidence];
  if (isPageNumberIgnored(sample)) return ['ignored: page 2 has the rows of page 1', evidence];
  const saysSo = pages.every(({ pageNumber: said }) => said === 2);
  return [saysSo ? 'honoured' : 'honoured, but page_number says otherwise', evidence];
}

function secondPages({ second, smallSecond }: ListSample): ProbePage[] {
  const pages = [second, smallSecond].flatMap((sample) => sample?.page ?? []);
  return pages.filter(({ rows }) => rows.length > 0);
}

function isPageNumberIgnored(sample: ListSample): boolean {
  const first = sample.first.page?.rows ?? [];
  const pages = secondPages(sample);
  return pages.length > 0 && pages.every(({ rows }) => isSameRows(rows, first.slice(0, rows.length)));
}

function pastEnd(sample: ListSample): string {
  const { status, page } = sample.pastEnd;
  const first = sample.first.page;
  if (status === 0) return 'unknown: no answer came';
  if (page === undefined) return `status ${status}`;
  if (page.rows.length === 0) return 'no rows';
  if (first === undefined || !isSameRows(page.rows, first.rows))
    return 'rows, presumably the last page again';
  return hasMore(sample) ? 'rows: the first page again' : 'rows: the only page again';
}

function order(sample: ListSample): Found {
  const rows = [sample.first, sample.second].flatMap(({ page }) => page?.rows ?? []);
  const evidence = [`${plural(rows.length, 'row')} of ${sample.range.from} to ${sample.range.to}`];
  if (new Set(rows.map(({ id }) => id)).size < 3) return ['unknown: too few rows', evidence];
  const ids = rows.map(({ id }) => (id === '' ? undefined : BigInt(id)));
  const signatures = rows.map(({ signature }) => signature);
  const found = [`by id, ${runOf(ids)}`, `by signature, ${runOf(signatures)}`].filter(
    (text) => !text.endsWith(NO_RUN),
  );
  return [found.length === 0 ? 'neither by id nor by signature' : found.join(', or '), evidence];
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

function stability(sample: ListSample): Found {
  const first = sample.first.page;
  const again = sample.firstAgain.page;
  if (first === undefined || again === undefined || first.rows.length === 0) {
    return ['unknown: no page with rows came twice', described(sample.firstAgain)];
  }
  const isSame = isSameRows(again.rows, first.rows);
  const evidence = [`page 1 twice: ${isSame ? 'the same rows' : 'other rows, or in another order'}`];
  if (!isSame) return ['no: page 1 differs when it is asked again', evidence];
  if (isSizeHonoured(sample) !== true) return ['yes, as far as one page size tells', evidence];
  const overlaps = overlapsOf(sample, first);
  evidence.push(...overlaps.map(({ text, isEqual }) => `${text}: ${isEqual ? 'the same' : 'other'} rows`));
  if (overlaps.some(({ isEqual }) => !isEqual)) {
    return ['no: the order differs with the page size', evidence];
  }
  const known = new Set(first.rows.map(({ id }) => id));
  const second = isPageNumberIgnored(sample) ? undefined : sample.second.page;
  const repeats = second?.rows.filter(({ id }) => known.has(id)).length ?? 0;
  if (repeats === 0) return ['yes', evidence];
  return ['no: page 2 repeats rows of page 1', [...evidence, `${plural(repeats, 'row')} repeated`]];
}

/** Compares pages of other sizes with the rows of page 1 that they must contain. */
function overlapsOf(sample: ListSample, first: ProbePage): { text: string; isEqual: boolean }[] {
  const others = isPageNumberIgnored(sample) ? [sample.smaller] : [sample.smaller, sample.smallSecond];
  return others.flatMap((other) => {
    const page = other?.page;
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
