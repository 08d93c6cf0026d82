import { exportPart } from '../lib/run/export-part.ts';
import { once } from '../lib/run/lambda/environment.ts';
import { openWorker, reportPart } from '../lib/run/lambda/export-company.ts';
import { logger, observed } from '../lib/run/lambda/telemetry.ts';
import { CompanyEventSchema, inSpanish, parseMessage, type SentAnswer } from '../lib/run/messages.ts';

const worker = once(openWorker);

/** Exports units of one company until none remains or time runs out. Its answer is its next event. */
export const handler = observed<SentAnswer>(async (event, context) => {
  const companyEvent = parseMessage(CompanyEventSchema, event, 'export-company was given a wrong event');
  const { runId: corrida, runDay: dia, rut, part: parte } = companyEvent;
  logger.appendKeys({ corrida, dia, rut, parte });
  const remainingMs = () => context.getRemainingTimeInMillis();
  const givenMs = remainingMs();
  const { tools, checkSource } = worker();
  await checkSource();
  const part = await exportPart(companyEvent, { ...tools, remainingMs });
  reportPart(part, 1 - remainingMs() / givenMs);
  return inSpanish(part.answer);
});
