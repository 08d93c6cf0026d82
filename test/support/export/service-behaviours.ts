import {
  always,
  confined,
  cutOff,
  every,
  html200,
  html502,
  pageFault,
  type RowChange,
  redirect,
  renewedAfter,
  rewritten,
  status429,
  status500,
} from '../api/faults.ts';
import { LARGE_RUT, type ServiceBehaviour } from './habits-world.ts';

/** Habits of pages and lists, and faults of one page, that must not change the lake. */
export const HABITS: Record<string, ServiceBehaviour> = {
  'nothing unusual': {},
  'pages of at most 50, in silence': { pageCap: 50 },
  'pages of at most 7, in silence': { pageCap: 7 },
  'pages of 20, whatever was asked': { pageSizeIgnored: 20 },
  'pages of 150, whatever was asked': { pageSizeIgnored: 150 },
  'page_size says what was asked': {
    intercept: rewritten((body, { address }) =>
      body.replace(/"page_size":\d+/, `"page_size":${/pagesize=(\d+)/i.exec(address)?.[1]}`),
    ),
  },
  'an upper bound that excludes its day': { upperBound: 'exclusive' },
  'a page past the end is 404': { pastEnd: '404' },
  'newest ids first': { order: 'id-desc' },
  'latest signatures first': { order: 'signature-desc' },
  'no order to be seen': { order: 'shuffled' },
  'page 1 empty once': { intercept: pageFault('empty', 1) },
  'page 2 empty once': { intercept: pageFault('empty', 2) },
  'page 3 empty once': { intercept: pageFault('empty', 3) },
  'page 1 short once': { intercept: pageFault('short', 1) },
  'page 2 short once': { intercept: pageFault('short', 2) },
  'page 4 short once': { intercept: pageFault('short', 4) },
};

/** Faults of requests that must not change the lake. */
export const PASSING_FAULTS: Record<string, ServiceBehaviour> = {
  '429 without Retry-After now and then': { intercept: every(5, status429()) },
  '429 with Retry-After in seconds': { intercept: every(5, status429('0')) },
  '429 with Retry-After as a date': { intercept: every(7, status429(new Date(0).toUTCString())) },
  '500 now and then': { intercept: every(4, status500) },
  '502 with HTML now and then': { intercept: every(4, html502) },
  '200 with HTML now and then': { intercept: every(4, html200) },
  'JSON cut off now and then': { intercept: every(4, cutOff) },
  'connections reset now and then': { intercept: every(4, 'reset') },
  'no answer now and then': { intercept: every(15, 'hang'), requestTimeoutMs: 300 },
  'slow answers': { latencyMs: 20 },
  'a token that is renewed while reading': { intercept: renewedAfter(5) },
};

const OF_LARGE = { rut: LARGE_RUT, direction: 'emitidos' } as const;
/** Rows that come and go while a list is read. */
export const MOVING_ROWS: [string, RowChange][] = [
  [
    'removed at the start',
    { ...OF_LARGE, kind: 'removed', afterListRequests: 3, count: 10, position: 'start' },
  ],
  [
    'removed in the middle',
    { ...OF_LARGE, kind: 'removed', afterListRequests: 5, count: 10, position: 'middle' },
  ],
  ['removed at the end', { ...OF_LARGE, kind: 'removed', afterListRequests: 4, count: 10, position: 'end' }],
  [
    'inserted at the start',
    { ...OF_LARGE, kind: 'inserted', afterListRequests: 3, count: 10, position: 'start' },
  ],
  [
    'inserted in the middle',
    { ...OF_LARGE, kind: 'inserted', afterListRequests: 5, count: 10, position: 'middle' },
  ],
  [
    'inserted at the end',
    { ...OF_LARGE, kind: 'inserted', afterListRequests: 4, count: 10, position: 'end' },
  ],
];

/** Faults that fail units, and the errors. `isOvercome`: over five days, other lists show what the fault hides. */
export const HARMFUL: Record<string, { behaviour: ServiceBehaviour; error: RegExp; isOvercome?: boolean }> = {
  'the page parameter is ignored': {
    behaviour: { pageParameterIgnored: 'echo' },
    error: /could not be proved|can't be had \(/,
  },
  'the page parameter is ignored and says so': {
    behaviour: { pageParameterIgnored: 'one' },
    error: /came as page 1/,
  },
  'a row has no id': {
    behaviour: { intercept: rewritten((body) => body.replace(/\[\{"id":\d+,/, '[{')) },
    error: /position 1 .* no usable id/,
  },
  'page 2 is always short': {
    behaviour: { intercept: pageFault('short', 2, true) },
    error: /./,
    isOvercome: true,
  },
  'page 2 is always short, in pages of 20': {
    behaviour: { intercept: confined(OF_LARGE, pageFault('short', 2, true)), pageSizeIgnored: 20 },
    error: /./,
  },
  'page 3 is always empty': {
    behaviour: {
      // Of the other days, page 3 is the last one: then the list ends before it.
      intercept: confined({ ...OF_LARGE, day: '2026-11-19' }, pageFault('empty', 3, true)),
      pageSizeIgnored: 20,
    },
    error: /page 4 .* has rows/,
  },
  'the last page repeats past the end': {
    behaviour: { pastEnd: 'repeat' },
    error: /only rows that an earlier page/,
  },
  'a recipient is another company': {
    behaviour: {
      intercept: rewritten((body) => body.replaceAll(/"nro_doc":"\d+"/g, '"nro_doc":"211003420017"')),
    },
    // Overlapping pages bring the row with two recipients.
    error: /another company as its recipient|twice, with different contents/,
  },
  'answers redirect elsewhere': { behaviour: { intercept: always(redirect) }, error: /redirect/ },
  'every answer is 500': {
    behaviour: { intercept: always(status500) },
    error: /status 500 \(asked 6 times\)/,
  },
  'every answer is HTML': { behaviour: { intercept: always(html200) }, error: /not JSON/ },
};
