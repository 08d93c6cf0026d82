/**
 * What the contract leaves open about a list and its own answers have proved. One object a direction and
 * process: what one company's list showed holds for all.
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
}
