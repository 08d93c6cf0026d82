import { readFileSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';

const FILE = new URL('measurements.json', import.meta.url);
const Count = v.pipe(v.number(), v.minValue(0));

/** What exporting some units of one company took. */
const FiguresSchema = v.strictObject({
  units: Count,
  receipts: Count,
  requests: Count,
  /** Calls of S3 that are priced as writes (PUT, LIST) and as reads (GET, HEAD). */
  s3Writes: Count,
  s3Reads: Count,
  /** Written into the lake's tables. */
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
   * By receipts a unit: `first` into an empty lake, `again` one night later; `weekly` is 65 days that are in the lake, of
   * units that are small: of others, a list has a few days only.
   */
  active: v.record(
    v.string(),
    v.strictObject({ first: FiguresSchema, again: FiguresSchema, weekly: v.optional(FiguresSchema) }),
  ),
  /** The same with every receipt read whole. */
  detailed: v.record(v.string(), v.strictObject({ first: FiguresSchema, again: FiguresSchema })),
  /** A company with nothing at all: one direction of a night, and a weekly reading. */
  idle: v.strictObject({ nightly: FiguresSchema, weekly: FiguresSchema }),
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
