import type { Row, TextRow, TextUnit } from '../lake/text-rows.ts';

/** A unit rebuilt from `cambios`: its first export with all later changes applied in order. */
export function replayed(first: TextUnit, changes: readonly Row[]): TextUnit {
  const unit: TextUnit = new Map(
    [...first].map(([id, { row, isListed }]) => [id, { row: { ...row }, isListed }]),
  );
  const inOrder = changes.toSorted((a, b) => Number(BigInt(a.momento ?? 0) - BigInt(b.momento ?? 0)));
  for (const change of inOrder) apply(change, unit);
  return unit;
}

function apply({ id, cambio, campo, despues }: Row, unit: TextUnit): void {
  const key = String(id);
  if (cambio === 'aparecio' || cambio === 'reaparecio') {
    unit.set(key, { row: JSON.parse(String(despues)) as TextRow, isListed: true });
    return;
  }
  const known = unit.get(key);
  if (known === undefined) throw new Error(`${cambio} of receipt ${key}, which is not there`);
  if (cambio === 'desaparecio') known.isListed = false;
  else if (cambio !== 'cambio') throw new Error(`there is no change called ${cambio}`);
  else if (despues === null) delete known.row[String(campo)];
  else known.row[String(campo)] = String(despues);
}
