/** What a cell says: a value, nothing, or something that can't be read as a value of its column. */
export type Reading<T> =
  | { readonly state: 'read'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly text: string };

export const ABSENT = { state: 'absent' } as const;

export function read<T>(value: T): Reading<T> {
  return { state: 'read', value };
}

const MOST_SHOWN = 60;

/** Its text is kept to be shown. */
export function unreadable(text: string): { state: 'unreadable'; text: string } {
  return { state: 'unreadable', text: shown(text) };
}

export function shown(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

export function valueIn<T>(reading: Reading<T>): T | null {
  return reading.state === 'read' ? reading.value : null;
}
