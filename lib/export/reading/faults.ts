import { ApiError, HttpStatusError, NoAnswerError, PagingFaultError } from '../../api/errors.ts';

/**
 * What a list's error says about the days that it was asked for: nothing; that the list was refused, perhaps for its
 * width; that its pages do not fit together; or that some day of it is at fault.
 */
export type FaultKind = 'of no day' | 'refused' | 'torn' | 'of some day';

export function kindOfFault(error: unknown): FaultKind {
  if (!(error instanceof ApiError) || error.isOfNoDay) return 'of no day';
  if (error instanceof HttpStatusError || error instanceof NoAnswerError) return 'refused';
  return error instanceof PagingFaultError ? 'torn' : 'of some day';
}

/** Statuses that are mostly about the company or the address. */
export function isDenial(error: unknown): error is HttpStatusError {
  return error instanceof HttpStatusError && (error.status === 403 || error.status === 404);
}
