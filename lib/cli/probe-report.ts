import { DIRECTIONS } from '../api/directions.ts';
import type { Finding, ProbeReport } from '../probe/report.ts';
import { printableLine } from '../text/printable.ts';

/** The report for people: of each list, then of the API as a whole, every question with its finding. */
export function probeText(report: ProbeReport): string {
  const { api, rut, days, requests, findings } = report;
  const lists = DIRECTIONS.flatMap((direction) => {
    const day = days[direction];
    const title = day === null ? `The list of ${direction}` : `The list of ${direction}, ${day}`;
    return section(
      title,
      findings.filter((finding) => finding.direction === direction),
    );
  });
  const rest = section(
    'The API as a whole',
    findings.filter(({ direction }) => direction === undefined),
  );
  const statuses = Object.entries(requests.byStatus).map(([status, count]) =>
    status === '0' ? `${count} without an answer` : `${count} answered ${status}`,
  );
  const sent = `Requests sent: ${requests.sent} (of at most ${requests.limit}): ${statuses.join(', ')}.`;
  return [`What ${api} does for ${rut}, where its contract is silent`, ...lists, ...rest, '', sent].join(
    '\n',
  );
}

function section(title: string, findings: readonly Finding[]): string[] {
  const widest = Math.max(...findings.map(({ question }) => question.length));
  const lines = findings.flatMap(({ question, finding, evidence }) => [
    printableLine(`  ${question.padEnd(widest)}  ${finding}`),
    ...(evidence.length === 0 ? [] : [printableLine(`    ${evidence.join('; ')}`)]),
  ]);
  return findings.length === 0 ? [] : ['', title, ...lines];
}
