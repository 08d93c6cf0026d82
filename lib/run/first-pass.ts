import type { Run } from '../audit/keys.ts';
import { listParts } from '../audit/keys.ts';
import type { LakeStore } from '../lake/store/store.ts';
import { EXPORTACIONES } from '../lake/tables.ts';

/**
 * Whether each of a run's companies has had an invocation that wrote what became of its units. Asked by each at the end
 * of its first: the last one gets yes. Where a worker died, or the run was closed meanwhile by another, nobody does.
 */
export async function isFirstPassOver(store: LakeStore, run: Run, companyCount: number): Promise<boolean> {
  const parts = await listParts(store, EXPORTACIONES, run);
  return new Set(parts.map(({ rut }) => rut)).size >= companyCount;
}
