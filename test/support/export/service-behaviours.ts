import { LARGE_RUT, type ServiceBehaviour } from './habits-world.ts';

const ONCE = 'once' as const;
/** Habits of pages and lists, and faults of one page, that must not change the lake. */
export const HABITS: Record<string, ServiceBehaviour> = {
  'nothing unusual': {},
  'pages of at most 50, in silence': { pageCap: 50 },
  'pages of at most 7, in silence': { pageCap: 7 },
  'pages of 20, whatever was asked': { pageSizeIgnored: 20 },
  'pages of 150, whatever was asked': { pageSizeIgnored: 150 },
  'page_size says what was asked': {
    rewrite: (body, { address }) =>
      body.replace(/"page_size":\d+/, `"page_size":${/pagesize=(\d+)/i.exec(address)?.[1]}`),
  },
  'an upper bound that excludes its day': { upperBound: 'exclusive' },
  'a page past the end is 404': { pastEnd: '404' },
  'newest ids first': { order: 'id-desc' },
  'latest signatures first': { order: 'signature-desc' },
  'no order to be seen': { order: 'shuffled' },
  'page 1 empty once': { emptyPage: { page: 1, when: ONCE } },
  'page 2 empty once': { emptyPage: { page: 2, when: ONCE } },
  'page 3 empty once': { emptyPage: { page: 3, when: ONCE } },
  'page 1 short once': { shortPage: { page: 1, when: ONCE } },
  'page 2 short once': { shortPage: { page: 2, when: ONCE } },
  'page 4 short once': { shortPage: { page: 4, when: ONCE } },
};

/** Faults of requests that must not change the lake. */
export const PASSING_FAULTS: Record<string, ServiceBehaviour> = {
  '429 without Retry-After now and then': { tooManyRequestsEvery: 5, retryAfter: 'none' },
  '429 with Retry-After in seconds': { tooManyRequestsEvery: 5, retryAfter: 'seconds', retryAfterSeconds: 0 },
  '429 with Retry-After as a date': { tooManyRequestsEvery: 7, retryAfter: 'date', retryAfterSeconds: 0 },
  '500 now and then': { serverErrorEvery: 4 },
  '502 with HTML now and then': { badGatewayEvery: 4 },
  '200 with HTML now and then': { htmlEvery: 4 },
  'JSON cut off now and then': { truncatedEvery: 4 },
  'connections reset now and then': { resetEvery: 4 },
  'no answer now and then': { hangEvery: 15 },
  'slow answers': { latencyMs: 20 },
  'a token that is renewed while reading': { rotateTokenAfter: 5 },
};

/** Rows that come and go while a list is read. */
export const MOVING_ROWS: [string, ServiceBehaviour][] = [
  ['removed at the start', { removeRows: { afterListRequests: 3, count: 10, position: 'start' } }],
  ['removed in the middle', { removeRows: { afterListRequests: 5, count: 10, position: 'middle' } }],
  ['removed at the end', { removeRows: { afterListRequests: 4, count: 10, position: 'end' } }],
  ['inserted at the start', { insertRows: { afterListRequests: 3, count: 10, position: 'start' } }],
  ['inserted in the middle', { insertRows: { afterListRequests: 5, count: 10, position: 'middle' } }],
  ['inserted at the end', { insertRows: { afterListRequests: 4, count: 10, position: 'end' } }],
];

/** Faults that fail units, and the errors. */
export const HARMFUL: Record<string, { behaviour: ServiceBehaviour; error: RegExp }> = {
  'the page parameter is ignored': {
    behaviour: { pageParameterIgnored: 'echo' },
    error: /could not be proved|can't be had \(/,
  },
  'the page parameter is ignored and says so': {
    behaviour: { pageParameterIgnored: 'one' },
    error: /came as page 1/,
  },
  'the last page repeats past the end': {
    behaviour: { pastEnd: 'repeat' },
    error: /only rows that an earlier page/,
  },
  'page 2 is always short': { behaviour: { shortPage: { page: 2, when: 'always' } }, error: /./ },
  'page 2 is always short, in pages of 20': {
    behaviour: {
      shortPage: { page: 2, when: 'always' },
      pageSizeIgnored: 20,
      faultTarget: { rut: LARGE_RUT, direction: 'emitidos' },
    },
    error: /./,
  },
  'page 3 is always empty': {
    behaviour: {
      emptyPage: { page: 3, when: 'always' },
      pageSizeIgnored: 20,
      faultTarget: { rut: LARGE_RUT, direction: 'emitidos' },
    },
    error: /page 4 .* has rows/,
  },
  'a row has no id': {
    behaviour: { rewrite: (body) => body.replace(/\[\{"id":\d+,/, '[{') },
    error: /position 1 .* no usable id/,
  },
  'a recipient is another company': {
    behaviour: { rewrite: (body) => body.replace(/"nro_doc":"\d+"/, '"nro_doc":"211003420017"') },
    error: /another company as its recipient/,
  },
  'answers redirect elsewhere': { behaviour: { redirectEvery: 1 }, error: /redirect/ },
  'every answer is 500': { behaviour: { serverErrorEvery: 1 }, error: /status 500 \(asked 6 times\)/ },
  'every answer is HTML': { behaviour: { htmlEvery: 1 }, error: /not JSON/ },
};
