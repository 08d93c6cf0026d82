import { writeWithHyparquet } from '../lib/lake/parquet/hyparquet.ts';
import { type FinishedRun, finishRun } from '../lib/run/finish-run.ts';
import { LakeEnvironmentSchema, once, openLake, readEnvironment } from '../lib/run/lambda/environment.ts';
import { reportCount, writeCoveragePage } from '../lib/run/lambda/finish-run.ts';
import { sendRunEvents } from '../lib/run/lambda/run-event.ts';
import { logger, observed } from '../lib/run/lambda/telemetry.ts';
import { parseMessage, RunInputSchema } from '../lib/run/messages.ts';

const lake = once(() => {
  const bucket = readEnvironment(LakeEnvironmentSchema).LAKE_BUCKET;
  return { bucket, store: openLake(bucket) };
});

/**
 * Seals a run, counts its units by outcome, writes the coverage page, sends what is new, and fails if any unit failed or is missing.
 */
export const handler = observed<FinishedRun>(async (event, context) => {
  const run = parseMessage(RunInputSchema, event, 'finish-run was given a wrong event');
  logger.appendKeys({ corrida: run.runId, dia: run.runDay });
  const { bucket, store } = lake();
  const remainingMs = () => context.getRemainingTimeInMillis();
  return await finishRun(run, { store, writer: writeWithHyparquet }, async (counted) => {
    reportCount(run, counted);
    await writeCoveragePage(store, { bucket, remainingMs });
    await sendRunEvents(run, counted, { lake: store.address, remainingMs });
  });
});
