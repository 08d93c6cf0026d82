import type { DetailState, UnitResult } from '../export/units.ts';
import { printableLine } from '../text/printable.ts';

/** More units than these are only counted; the audit has them all. */
const MAX_UNITS_SHOWN = 20;

/** A person's form of what became of the details; nothing when none were asked for. */
export function detailLines(results: readonly UnitResult[]): string[] {
  const asked = results.filter(({ detalle }) => detalle !== undefined);
  if (asked.length === 0) return [];
  const sum = (pick: (result: UnitResult) => number | undefined) =>
    asked.reduce((total, result) => total + (pick(result) ?? 0), 0).toLocaleString('en');
  const summary =
    `Details: ${sum(({ detalles }) => detalles)} in the lake, ${sum(({ detalles_leidos }) => detalles_leidos)} ` +
    `of them read now; ${sum(({ detalles_sin_leer }) => detalles_sin_leer)} not to be had.`;
  return [
    '',
    summary,
    ...unitsIn('omitido', 'Left out', asked),
    ...unitsIn('fallido', 'Details failed', asked),
  ];
}

function unitsIn(state: DetailState, title: string, results: readonly UnitResult[]): string[] {
  const units = results.filter(({ detalle }) => detalle === state);
  if (units.length === 0) return [];
  const lines = units
    .slice(0, MAX_UNITS_SHOWN)
    .map(
      ({ fecha, direccion, rut, detalle_motivo }) =>
        `  ${fecha} ${direccion} of ${rut}: ${printableLine(detalle_motivo ?? '')}`,
    );
  const rest = units.length - lines.length;
  return [
    `${title}: ${units.length}`,
    ...lines,
    ...(rest > 0 ? [`  … and ${rest} more; see exportaciones`] : []),
  ];
}
