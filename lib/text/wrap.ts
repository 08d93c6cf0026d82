/** A name, two blanks at least, and what is said of it. */
const TWO_COLUMNS = /^(?<left> {2,}\S.*? {2,})(?<right>\S.*)$/;
/** Less room than this for the second column is worse than lines that the terminal breaks. */
const LEAST_RIGHT = 24;

/**
 * The text with lines no longer than the terminal is wide: what is said of a name goes on below where it began. A line
 * that begins with blanks and has no second column is a command to be copied, and stays whole.
 */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrappedLine(line, columns))
    .join('\n');
}

function wrappedLine(line: string, columns: number): string[] {
  if (line.length <= columns) return [line];
  const { left = '', right = line } = TWO_COLUMNS.exec(line)?.groups ?? {};
  const room = columns - left.length;
  if (room < LEAST_RIGHT || (left === '' && line.startsWith(' '))) return [line];
  return words(right, room).map((part, index) => (index === 0 ? left : ' '.repeat(left.length)) + part);
}

function words(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}
