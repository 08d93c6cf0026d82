import { expect, it } from 'vitest';
import { CompanyWorld } from '../../support/export/company-world.ts';

it('a list with more bytes than it may have is read in fewer days, and a day alone fails by name', async () => {
  const world = new CompanyWorld([3, 40, 3, 3, 90, 3]);
  world.facts.recibidos.provedWidthDays = 10;
  world.facts.recibidos.isEndDateInclusive = true;
  world.api.maxBytesPerList = 200_000;
  const [, long, , , longest] = world.days;
  for (const receipt of world.listed) {
    const day = receipt.fecha_emision.slice(0, 10);
    if (day === long || day === longest) receipt.nota = 'x'.repeat(3_000);
  }
  const { results } = await world.export();
  for (const { day, state, error, receipts } of results) {
    if (day === longest) expect(error).toContain('more than 0 MB of rows');
    else expect({ state, receipts }).toEqual({ state: 'exportado', receipts: world.held(day).length });
  }
  expect(results).toHaveLength(6);
});
