import { writeWithHyparquet } from '../lib/lake/parquet/hyparquet.ts';
import { FinisherEnvironmentSchema, once, openLake, readEnvironment } from '../lib/lambda/environment.ts';
import { countPublication, logger, logPublication, observed } from '../lib/lambda/telemetry.ts';
import { PublishEventSchema, parseMessage } from '../lib/run/messages.ts';
import { type PublishedPart, publishPart } from '../lib/run/publish-part.ts';
import { systemClock } from '../lib/time/clock.ts';

const lake = once(() => openLake(readEnvironment(FinisherEnvironmentSchema).LAKE_BUCKET));

/**
 * Publishes the days that lag behind their units, as far as time allows. Called in every run and every hour.
 */
export const handler = observed<PublishedPart>(async (event, context) => {
  const publishEvent = parseMessage(PublishEventSchema, event, 'publish was given a wrong event');
  logger.appendKeys({ corrida: publishEvent.corrida });
  const { answer, publication } = await publishPart(publishEvent, {
    store: lake(),
    writer: writeWithHyparquet,
    nowMs: systemClock.now(),
    remainingMs: () => context.getRemainingTimeInMillis(),
  });
  countPublication(publication, { isHourly: publishEvent.corrida === undefined });
  logPublication(publication);
  return answer;
});
