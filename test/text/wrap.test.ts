import { describe, expect, it } from 'vitest';
import { wrapped } from '../../lib/text/terminal.ts';

const HELP = [
  'Read receipts from the API and keep them in the lake, whatever the day.',
  '',
  '  --json         print one JSON document; progress goes to stderr',
  '  npm run -s cfe-lake -- export --from 2026-11-01 --to 2026-11-19 --rut 219999830019',
].join('\n');

describe('a text for a terminal', () => {
  it('stays as it is where it fits', () => {
    expect(wrapped(HELP, 90)).toBe(HELP);
  });

  it('goes on below where a column began, and leaves commands whole', () => {
    expect(wrapped(HELP, 48).split('\n')).toEqual([
      'Read receipts from the API and keep them in the',
      'lake, whatever the day.',
      '',
      '  --json         print one JSON document;',
      '                 progress goes to stderr',
      '  npm run -s cfe-lake -- export --from 2026-11-01 --to 2026-11-19 --rut 219999830019',
    ]);
  });

  it('is not searched for a column again and again where it has 100,000 blanks', () => {
    const text = `  a${' '.repeat(100_000)}`;
    expect(wrapped(text, 80)).toBe(text);
  });

  it('leaves a column that has no room to the terminal', () => {
    expect(wrapped(HELP, 30).split('\n')).toContain(
      '  --json         print one JSON document; progress goes to stderr',
    );
  });
});
