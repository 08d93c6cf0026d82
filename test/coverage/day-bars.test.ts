import { describe, expect, it } from 'vitest';
import { DAY_STATES, SHADES } from '../../lib/coverage/day.ts';
import { PAGE_STYLE } from '../../lib/coverage/html/assets.generated.ts';
import { barsOf } from '../../lib/coverage/page/day-bars.ts';

/** Their colour says how many receipts they have. */
const SHADED_STATES = ['unstable', 'aged', 'open', 'exported'] as const;

describe('without colour, on the page,', () => {
  it('a day of the overview differs in shape by its state', () => {
    for (let shade = 0; shade <= SHADES; shade += 1) {
      const shapes = SHADED_STATES.map((state) =>
        barsOf(state, shade)
          .map(({ from, to }) => `${from} ${to}`)
          .join(),
      );
      expect(new Set(shapes).size).toBe(SHADED_STATES.length);
    }
  });

  it('a day of a calendar has a mark or a pattern, unless it is settled', () => {
    for (const state of DAY_STATES.filter((of) => of !== 'exported')) {
      const rules = PAGE_STYLE.match(new RegExp(`\\.day\\.${state}[^{]*\\{[^}]*\\}`, 'g'))?.join('') ?? '';
      expect(rules).toMatch(/content:|gradient/);
    }
    // Browsers print no background otherwise.
    expect(PAGE_STYLE).toMatch(/print-color-adjust:exact/);
  });
});
