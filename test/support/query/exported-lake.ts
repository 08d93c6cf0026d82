import { type DayRange, daysBetween } from '../../../lib/time/days.ts';
import { DIRECTIONS } from '../../../lib/units/unit.ts';
import { type MadeRow, madeLakeFolder } from './made-lake.ts';
import { RUT } from './made-receipts.ts';

const OCTOBER: DayRange = { from: '2026-10-01', to: '2026-10-31' };

/** A lake of exactly these rows, whose audit says that all of these days of a company were exported. */
export function exportedLake(
  rows: Readonly<Record<string, readonly MadeRow[]>>,
  { days = OCTOBER, rut = RUT }: { days?: DayRange; rut?: string } = {},
): Promise<string> {
  const exportaciones = DIRECTIONS.flatMap((direccion) =>
    daysBetween(days.from, days.to).map((fecha) => ({
      fecha_corrida: '2026-11-05',
      corrida: 'run',
      rut,
      direccion,
      fecha,
      estado: 'exportado',
      inicio: '2026-11-05T03:00:00',
    })),
  );
  return madeLakeFolder({ ...rows, exportaciones });
}
