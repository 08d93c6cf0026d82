import { readAgainCommand } from '../lake/source.ts';
import { PROGRAM } from '../program.ts';
import { addDays } from '../time/days.ts';
import type { Report } from './read-report.ts';
import type { ReportTexts } from './texts/english.ts';
import { receiptsWithoutCurrency } from './totals.ts';

/** What to do about a part's receipts whose currency is not known; undefined if there are none. */
export function currencyHint(
  report: Report,
  id: 'ventas' | 'compras',
  texts: ReportTexts,
): string | undefined {
  const answer = report.parts.find(({ part }) => part.id === id)?.answer;
  if (answer === undefined || receiptsWithoutCurrency(answer) === 0) return undefined;
  return report.unreadDetails.includes(id)
    ? `${texts.readDetails}\n  ${readDetailsCommand(report)}`
    : texts.unnamedCurrency;
}

/** The command that reads the details of the month's issued receipts: their currencies are nowhere else. */
function readDetailsCommand({ rut, from, to, today, lake, source }: Report): string {
  const yesterday = addDays(today, -1);
  const last = [from, to < yesterday ? to : yesterday].sort().at(-1);
  const command = readAgainCommand(PROGRAM, lake, source);
  return `${command} --rut ${rut} --from ${from} --to ${last} --details emitidos`;
}
