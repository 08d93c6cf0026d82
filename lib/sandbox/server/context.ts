import { isTargeted, type Rewrite, type SandboxBehaviour } from '../behaviour.ts';
import type { ReceiptList, SandboxReceipt } from '../generator/receipt-list.ts';
import type { RowChanges } from '../lists/row-changes.ts';
import type { Selections } from '../lists/selection.ts';
import { oddFormOf, summary } from '../render/summary.ts';
import type { PageFaults } from './faults.ts';

/** Everything that an endpoint needs to answer an authenticated request. */
export interface EndpointContext {
  behaviour: Readonly<SandboxBehaviour>;
  list: ReceiptList;
  now: number;
  changes: RowChanges;
  selections: Selections;
  pages: PageCache;
  pageFaults: PageFaults;
  rewrite: Rewrite | undefined;
}

/** A summary as it is sent, with an odd value if the receipt has one. */
export function rowOf(receipt: SandboxReceipt, behaviour: Readonly<SandboxBehaviour>): string {
  const row = summary(receipt);
  if (!behaviour.oddValues || !isTargeted(behaviour.faultTarget, receipt)) return row;
  return oddFormOf(receipt)?.apply(row) ?? row;
}

/** Rendered pages, so that a benchmark measures its client and not the rendering. The oldest are dropped first. */
export interface PageCache {
  get(key: string, stamp: string): Buffer | undefined;
  set(key: string, stamp: string, page: Buffer): void;
}

/** @param maxBytes 0: no cache */
export function pageCache(maxBytes: number): PageCache {
  const pages = new Map<string, { stamp: string; page: Buffer }>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= pages.get(key)?.page.length ?? 0;
    pages.delete(key);
  };
  return {
    get(key, stamp) {
      const known = pages.get(key);
      return known?.stamp === stamp ? known.page : undefined;
    },
    set(key, stamp, page) {
      if (page.length > maxBytes) return;
      forget(key);
      pages.set(key, { stamp, page });
      bytes += page.length;
      for (const oldest of pages.keys()) {
        if (bytes <= maxBytes) break;
        forget(oldest);
      }
    },
  };
}
