import type { ParquetWriter } from '../lake/parquet/writer.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { type Publication, publishLagging } from '../publish/publish-lagging.ts';
import { watchDeadline } from './deadline.ts';
import type { PublishEvent } from './messages.ts';

export interface PublishPartTools {
  store: LakeStore;
  writer: ParquetWriter;
  nowMs: number;
  /** Time left of the invocation. */
  remainingMs(): number;
}

/** The answer of publish. */
export interface PublishedPart {
  escritos: number;
  sin_cambios: number;
  fallidos: number;
  /** Days that there was no time for: publish has to be called again. */
  pendientes: number;
}

/** Publishes the days that lag, as far as time allows. */
export async function publishPart(
  { corrida, sigue, mapa }: PublishEvent,
  { store, writer, nowMs, remainingMs }: PublishPartTools,
): Promise<{ answer: PublishedPart; publication: Publication }> {
  const deadline = watchDeadline(remainingMs);
  try {
    const publication = await publishLagging(store, writer, {
      nowMs,
      // If the map of companies failed, workers may still be running.
      endedRunId: mapa === undefined && !sigue ? corrida : undefined,
      isTimeUp: deadline.isTimeUp,
    });
    const { written, unchanged, failedDays, remaining } = publication;
    const answer = { escritos: written, sin_cambios: unchanged, fallidos: failedDays, pendientes: remaining };
    return { answer, publication };
  } finally {
    deadline.close();
  }
}
