/**
 * What the contract leaves open about a list and its own answers have proved. One object a direction and
 * process, kept in the lake from run to run: what one company's list showed holds for all.
 */
export interface ListHabits {
  /** Whether `FechaHasta` includes its own day; undefined until proved. */
  upperBound?: 'inclusive' | 'exclusive';
  /** Rows seen so far that were issued at their day's first moment, with none issued later beside them. */
  rowsWithoutTime?: number;
  /** The page size that is really honoured, when it was proved to be less than the maximum. */
  pageCap?: number;
  /** Rows of the longest page seen: a shorter one is not full, whatever the cap is. */
  longestPage?: number;
  /** Whether page sizes other than the maximum are honoured; undefined until proved. */
  isAnyPageSizeHonoured?: boolean;
  /** A list over so many days had rows at both its ends, so it was not cut; narrower ones aren't either. */
  provedWidthDays?: number;
  /** The least number of days that a list was refused for, where narrower ones were answered. */
  refusedWidthDays?: number;
  /** The greatest position, counted from 1, at which a list had a row. */
  deepestRow?: number;
  /** Lists end after so many rows, though they have more; undefined while none was caught at it. */
  resultWindow?: number;
}
