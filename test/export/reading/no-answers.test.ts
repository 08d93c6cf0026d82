import { describe, expect, it } from 'vitest';
import { readCompany } from '../../../lib/export/reading/read-company.ts';
import { CompanyWorld } from '../../support/export/company-world.ts';
import { DAY, RUT } from '../../support/export/unit-world.ts';

describe('a list over several days that is refused', () => {
  /** Exports eight days, of which lists over several are answered 403, and those of one day this. */
  async function exportRefused(statusOfDay: number, provedWidthDays = 20) {
    const world = new CompanyWorld(Array.from({ length: 8 }, () => 3));
    Object.assign(world.facts.recibidos, { provedWidthDays, isEndDateInclusive: true });
    world.api.statusFor = (_path, query) =>
      query.get('FechaDesde') === query.get('FechaHasta') ? statusOfDay : 403;
    const { results } = await world.export();
    return { requests: world.api.requestCount, errors: new Set(results.map(({ error }) => error)) };
  }

  it.each([20, 4])(
    'is of the company where its last and its first day are refused alike, and no other day is asked for, in lists of %i days',
    async (widthDays) => {
      const { requests, errors } = await exportRefused(403, widthDays);
      expect(requests).toBe(3);
      expect([...errors]).toEqual([expect.stringContaining('status 403')]);
    },
  );

  it('is of its days where they are refused with another status', async () => {
    const { errors } = await exportRefused(404);
    expect(errors.size).toBe(8);
    for (const error of errors) expect(error).toContain('status 404');
  });
});

it('the days that time has cut are told, of those asked for', async () => {
  const world = new CompanyWorld([200, 200, 200]);
  Object.assign(world.facts.recibidos, { provedWidthDays: 20, isEndDateInclusive: true });
  const [first = DAY] = world.days;
  const lists = [{ direction: 'recibidos', days: [first, DAY] }] as const;
  const cut: unknown[] = [];
  await readCompany(RUT, lists, world.tools({ isTimeUp: () => world.api.requestCount > 1 }), {
    onUnit: async () => expect.fail('no day was read'),
    onCut: (direction, days) => cut.push({ direction, days: [...days].sort() }),
  });
  expect(cut).toEqual([{ direction: 'recibidos', days: [first, DAY] }]);
});
