import { type Direction, ENDPOINTS } from '../api/directions.ts';
import { describeAnswer, type ProbeAnswer } from './answer.ts';
import { listRequest, type ProbeRange } from './list-request.ts';
import type { ProbeClient, ProbeRequest } from './probe-client.ts';
import type { Finding } from './report.ts';

/** The largest Int64: no receipt will ever have it. */
const UNKNOWN_ID = '9223372036854775807';

/** What the API answers to requests that it can't fulfil (the contract, §7, is silent): 5 requests. */
export async function probeRefusals(
  client: ProbeClient,
  direction: Direction,
  range: ProbeRange,
): Promise<Finding[]> {
  const { listPath } = ENDPOINTS[direction];
  const good = listRequest(direction, range, { pageSize: 1 });
  const query = good.query ?? [];
  const cases: { name: string; question: string; request: ProbeRequest }[] = [
    {
      name: 'unknownId',
      question: 'What does the detail of an unknown id answer?',
      request: { path: `${listPath}/${UNKNOWN_ID}` },
    },
    {
      name: 'missingAuthorization',
      question: 'What is answered without the header Authorization?',
      request: { ...good, without: 'authorization' },
    },
    {
      name: 'missingXEmisor',
      question: 'What is answered without the header X-Emisor?',
      request: { ...good, without: 'x-emisor' },
    },
    {
      name: 'badFilterValue',
      question: 'What does a date that is none answer?',
      request: {
        ...good,
        query: query.map(([name, value]) => [name, name === 'FechaDesde' ? 'no-date' : value]),
      },
    },
    {
      name: 'unknownParameter',
      question: 'What does an unknown parameter answer?',
      request: { ...good, query: [...query, ['ParametroDesconocido', '1']] },
    },
  ];
  const findings: Finding[] = [];
  for (const { name, question, request } of cases) {
    const answer = await client.ask(request);
    findings.push({ name, question, finding: verdict(answer), evidence: [describeAnswer(answer)] });
  }
  return findings;
}

function verdict({ status }: ProbeAnswer): string {
  if (status === 0) return 'unknown: no answer came';
  return status === 200 ? 'accepted (status 200)' : `status ${status}`;
}
