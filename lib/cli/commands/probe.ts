import { MAX_REQUESTS, probe, type ServiceReport } from '../../probe/probe.ts';
import { WrongInputError } from '../../system/errors.ts';
import { writePrivateFile } from '../../system/private-files.ts';
import { plural, printableLine } from '../../text/terminal.ts';
import { DIRECTIONS } from '../../units/unit.ts';
import { defineCommand, fileToWrite, JSON_OPTION, oneValue } from '../command.ts';
import { askedAccess, ONE_COMPANY_OPTIONS, withConnection } from '../options/connection.ts';
import { askedDays } from '../options/units.ts';
import { loginLines } from './companies.ts';

const DEFAULT_FILE = 'probe.json';
const MAX_DAYS = 10;

export const probeCommand = defineCommand({
  options: {
    ...ONE_COMPANY_OPTIONS,
    rut: oneValue('RUT', 'the company to ask for (default: the first)'),
    date: oneValue('D', `issue date to look at (default: one of the last ${MAX_DAYS} that has receipts)`),
    out: fileToWrite(`JSON file for what was found (default ${DEFAULT_FILE})`),
    report: fileToWrite('another one, to be sent on: no address, RUT, name, token or value of a receipt'),
    ...JSON_OPTION,
  },
  examples: [
    'probe --api https://api.example.com --companies companies.json',
    'probe --api https://api.example.com --companies companies.json --rut 219999830019 --date 2026-11-19 --report service.json',
  ],
  notes: [`Sends at most ${MAX_REQUESTS} requests for each of the two lists.`],
  run: async ({ rut, date, out = DEFAULT_FILE, report: shared, json, ...options }, _words, terminal) => {
    const days = askedDays({ date }, Date.now(), terminal, MAX_DAYS).reverse();
    const access = await askedAccess({ ...options, rut: rut === undefined ? undefined : [rut] });
    return await withConnection(options, access, terminal, async ({ session, companies }) => {
      const [company] = companies;
      if (company === undefined)
        throw new WrongInputError('There is no company to ask for: give --companies FILE.');
      const { looked, report } = await probe({ ...company, session, days, signal: terminal.signal });
      const { origin, pathname } = session.address;
      const found = { api: origin + pathname, rut: company.rut, days: looked, ...report };
      const text = JSON.stringify(found, null, 2);
      const printer = json === true ? terminal.stderr : terminal.stdout;
      if (json === true) terminal.stdout.write(`${text}\n`);
      else printer.writeProse(`${probeText(report)}\n`);
      const { rut: asked, login } = company;
      for (const line of loginLines([{ rut: asked, login, expiry: login?.endOf(asked), state: 'works' }]))
        printer.writeProse(`${line}\n`);
      await writePrivateFile(out, `${text}\n`);
      printer.write(`Written to ${out}.\n`);
      if (shared === undefined) return 0;
      await writePrivateFile(shared, sharedText(report, [company.rut, await company.tokens.current()]));
      printer.write(`To be sent on, without address, RUT, token or value of a receipt: ${shared}.\n`);
      return 0;
    });
  },
});

/** For people: of each list, every question with what was found, what was asked, and what it means for an export. */
export function probeText({ requests, latencyMs, findings }: ServiceReport): string {
  const widest = Math.max(...findings.map(({ question }) => question.length));
  const lists = DIRECTIONS.flatMap((direction) => [
    `The list of ${direction}`,
    ...findings
      .filter((fact) => fact.direction === direction)
      .flatMap(({ question, finding, asked, means }) => [
        printableLine(`  ${question.padEnd(widest)}  ${finding}`),
        `  ${''.padEnd(widest)}  ${askedText(asked)}; for an export: ${means}`,
      ]),
    '',
  ]);
  const statuses = Object.entries(requests.byStatus).map(([status, count]) =>
    status === 'none' ? `${count} without an answer` : `${count} answered ${status}`,
  );
  const { min, median, max } = latencyMs;
  return [
    ...lists,
    `Requests sent: ${requests.sent} (of at most ${requests.limit}): ${statuses.join(', ')}.`,
    `Answers began after ${median} ms (median; from ${min} to ${max}).`,
  ].join('\n');
}

function askedText({ days, rows, requests, ms }: ServiceReport['findings'][number]['asked']): string {
  return [
    plural(days, 'day'),
    ...(rows === null ? [] : [plural(rows, 'row')]),
    plural(requests, 'request'),
    `${ms} ms`,
  ].join(', ');
}

/** The report, to be sent on. Throws TypeError if it held a secret after all: names of fields come from outside. */
export function sharedText(report: ServiceReport, secrets: readonly string[]): string {
  const text = `${JSON.stringify(report, null, 2)}\n`;
  if (secrets.some((secret) => text.includes(secret))) throw new TypeError('the report would hold a secret');
  return text;
}
