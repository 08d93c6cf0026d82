import { DEFAULT_REQUEST_TIMEOUT_MS } from '../../api/client.ts';
import { DIRECTIONS } from '../../api/directions.ts';
import { writePrivateFile } from '../../private-files.ts';
import type { Finding } from '../../probe/answer.ts';
import { MAX_DAYS, MAX_REQUESTS, type ProbeReport, probe } from '../../probe/probe.ts';
import { printableLine } from '../../text/terminal.ts';
import { defineCommand } from '../command.ts';
import { fileName, oneValue } from '../option.ts';
import { askedAccess, CONNECTION_OPTIONS, withConnection } from '../options/connection.ts';
import { askedDays } from '../options/units.ts';
import { UsageError } from '../usage.ts';

const DEFAULT_FILE = 'probe.json';

export const probeCommand = defineCommand({
  name: 'probe',
  options: {
    api: CONNECTION_OPTIONS.api,
    companies: CONNECTION_OPTIONS.companies,
    rut: oneValue('RUT', 'the company to ask for (default: the first)'),
    date: oneValue(
      'D',
      `issue date to look at, YYYY-MM-DD (default: one of the last ${MAX_DAYS} that has receipts)`,
    ),
    out: fileName(`JSON file for the report (default ${DEFAULT_FILE})`, 'FILE.json'),
    'request-timeout-ms': CONNECTION_OPTIONS['request-timeout-ms'],
  },
  examples: [
    'probe --api https://api.example.com --companies companies.json',
    'probe --api https://api.example.com --companies companies.json --rut 219999830019 --date 2026-11-19 --out found.json',
  ],
  notes: [`Sends at most ${MAX_REQUESTS} requests.`],
  run: async ({ rut, date, out = DEFAULT_FILE, ...options }, _words, terminal) => {
    const days = askedDays({ date }, Date.now(), terminal, MAX_DAYS).reverse();
    const access = await askedAccess({ ...options, rut: rut === undefined ? undefined : [rut] });
    return await withConnection(options, access, async ({ session, companies }) => {
      const [company] = companies;
      if (company === undefined)
        throw new UsageError('There is no company to ask for: give --companies FILE.');
      const report = await probe({
        address: session.address,
        pool: session.pool,
        rut: company.rut,
        token: await company.tokens.current(),
        requestTimeoutMs: session.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
        clock: session.clock,
        days,
        signal: terminal.signal,
      });
      terminal.stdout.write(`${probeText(report)}\n`);
      await writePrivateFile(out, `${JSON.stringify(report, null, 2)}\n`);
      terminal.stdout.write(`Written to ${out}.\n`);
      return 0;
    });
  },
});

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
