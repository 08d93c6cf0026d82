import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { apiPage } from '../../scripts/api-page.ts';

it('API.md is what the docstrings of the construct say', async () => {
  await expect(await apiPage()).toMatchFileSnapshot(fileURLToPath(new URL('../../API.md', import.meta.url)));
});
