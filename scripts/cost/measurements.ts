import { readFileSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';

const FILE = new URL('measurements.json', import.meta.url);
const Count = v.pipe(v.number(), v.minValue(0));

/** The figures of exporting some units of one company. */
const FiguresSchema = v.strictObject({
  units: Count,
  receipts: Count,
  requests: Count,
  /** Calls of S3 that are priced as writes (PUT, LIST) and as reads (GET, HEAD). */
  s3Writes: Count,
  s3Reads: Count,
  /** Bytes written into the lake's tables. */
  bytes: Count,
  wallMs: Count,
  cpuMs: Count,
});
export type Figures = v.InferOutput<typeof FiguresSchema>;

const MeasurementsSchema = v.strictObject({
  measuredOn: v.string(),
  machine: v.string(),
  apiLatencyMs: Count,
  s3LatencyMs: Count,
  requestsInFlight: Count,
  /**
   * By receipts per unit: `first` is into an empty lake, `again` one night later. `weekly` is 65 days that are in the
   * lake already; only small units have it, since a list of larger ones spans few days.
   */
  active: v.record(
    v.string(),
    v.strictObject({ first: FiguresSchema, again: FiguresSchema, weekly: v.optional(FiguresSchema) }),
  ),
  /** The same with details. */
  detailed: v.record(v.string(), v.strictObject({ first: FiguresSchema, again: FiguresSchema })),
  /** A company without receipts: one direction of a night, and a weekly reading. */
  idle: v.strictObject({ nightly: FiguresSchema, weekly: FiguresSchema }),
  /** What start-run does before a run of one direction of a night, and before a weekly one. */
  proof: v.strictObject({ nightly: FiguresSchema, weekly: FiguresSchema }),
  /** One direction of a year in which one day in ten has receipts. */
  sparseYear: FiguresSchema,
});
export type Measurements = v.InferOutput<typeof MeasurementsSchema>;

export function readMeasurements(): Measurements {
  return v.parse(MeasurementsSchema, JSON.parse(readFileSync(FILE, 'utf8')));
}

export function saveMeasurements(measurements: Measurements): void {
  writeFileSync(FILE, `${JSON.stringify(measurements, null, 2)}\n`);
}
