import type { DayRange } from '../../time/day-ranges.ts';
import {
  ApiDownError,
  ApiError,
  HttpStatusError,
  NoAnswerError,
  RedirectRefusedError,
  UnauthorizedError,
} from '../errors.ts';
import type { ListHabits } from '../list/habits.ts';
import { widthDays } from './days-sink.ts';

/** What may be wrong with a list that only some of its days are the cause of. */
export type Trouble = 'of one day' | 'of its width' | 'of no day';

/** A list that is refused or takes too long may be too wide, unless one as wide is known to be answered. */
export function troubleOf(range: DayRange, error: unknown, { provedWidthDays = 1 }: ListHabits): Trouble {
  if (!(error instanceof ApiError)) return 'of no day';
  const kinds = [UnauthorizedError, RedirectRefusedError, ApiDownError];
  if (kinds.some((kind) => error instanceof kind)) return 'of no day';
  if (error instanceof NoAnswerError && !error.isTimeout) return 'of no day';
  const mayBeWidth = error instanceof HttpStatusError || error instanceof NoAnswerError;
  return mayBeWidth && widthDays(range) > provedWidthDays ? 'of its width' : 'of one day';
}
