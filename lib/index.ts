/** The exports of `import … from 'cfe-lake'`; all else is internal. docs/library.md shows their use. */

export type { Direction } from './api/directions.ts';
export {
  ApiError,
  HttpStatusError,
  NoAnswerError,
  type RequestContext,
  UnauthorizedError,
} from './api/errors.ts';
export { InvalidFilterError } from './api/filter-query.ts';
export type {
  IssuedFilters,
  LegacyIssuedFilters,
  LegacyReceivedFilters,
  ReceivedFilters,
} from './api/filters.ts';
export type { ReceiptDetail } from './api/unpaged.ts';
export { CfeLakeError } from './errors.ts';
export { ExactNumber, exactJson, parseExactJson } from './exact-json.ts';
export {
  type FirstReceipts,
  type LakeAnswer,
  LakeReader,
  type PartitionRange,
  type ReceiptList,
  type ReceiptSummary,
  ReceiptsApi,
  type ReceiptsApiOptions,
} from './library.ts';
export type { AnswerColumn } from './query/answer.ts';
