/** The page's text with these rows in the table that has this first heading. */
export function withRows(text: string, heading: string, rows: readonly string[]): string {
  const start = text.indexOf(`\n| ${heading} |`) + 1;
  if (start === 0) throw new RangeError(`the page has no table that begins with ${heading}`);
  const [head = '', line = ''] = text.slice(start).split('\n');
  return text.slice(0, start) + [head, line, ...rows].join('\n') + text.slice(text.indexOf('\n\n', start));
}
