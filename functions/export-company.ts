import { exportInTurn } from '../lib/run/export-part.ts';
import { once } from '../lib/run/lambda/environment.ts';
import { openWorker, reportPart } from '../lib/run/lambda/export-company.ts';
import { count, logger, observed } from '../lib/run/lambda/telemetry.ts';
import { type CompanyAnswer, CompanyEventSchema, parseMessage } from '../lib/run/messages.ts';

const worker = once(openWorker);

/**
 * Exports units of one company until none remains, time runs out or it is another run's turn. Its answer is its next
 * event.
 */
export const handler = observed<CompanyAnswer>(async (event, context) => {
  const companyEvent = parseMessage(CompanyEventSchema, event, 'export-company was given a wrong event');
  const { corrida, dia, rut, parte, muertes } = companyEvent;
  logger.appendKeys({ corrida, dia, rut, parte });
  if (muertes !== undefined && muertes.seguidas > 0) {
    count('WorkersDied', 1);
    logger.warn('the worker before this one died', { ...muertes });
  }
  const remainingMs = () => context.getRemainingTimeInMillis();
  const givenMs = remainingMs();
  const { tools, watch, checkSource } = worker();
  await checkSource();
  watch.begin();
  const { answer, part } = await exportInTurn(companyEvent, { ...tools, remainingMs });
  if (part !== undefined)
    reportPart(part, { usedShare: 1 - remainingMs() / givenMs, tokenDaysLeft: watch.tokenDaysLeft });
  if (answer.espera_s !== undefined) {
    count('TurnsWaited', 1);
    logger.info('waits for its turn', { seconds: answer.espera_s });
  }
  return answer;
});
