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
