import { writeWithHyparquet } from '../lib/lake/parquet/hyparquet.ts';
import { writeCoveragePage } from '../lib/lambda/coverage-page.ts';
import { FinisherEnvironmentSchema, once, openLake, readEnvironment } from '../lib/lambda/environment.ts';
import { count, countNightlySuccess, logger, observed } from '../lib/lambda/telemetry.ts';
import { type FinishedRun, finishRun } from '../lib/run/finish-run.ts';
import { parseMessage, RunInputSchema } from '../lib/run/messages.ts';

const lake = once(() => {
  const bucket = readEnvironment(FinisherEnvironmentSchema).LAKE_BUCKET;
  return { bucket, store: openLake(bucket) };
});

/**
 * Closes a run, counts its units by outcome, writes the coverage page, and fails if any unit failed or is missing.
 */
export const handler = observed<FinishedRun>(async (event, context) => {
  const run = parseMessage(RunInputSchema, event, 'finish-run was given a wrong event');
  const { corrida, dia, desde, hasta, direcciones } = run;
  logger.appendKeys({ corrida, dia });
  const { bucket, store } = lake();
  const remainingMs = () => context.getRemainingTimeInMillis();
  const tools = { store, writer: writeWithHyparquet };
  const finished = await finishRun(run, tools, async (counted) => {
    const { units, receipts, missing, states, detailsOnly } = counted;
    count('UnitsFailed', states.fallido);
    count('UnitsMissing', missing);
    logger.info('run counted', {
      desde,
      hasta,
      direcciones,
      unidades: units,
      filas: receipts,
      faltantes: missing,
      ...states,
      soloDetalles: detailsOnly,
    });
    await writeCoveragePage(store, { bucket, remainingMs });
  });
  countNightlySuccess(corrida);
  return finished;
});
