import { expect, it } from 'vitest';
import { openerOf } from '../../lib/system/open-page.ts';

it.each([
  ['darwin', {}, 'open'],
  ['win32', {}, 'explorer.exe'],
  ['linux', { DISPLAY: ':0' }, 'xdg-open'],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
  ['linux', { DISPLAY: '' }, undefined],
  ['linux', {}, undefined],
] as const)('a page is opened where a desktop is: %s %j', (platform, environment, opener) => {
  expect(openerOf(platform, environment)).toBe(opener);
});
