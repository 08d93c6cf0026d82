import { describe, expect, it } from 'vitest';
import { dayNumber, parseLocal } from '../../sandbox/generator/calendar.ts';
import { sandboxCompanies } from '../../sandbox/generator/parties.ts';
import type { ReceiptList, SandboxReceipt } from '../../sandbox/generator/receipts.ts';
import { issuedList, receivedList } from '../../sandbox/generator/receipts.ts';
import { campaign } from '../support/campaign.ts';
import { DAY } from './support.ts';

const HOURS = 3_600_000;
const COUNT = campaign({ quick: 2500, long: 6000 });
const day = dayNumber(DAY) ?? 0;
const midnight = parseLocal(`${DAY}T00:00:00`) ?? 0;

function listOf(make: typeof issuedList, statusFlips: boolean): ReceiptList {
  const company = sandboxCompanies(1)[0];
  if (company === undefined) throw new RangeError('no company');
  const rules = () => ({ issueTimes: true, lateArrivals: true, statusFlips });
  const world = {
    seed: 1,
    receiptsPerDay: COUNT,
    hasLongAmounts: false,
    numberingGaps: 0,
    statusFlipDays: 60,
    rules,
  } as const;
  return make({ company, position: 0 }, world);
}

/** The distinct values of a status over 90 days, in order, each with the hours since the issue day began. */
function courses(
  list: ReceiptList,
  statusOf: (receipt: SandboxReceipt) => string | null,
): { index: number; steps: (string | null)[]; hours: number[] }[] {
  return Array.from({ length: COUNT }, (_, index) => {
    const course = { index, steps: [] as (string | null)[], hours: [] as number[] };
    for (let hour = 0; hour < 90 * 24; hour += 24) {
      const now = midnight + hour * HOURS;
      if (list.appeared(day, now) <= index) continue;
      const status = statusOf(list.receipt(day, index, now));
      if (course.steps.at(-1) === status && course.steps.length > 0) continue;
      course.steps.push(status);
      course.hours.push(hour);
    }
    return course;
  });
}

const VERDICTS = ['AE', 'BE', 'CE'];

/** Whether a verdict may take these steps: arrive, turn from rejection to acceptance, annul an acceptance. */
function isAllowed(steps: readonly (string | null)[], pending: string | null): boolean {
  const verdicts = steps[0] === pending ? steps.slice(1) : steps;
  const [first, second, ...more] = verdicts;
  if (more.length > 0 || verdicts.some((code) => !VERDICTS.includes(code ?? ''))) return false;
  return second === undefined || (first === 'BE' && second === 'AE') || (first === 'AE' && second === 'BE');
}

describe('statuses', () => {
  const received = courses(listOf(receivedList, true), (r) => r.estado);
  const authority = courses(listOf(issuedList, true), (r) => r.estado_dgi);
  const recipient = courses(listOf(issuedList, true), (r) => r.estado_receptor);

  it('of received receipts move only as a verdict may', () => {
    for (const { steps } of received) expect(isAllowed(steps, null), steps.join()).toBe(true);
    const last = new Set(received.map(({ steps }) => steps.at(-1)));
    expect(last).toEqual(new Set(VERDICTS));
  });

  it('of the tax authority move only as a verdict may, and some e-Tickets stay NE', () => {
    for (const { steps } of authority) expect(isAllowed(steps, 'NE'), steps.join()).toBe(true);
    expect(authority.some(({ steps }) => steps.length === 1 && steps[0] === 'NE')).toBe(true);
  });

  it('turn from rejected to accepted, and from accepted to annulled, within 60 days', () => {
    const turned = [...received, ...authority].filter(
      ({ steps }) => steps.filter((s) => VERDICTS.includes(s ?? '')).length > 1,
    );
    expect(turned.some(({ steps }) => steps.at(-1) === 'AE')).toBe(true);
    expect(turned.some(({ steps }) => steps.at(-1) === 'BE')).toBe(true);
    for (const { hours } of turned)
      expect((hours.at(-1) ?? 0) - (hours[0] ?? 0)).toBeLessThanOrEqual(60 * 24 + 24);
  });

  it('of the recipient come once, within 20 days, or never', () => {
    for (const { steps, hours } of recipient) {
      expect([[null], [null, 'ACEPTADO'], [null, 'RECHAZADO'], ['ACEPTADO'], ['RECHAZADO']]).toContainEqual(
        steps,
      );
      expect(hours.at(-1)).toBeLessThanOrEqual(21 * 24 + 24);
    }
    expect(new Set(recipient.map(({ steps }) => steps.at(-1)))).toEqual(
      new Set([null, 'ACEPTADO', 'RECHAZADO']),
    );
  });

  it('are the last ones from the start when flips are off', () => {
    for (const make of [receivedList, issuedList]) {
      const still = listOf(make, false);
      const moving = listOf(make, true);
      const early = midnight + 25 * HOURS;
      for (let index = 0; index < still.appeared(day, early); index++)
        expect(still.receipt(day, index, early)).toEqual(
          moving.receipt(day, index, midnight + 90 * 24 * HOURS),
        );
    }
  });
});
