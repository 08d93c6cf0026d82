import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { awsConnections } from '../../system/aws-connections.ts';
import { CfeLakeError, messageOf } from '../../system/errors.ts';
import { systemClock, watchDeadline } from '../../time/clock.ts';
import type { RunCount } from '../finish-run.ts';
import type { RunInput } from '../messages.ts';
import { RUN_EVENT_SOURCE, RUN_EVENT_TYPE, type RunPublished, runEvents } from '../run-event.ts';
import { count, logger } from './telemetry.ts';

export interface RunEventJob {
  /** The lake's address. */
  lake: string;
  remainingMs(): number;
}

/** Waits before an event that was refused is sent again. The client itself repeats requests that failed. */
const WAITS_MS = [500, 2_000];

/**
 * Sends what the run found to the account's default event bus; nothing if it found nothing. If that fails, it is only a
 * warning in the log, and counted for the alarm. Call it last: a step that is repeated would send it again.
 */
export async function sendRunEvents(run: RunInput, { findings }: RunCount, job: RunEventJob): Promise<void> {
  const parts = runEvents(job.lake, run, findings);
  if (parts.length === 0) return;
  const deadline = watchDeadline(job.remainingMs);
  const client = new EventBridgeClient({ maxAttempts: 5, requestHandler: awsConnections(10_000) });
  try {
    // What is aborted under way may have been sent all the same.
    if (deadline.isTimeUp()) throw new CfeLakeError('the invocation had no time left');
    for (const part of parts) await send(client, part, deadline.signal);
    logger.info('run event sent', { partes: parts.length, empresas: findings.length });
  } catch (error) {
    logger.warn('run event not sent', { reason: messageOf(error) });
    count('RunEventNotSent', 1);
  } finally {
    client.destroy();
    deadline.close();
  }
}

/** One event a request: the limit of 256 KB is the request's. */
async function send(client: EventBridgeClient, part: RunPublished, signal: AbortSignal): Promise<void> {
  const entry = { Source: RUN_EVENT_SOURCE, DetailType: RUN_EVENT_TYPE, Detail: JSON.stringify(part) };
  for (let attempt = 0; ; attempt += 1) {
    const { FailedEntryCount: refused = 0, Entries: [answer] = [] } = await client.send(
      new PutEventsCommand({ Entries: [entry] }),
      { abortSignal: signal },
    );
    if (refused === 0) return;
    const waitMs = WAITS_MS[attempt];
    if (waitMs === undefined) {
      throw new CfeLakeError(
        `EventBridge did not take the event: ${answer?.ErrorCode ?? 'no reason given'}.`,
      );
    }
    await systemClock.sleep(waitMs, signal);
  }
}
