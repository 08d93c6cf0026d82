import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';
import { oldUnit, tableObject } from './layout.ts';
import type { LakeStore } from './store/store.ts';
import { TABLE_OF } from './tables.ts';

/** The lake's tables are read from its units, as it was before there were day objects. */
export class OutdatedLakeError extends CfeLakeError {
  override name = 'OutdatedLakeError';
  override readonly exitCode = EXIT_WRONG_INPUT;
  constructor(address: string) {
    super(
      `The lake ${address} is of the layout before: an object a company and day. Nothing was read or written.`,
      {
        advice: `Convert it once: cfe-lake upgrade --lake ${address} (docs/upgrade.md); it takes no API, and can be interrupted.`,
      },
    );
  }
}

/**
 * Throws OutdatedLakeError. One look at each list's first key is enough: an upgrade converts the first day last.
 */
export async function assertCurrentLayout(store: LakeStore): Promise<void> {
  const areOld = await Promise.all(
    Object.values(TABLE_OF).map(async ({ name }) => {
      for await (const key of store.list(name)) {
        if (tableObject(key) !== undefined) return oldUnit(key) !== undefined;
      }
      return false;
    }),
  );
  if (areOld.includes(true)) throw new OutdatedLakeError(store.address);
}
