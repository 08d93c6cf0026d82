import { campaign } from './campaign.ts';

type Look = ['light' | 'dark', number];

/** How a page is looked at by axe: colour scheme and width in pixels. */
export const LOOKS = campaign<Look[]>({
  quick: [
    ['light', 1400],
    ['dark', 380],
  ],
  long: [
    ['light', 1400],
    ['dark', 1400],
    ['light', 380],
    ['dark', 380],
  ],
});

/** How a page of several languages is looked at by axe: all ways in each, or in npm test one way in each in turn. */
export function looksOf(language: number): Look[] {
  const turn = LOOKS[language % LOOKS.length];
  return campaign({ quick: turn === undefined ? [] : [turn], long: LOOKS });
}
