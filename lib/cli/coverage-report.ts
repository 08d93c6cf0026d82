import {
  type CompanyCoverage,
  countReceipts,
  countStates,
  type DayCoverage,
} from '../coverage/company-coverage.ts';
import { areMany, DAY_STATES, noStates, type StateCounts } from '../coverage/day.ts';
import type { AskedCoverage } from '../coverage/read-coverage.ts';
import { companyLines, legendLines, statesText, type TerminalForm } from '../coverage/terminal/calendar.ts';
import { TerminalOverview } from '../coverage/terminal/overview.ts';
import { countText } from '../coverage/texts/words.ts';
import { CHANGING_DAYS } from '../time/days.ts';

/** For people: calendars of a few companies, or an overview of many; then the legend and the totals. */
export class CoverageText {
  private readonly form: TerminalForm;
  private readonly overview: TerminalOverview | undefined;
  private readonly counts: StateCounts = noStates();

  constructor(companyCount: number, days: Pick<AskedCoverage, 'from' | 'to'>, form: TerminalForm) {
    this.form = form;
    this.overview = areMany(companyCount) ? new TerminalOverview(days, form) : undefined;
  }

  /** The lines to write about a company now; empty if it will be in the overview. */
  company(company: CompanyCoverage): string {
    const counts = countStates(company.calendars.flatMap(({ days }) => days));
    for (const state of DAY_STATES) this.counts[state] += counts[state];
    this.overview?.add(company);
    if (this.overview !== undefined) return '';
    return `${companyLines(company, this.form).join('\n')}\n\n`;
  }

  end({ from, to }: AskedCoverage, lake: string): string {
    const total = DAY_STATES.reduce((sum, state) => sum + this.counts[state], 0);
    return [
      ...this.overviewLines(),
      ...legendLines(this.form.paint),
      '',
      `${countText(total)} company-days from ${from} to ${to}, in ${lake}: ${statesText(this.counts, DAY_STATES)}.`,
      '',
    ].join('\n');
  }

  private overviewLines(): string[] {
    if (this.overview === undefined) return [];
    const { leftOut } = this.overview;
    const omitted = `${countText(leftOut)} companies without a missing, failed or unstable day are not drawn. `;
    return [
      ...this.overview.lines(),
      '',
      `${leftOut > 0 ? omitted : ''}--rut RUT draws a company's calendars, --html FILE all.`,
      '',
    ];
  }
}

/** The start of the JSON document; the companies follow one by one, so that only one is in memory. */
export function jsonHead({ from, to, today }: AskedCoverage, lake: string): string {
  const head = JSON.stringify({ from, to, today, lake, changingDays: CHANGING_DAYS });
  return `${head.slice(0, -1)},"companies":[`;
}

export const JSON_TAIL = ']}';

/** `damaged`: why objects of the audit could not be read, of any company. */
export function companyJson({ rut, name, calendars }: CompanyCoverage, damaged: readonly string[]): string {
  const directions = calendars.map(({ direction, days }) => [
    direction,
    { receipts: countReceipts(days), states: countStates(days), days: days.map(dayJson) },
  ]);
  return JSON.stringify({ rut, name: name ?? null, ...Object.fromEntries(directions), damaged });
}

function dayJson({ day, state, receipts, readings }: DayCoverage): Record<string, unknown> {
  const readAt = readings?.lastGood?.startedAtSeconds;
  return {
    fecha: day,
    state,
    receipts,
    readAt: typeof readAt === 'number' ? new Date(readAt * 1000).toISOString().slice(0, 19) : null,
    readings: readings?.count ?? 0,
    error: state === 'failed' ? (readings?.last.error ?? null) : null,
  };
}
