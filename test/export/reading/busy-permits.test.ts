import { expect, it } from 'vitest';
import { exportCompany } from '../../../lib/export/company.ts';
import { noFacts } from '../../../lib/export/reading/service-facts.ts';
import { addDays, daysBetween } from '../../../lib/time/days.ts';
import { planUnits } from '../../../lib/units/unit.ts';
import { FakeApi } from '../../support/api/fake-api.ts';
import { exportTools } from '../../support/export/export-tools.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryStore } from '../../support/lake/memory-store.ts';

const RUT = '219999830019';
const DAY = '2026-11-19';
const MAX_IN_FLIGHT = 8;

/** Answers requests in rounds: all those in flight together, once nothing else is left to do. */
class Rounds {
  count = 0;
  private held: (() => void)[] = [];

  readonly answer = (): Promise<void> => new Promise((resolve) => this.held.push(resolve));

  async until(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) {
      await this.quiet();
      if (this.held.length > 0) this.count += 1;
      for (const answer of this.held.splice(0)) answer();
    }
  }

  private async quiet(): Promise<void> {
    let held = -1;
    while (held !== this.held.length) {
      held = this.held.length;
      for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Exports this many days with `perDay` receipts each. Returns how many rounds and requests it took. */
async function exported(dayCount: number, perDay: (index: number) => number) {
  const api = new FakeApi(RUT);
  const days = daysBetween(addDays(DAY, 1 - dayCount), DAY);
  // Days before and after them have receipts too, as those of any company that has been read before.
  api.lists.recibidos.push(
    ...daysBetween(addDays(DAY, 1 - 2 * dayCount), addDays(DAY, 2)).flatMap((day, index) =>
      Array.from({ length: perDay(index) }, (_, row) => ({
        id: index * 10_000 + row + 1,
        fecha_emision: `${day}T${String(row % 24).padStart(2, '0')}:30:00`,
      })),
    ),
  );
  const rounds = new Rounds();
  api.beforeAnswer = rounds.answer;
  const clock = new FakeClock(Date.UTC(2026, 10, 23, 9));
  const store = new MemoryStore(() => clock.now());
  const run = { id: '20261123020000-nocturna', day: '2026-11-23' } as const;
  const proved = { ...noFacts(), provedWidthDays: 80, isEndDateInclusive: true, deepestRow: 1e6 };
  const facts = { recibidos: proved, emitidos: noFacts() };
  const tools = exportTools({ client: api.client(MAX_IN_FLIGHT), store, run, clock, facts });
  const work = exportCompany(planUnits(RUT, ['recibidos'], days), tools);
  await rounds.until(work);
  const { results } = await work;
  expect(results.every(({ state }) => state === 'exportado')).toBe(true);
  return { rounds: rounds.count, requests: api.requestCount };
}

it.each([
  // If one list were read without reading ahead beyond its expected end, it would take two more rounds.
  ['20 days, a fifth on every third', 20, (index: number) => (index % 3 === 0 ? 200 : 1_000), 50, 215],
  ['40 days', 40, () => 800, 76, 398],
])(
  'keeps its permits busy while days are read for the first time, %s',
  async (_name, dayCount, perDay, mostRounds, mostRequests) => {
    const { rounds, requests } = await exported(dayCount, perDay);
    expect(rounds).toBeLessThanOrEqual(mostRounds);
    expect(requests).toBeLessThanOrEqual(mostRequests);
  },
);
