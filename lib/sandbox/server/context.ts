import type { Direction } from '../../api/directions.ts';
import type { SandboxBehaviour } from '../behaviour.ts';
import { isTargeted } from '../behaviour.ts';
import type { SandboxReceipt } from '../generator/receipt.ts';
import type { ReceiptList } from '../generator/receipt-list.ts';
import type { EndpointKind } from '../lists/parameters.ts';
import type { RowChanges } from '../lists/row-changes.ts';
import type { Selections } from '../lists/selection.ts';
import { oddFormOf } from '../render/odd-values.ts';
import { summary } from '../render/summary.ts';
import type { PageCache } from './page-cache.ts';
import type { PageFaults } from './page-faults.ts';

/** What a body that is about to be sent answers; for tests that send what no switch does. */
export interface RewrittenRequest {
  kind: EndpointKind;
  rut: string;
  direction: Direction;
  /** FechaDesde, `YYYY-MM-DD`, of a list that has one. */
  day: string | undefined;
  pageNumber: number | undefined;
  id: bigint | undefined;
  /** Path and query as sent. */
  address: string;
}

export type Rewrite = (body: string, request: RewrittenRequest) => string;

/** All that an endpoint needs to answer for one company; the request is authenticated. */
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

/** A summary as it is sent: with an odd value when it is its turn. */
export function rowOf(receipt: SandboxReceipt, behaviour: Readonly<SandboxBehaviour>): string {
  const row = summary(receipt);
  if (!behaviour.oddValues || !isTargeted(behaviour.faultTarget, receipt)) return row;
  return oddFormOf(receipt)?.apply(row) ?? row;
}
