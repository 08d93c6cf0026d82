import { type CompanyCoverage, countStates } from '../coverage/company-coverage.ts';
import { DAY_STATES, noStates, type StateCounts } from '../coverage/day-state.ts';
import type { AskedCoverage } from '../coverage/read-coverage.ts';
import { companyLines, statesText, type TerminalForm } from '../coverage/terminal/calendar.ts';
import { legendLines } from '../coverage/terminal/glyphs.ts';
import { countText } from '../coverage/texts/words.ts';

/** Of more companies than these only those are drawn that need a look. */
const COMPANIES_DRAWN = 20;

/** A person's form: every company's calendars, then what the signs mean, then the sum. */
export class CoverageText {
  private readonly companyCount: number;
  private readonly form: TerminalForm;
  private readonly counts: StateCounts = noStates();
  private leftOut = 0;

  constructor(companyCount: number, form: TerminalForm) {
    this.companyCount = companyCount;
    this.form = form;
  }

  /** What to write of a company; empty when it is left out. */
  company(company: CompanyCoverage): string {
    const counts = countStates(company.calendars.flatMap(({ days }) => days));
    for (const state of DAY_STATES) this.counts[state] += counts[state];
    const hasTrouble = counts.missing + counts.failed + counts.unstable > 0;
    if (this.companyCount > COMPANIES_DRAWN && !hasTrouble) {
      this.leftOut += 1;
      return '';
    }
    return `${companyLines(company, this.form).join('\n')}\n\n`;
  }

  end({ from, to }: AskedCoverage, lake: string): string {
    const total = DAY_STATES.reduce((sum, state) => sum + this.counts[state], 0);
    return [
      ...(this.leftOut > 0
        ? [
            `${countText(this.leftOut)} companies without a missing, failed or unstable day are not drawn; --rut draws one, --html all.`,
            '',
          ]
        : []),
      ...legendLines(this.form.isColoured),
      '',
      `${countText(total)} company-days from ${from} to ${to}, in ${lake}: ${statesText(this.counts, DAY_STATES)}.`,
      '',
    ].join('\n');
  }
}
