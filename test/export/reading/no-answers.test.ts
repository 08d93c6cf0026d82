import { describe, expect, it } from 'vitest';
import { CompanyWorld } from '../../support/export/company-world.ts';

describe('a list over several days that is refused', () => {
  /** Exports eight days, of which lists over several are answered 403, and those of one day this. */
  async function exportRefused(statusOfDay: number) {
    const world = new CompanyWorld(Array.from({ length: 8 }, () => 3));
    Object.assign(world.facts.recibidos, { provedWidthDays: 20, isEndDateInclusive: true });
    world.api.statusFor = (_path, query) =>
      query.get('FechaDesde') === query.get('FechaHasta') ? statusOfDay : 403;
    const { results } = await world.export();
    return { requests: world.api.requestCount, errors: new Set(results.map(({ error }) => error)) };
  }

  it('is of the company where its last and its first day are refused alike, and no other day is asked for', async () => {
    const { requests, errors } = await exportRefused(403);
    expect(requests).toBe(3);
    expect([...errors]).toEqual([expect.stringContaining('status 403')]);
  });

  it('is of its days where they are refused with another status', async () => {
    const { errors } = await exportRefused(404);
    expect(errors.size).toBe(8);
    for (const error of errors) expect(error).toContain('status 404');
  });
});
