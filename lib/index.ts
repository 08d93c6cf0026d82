/** What `import … from 'cfe-lake'` gives; all else is internal. docs/library.md shows its use. */
export type { ReceiptDetail } from './api/details.ts';
export type { Direction } from './api/directions.ts';
export {
  ApiError,
  HttpStatusError,
  NoAnswerError,
  type RequestContext,
  UnauthorizedError,
} from './api/errors.ts';
export {
  InvalidFilterError,
  type IssuedFilters,
  type LegacyIssuedFilters,
  type LegacyReceivedFilters,
  type ReceivedFilters,
} from './api/filters.ts';
export { ExactNumber, exactJson, parseExactJson } from './api/json.ts';
export { type LakeAnswer, LakeReader } from './library/lake.ts';
export {
  type FirstReceipts,
  type ReceiptList,
  type ReceiptSummary,
  ReceiptsApi,
  type ReceiptsApiOptions,
} from './library/receipts-api.ts';
export type { AnswerColumn } from './query/answer.ts';
export type { PartitionRange } from './query/lake-files.ts';
