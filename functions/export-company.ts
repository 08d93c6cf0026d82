import { countPart } from '../lib/lambda/metrics.ts';
import { once } from '../lib/lambda/once.ts';
import { logger, observed } from '../lib/lambda/powertools.ts';
import { openWorker } from '../lib/lambda/worker.ts';
import { exportPart } from '../lib/run/export-part.ts';
import { type CompanyAnswer, CompanyEventSchema } from '../lib/run/messages.ts';
import { parseMessage } from '../lib/run/parse-message.ts';

/** More failures than these of one invocation are counted only; the audit has them all. */
const MAX_FAILURES_LOGGED = 20;

const worker = once(openWorker);

/** Exports units of one company until none remains or time runs out; its answer is its next event. */
export const handler = observed<CompanyAnswer>(async (event, context) => {
  const companyEvent = parseMessage(CompanyEventSchema, event, 'export-company was given a wrong event');
  const { corrida, rut, parte } = companyEvent;
  logger.appendKeys({ corrida, rut, parte });
  const part = await exportPart(companyEvent, {
    ...worker(),
    remainingMs: () => context.getRemainingTimeInMillis(),
  });
  countPart(part);
  const failures = part.results.filter(({ estado }) => estado === 'fallido');
  for (const { direccion, fecha, error } of failures.slice(0, MAX_FAILURES_LOGGED)) {
    logger.warn('unit failed', { direccion, fecha, reason: error });
  }
  logger.info('part exported', { ...part.answer.resumen, handedBack: part.handedBack });
  return part.answer;
});
