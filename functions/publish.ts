import { writeWithHyparquet } from '../lib/lake/parquet/hyparquet.ts';
import { publishLagging } from '../lib/publish/publish-days.ts';
import { LakeEnvironmentSchema, once, openLake, readEnvironment } from '../lib/run/lambda/environment.ts';
import { reportPublication, sealEndedRuns } from '../lib/run/lambda/publish.ts';
import { logger, observed } from '../lib/run/lambda/telemetry.ts';
import { PublishEventSchema, parseMessage } from '../lib/run/messages.ts';
import { watchDeadline } from '../lib/time/clock.ts';

const lake = once(() => openLake(readEnvironment(LakeEnvironmentSchema).LAKE_BUCKET));

interface PublishedPart {
  escritos: number;
  sin_cambios: number;
  fallidos: number;
  /** Days that there was no time for: publish has to be called again. */
  pendientes: number;
}

/**
 * Publishes the days that lag behind their units, as far as time allows. Called in every run and every ten minutes; then
 * it also seals runs that ended before they were sealed.
 */
export const handler = observed<PublishedPart>(async (event, context) => {
  const { runId, stateMachineArn } = parseMessage(
    PublishEventSchema,
    event,
    'publish was given a wrong event',
  );
  logger.appendKeys({ corrida: runId });
  const deadline = watchDeadline(() => context.getRemainingTimeInMillis());
  try {
    const publication = await publishLagging(lake(), writeWithHyparquet, {
      isTimeUp: deadline.isTimeUp,
    });
    reportPublication(publication, { isScheduled: runId === undefined });
    if (stateMachineArn !== undefined && !deadline.isTimeUp()) await sealEndedRuns(lake(), stateMachineArn);
    const { written, unchanged, failedDays, remaining } = publication;
    return { escritos: written, sin_cambios: unchanged, fallidos: failedDays, pendientes: remaining };
  } finally {
    deadline.close();
  }
});
