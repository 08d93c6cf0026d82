import { expect, it } from 'vitest';
import { exportUnit } from '../support/export/export-unit.ts';
import { newWorld, received } from '../support/export/unit-world.ts';

it('counts the values that did not fit of all invocations that a unit took', async () => {
  const world = newWorld();
  // The first and the last receipt have an amount that no column holds.
  const misfit = { totales: { total: 'much', total_pagar: 1 } };
  world.listed = Array.from({ length: 450 }, (_, index) =>
    received(index + 1, index === 0 || index === 449 ? misfit : {}),
  );
  const tools = world.tools({ mayHaveStaged: true });
  let pagesLeft = 2;
  expect(await exportUnit(world.unit, { ...tools, isTimeUp: () => pagesLeft-- <= 0 })).toBeUndefined();
  expect(await exportUnit(world.unit, tools)).toMatchObject({
    state: 'exportado',
    receipts: 450,
    misfits: 2,
  });
  expect((await world.rows()).filter(({ otros }) => otros !== null).map(({ id }) => id)).toEqual([1n, 450n]);
});
