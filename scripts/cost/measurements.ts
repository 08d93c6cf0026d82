import measured from './measurements.json' with { type: 'json' };

/** The figures of exporting some units of one company. */
export interface Figures {
  units: number;
  receipts: number;
  requests: number;
  /** Calls of S3 that are priced as writes (PUT, LIST) and as reads (GET, HEAD). */
  s3Writes: number;
  s3Reads: number;
  /** Bytes written into the lake's tables. */
  bytes: number;
  wallMs: number;
  cpuMs: number;
}

export interface Measurements {
  measuredOn: string;
  machine: string;
  apiLatencyMs: number;
  s3LatencyMs: number;
  requestsInFlight: number;
  /**
   * By receipts per unit: `first` is into an empty lake, `again` one night later. `weekly` is 65 days that are in the
   * lake already; only small units have it, since a list of larger ones spans few days.
   */
  active: Record<string, { first: Figures; again: Figures; weekly?: Figures }>;
  /** The same with details. */
  detailed: Record<string, { first: Figures; again: Figures }>;
  /** A company without receipts: one direction of a night, and a weekly reading. */
  idle: { nightly: Figures; weekly: Figures };
  /** One direction of a year in which one day in ten has receipts. */
  sparseYear: Figures;
}

/** As `npm run cost -- --measure` stored them. */
export const MEASUREMENTS: Measurements = measured;
