import { describe, expect, it } from 'vitest';
import { printable, printableLine } from '../../lib/text/terminal.ts';

const EVIL: readonly (readonly [string, string, string])[] = [
  ['ESC', '\u001b[2J\u001b]0;title\u0007', '\\u001b[2J\\u001b]0;title\\u0007'],
  ['one-byte CSI', '\u009b31m', '\\u009b31m'],
  ['DEL and backspace', 'abc\u0008\u007f', 'abc\\u0008\\u007f'],
  ['NUL', 'a\u0000b', 'a\\u0000b'],
  ['carriage return', 'safe\rEVIL', 'safe\\rEVIL'],
  ['bidi override', 'abc\u202etxt.exe\u202c', 'abc\\u202etxt.exe\\u202c'],
  ['bidi isolates and marks', '\u2066\u2069\u200e\u200f\u061c', '\\u2066\\u2069\\u200e\\u200f\\u061c'],
  ['zero width', 'A\u200bN\u200cC\u200dA\u2060P\ufeff', 'A\\u200bN\\u200cC\\u200dA\\u2060P\\ufeff'],
  ['invisible letters', '\u00ad\u034f\u115f\u3164\uffa0', '\\u00ad\\u034f\\u115f\\u3164\\uffa0'],
  ['line separators', 'a\u2028b\u2029c\u0085d', 'a\\u2028b\\u2029c\\u0085d'],
  ['tags', 'a\u{e0041}', 'a\\udb40\\udc41'],
  ['half a character', 'a\ud800b', 'a\\ud800b'],
];

describe('printable', () => {
  it.each(EVIL)('escapes %s', (_name, text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(printableLine(text)).toBe(shown);
  });

  it('leaves names as people write them', () => {
    const names = 'Ferretería “El Ñandú” & Cía. – 株式会社 – עברית – Ελλάς – 🍞☎️ – Ｓ．Ａ．';
    expect(printable(names)).toBe(names);
    expect(printableLine(names)).toBe(names);
  });

  it('keeps the lines of a report, and one line of what must be one', () => {
    expect(printable('á\n\tb\n')).toBe('á\n\tb\n');
    expect(printableLine('á\n\tb\n')).toBe('á\\n\\tb\\n');
  });

  it.each(EVIL)('leaves a JSON document with %s saying the same', (_name, text) => {
    const document = JSON.stringify({ name: text }, null, 2);
    expect(JSON.parse(printable(document))).toEqual({ name: text });
  });
});
