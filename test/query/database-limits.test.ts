import { tmpdir, totalmem } from 'node:os';
import { expect, it, vi } from 'vitest';
import { usualLimits } from '../../lib/query/database-limits.ts';

/** As Node says it of a control group: 0 where there is none, nearly 2^64 where it has no limit. */
it.each([
  ['a container may have 2 GB', 2 * 2 ** 30, 2 ** 30],
  ['nothing limits it', 0, totalmem() / 2],
  ['a container has no limit', 2 ** 64 - 4096, totalmem() / 2],
])('a question has half of the memory where %s', (_where, constrained, half) => {
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(constrained);
  expect(usualLimits(tmpdir()).memoryBytes).toBe(half);
});
