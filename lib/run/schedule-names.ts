/** Names of the schedules; each scheduled run's id ends with one. */
export const NIGHTLY_RECEIVED = 'nocturna-recibidos';
export const NIGHTLY_ISSUED = 'nocturna-emitidos';
export const WEEKLY = 'semanal';
/** Starts no run. */
export const TOKEN_REVIEW = 'revision-tokens';

/** A nightly run is usually done this long after it starts. */
export const NIGHT_HOURS = 4;

const NAMES = [NIGHTLY_RECEIVED, NIGHTLY_ISSUED, WEEKLY];

/** The schedule that a run belongs to; undefined when it was started by hand. */
export function scheduleOf(runId: string): string | undefined {
  const name = /^\d{14}-(.+)$/.exec(runId)?.[1];
  return NAMES.find((known) => known === name);
}
