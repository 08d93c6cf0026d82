import type { DayState } from '../day.ts';

/** A part of a day: the colour's name in the style, and shares of the line's height from the top. */
interface Bar {
  name: string;
  from: number;
  to: number;
}

/** A day of the overview. States differ in shape too, for those who can't tell the colours apart. */
export function barsOf(state: DayState, shade: number): readonly Bar[] {
  const name = `s${shade}`;
  switch (state) {
    case 'missing':
      return [
        { name: 'missing', from: 0, to: 1 },
        { name: 'missing-soft', from: 0.34, to: 0.67 },
      ];
    case 'failed':
      return [{ name: 'failed', from: 0, to: 1 }];
    case 'unstable':
      return [
        { name: 'ring', from: 0, to: 0.5 },
        { name, from: 0.5, to: 1 },
      ];
    case 'aged':
      return [{ name, from: 0.5, to: 1 }];
    case 'open':
      return [{ name, from: 0.25, to: 1 }];
    case 'exported':
      return [{ name, from: 0, to: 1 }];
  }
}
