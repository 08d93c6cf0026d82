import { describe, expect, it } from 'vitest';
import { isInteractive, paintFor, STYLES } from '../../lib/text/terminal.ts';

const TERMINAL = { isTTY: true };

describe('colour', () => {
  it.each([
    ['a terminal', TERMINAL, {}, true],
    ['a terminal with an empty NO_COLOR', TERMINAL, { NO_COLOR: '' }, true],
    ['a terminal with NO_COLOR', TERMINAL, { NO_COLOR: '1' }, false],
    ['a terminal with NO_COLOR and FORCE_COLOR', TERMINAL, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['a terminal that knows no commands', TERMINAL, { TERM: 'dumb' }, false],
    ['a terminal in CI', TERMINAL, { CI: 'true' }, false],
    ['a terminal where CI is denied', TERMINAL, { CI: 'false' }, true],
    ['a pipe', {}, {}, false],
    ['a pipe with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, false],
  ])('of %s with %j and %j: %s', (_what, stream, environment, isColoured) => {
    const painted = paintFor(stream, environment)(STYLES.good, 'works');
    expect(painted).toBe(isColoured ? '\u001b[32mworks\u001b[39m' : 'works');
  });

  it('is switched off by NO_COLOR, but lines can still be written over', () => {
    expect(isInteractive(TERMINAL, { NO_COLOR: '1' })).toBe(true);
    expect(isInteractive(TERMINAL, { CI: '1' })).toBe(false);
  });
});
