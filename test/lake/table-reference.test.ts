import { expect, it } from 'vitest';
import { tableReference } from '../../lib/lake/table-reference.ts';

it('docs/athena.md is what the tables are now', async () => {
  await expect(tableReference()).toMatchFileSnapshot('../../docs/athena.md');
});
