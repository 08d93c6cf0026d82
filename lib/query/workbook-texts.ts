/** A workbook's own texts in one language. */
export interface WorkbookTexts {
  /** The name of the last sheet. */
  notes: string;
  longNumbers(count: number, mostDigits: number): string;
  longTexts(count: number, mostCharacters: number): string;
}

export const WORKBOOK_ENGLISH: WorkbookTexts = {
  notes: 'notes',
  longNumbers: (count, mostDigits) =>
    `Orange: ${counted(count, 'number')} of more than ${mostDigits} digits, as text. Excel would round them, and its sums leave texts out.`,
  longTexts: (count, mostCharacters) =>
    `Orange: ${counted(count, 'text')} cut after ${mostCharacters} characters, the most that a cell holds. CSV, JSON and Parquet have them whole.`,
};

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
