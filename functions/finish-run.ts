import { FinisherEnvironmentSchema, readEnvironment } from '../lib/lambda/environment.ts';
import { openLake } from '../lib/lambda/lake.ts';
import { count, countNightlySuccess } from '../lib/lambda/metrics.ts';
import { once } from '../lib/lambda/once.ts';
import { logger, observed } from '../lib/lambda/powertools.ts';
import { type FinishedRun, finishRun } from '../lib/run/finish-run.ts';
import { RunInputSchema } from '../lib/run/messages.ts';
import { parseMessage } from '../lib/run/parse-message.ts';

const lake = once(() => openLake(readEnvironment(FinisherEnvironmentSchema).LAKE_BUCKET));

/** Counts what became of a run's units, and fails when any failed or is missing. */
export const handler = observed<FinishedRun>(async (event) => {
  const run = parseMessage(RunInputSchema, event, 'finish-run was given a wrong event');
  const { corrida, dia, desde, hasta, direcciones } = run;
  logger.appendKeys({ corrida, dia });
  const finished = await finishRun(run, lake(), ({ unidades, resumen, faltantes, filas }) => {
    count('UnitsFailed', resumen.fallido);
    count('UnitsMissing', faltantes);
    logger.info('run counted', { desde, hasta, direcciones, unidades, filas, faltantes, ...resumen });
  });
  countNightlySuccess(corrida);
  return finished;
});
