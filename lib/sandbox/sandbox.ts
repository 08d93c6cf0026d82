import type { Direction } from '../api/directions.ts';
import type { SandboxBehaviour, SandboxOptions } from './behaviour.ts';
import type { SandboxCompany } from './companies.ts';
import { dayNumber } from './generator/calendar.ts';
import type { SandboxReceipt } from './generator/receipt-list.ts';
import { dayRange } from './lists/day-range.ts';
import { detail } from './render/detail.ts';
import { type SandboxStats, sandboxServer, statsCounter } from './server/http.ts';
import { sandboxService } from './server/service.ts';

/**
 * The query API from the server's side, on this machine: all endpoints of the contract, over receipts that are made
 * from a seed on demand. See README.md in this folder.
 */
export interface Sandbox {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  /** Its companies, with the tokens that are valid now. */
  readonly companies: readonly SandboxCompany[];
  /**
   * The receipts that this company, direction and issue day (`YYYY-MM-DD`) really has now, in order of id, made while
   * iterating. Throws a RangeError for an unknown company or an invalid day.
   */
  truth(rut: string, direction: Direction, day: string): Iterable<SandboxReceipt>;
  /** The detail of a receipt as JSON text, exactly as it is sent. */
  detail(receipt: SandboxReceipt): string;
  /**
   * Stops the clock at a local date-time, `YYYY-MM-DDTHH:MM:SS`. The clock decides which receipts and statuses exist.
   */
  setNow(localDateTime: string): void;
  /** Changes part of the behaviour, and resets all counters of faults. */
  behave(changes: Partial<SandboxBehaviour>): void;
  stats(): SandboxStats;
  resetStats(): void;
  /** Closes all connections, including those that wait for an answer. */
  close(): Promise<void>;
}

/** Starts a sandbox on this machine's loopback address. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const service = sandboxService(options);
  const stats = statsCounter();
  const server = sandboxServer(service, stats, options.delay);
  const url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  return {
    url,
    get companies() {
      return service.companies();
    },
    truth(rut, direction, day) {
      const number = dayNumber(day);
      if (number === undefined) throw new RangeError(`'${day}' is no day: write YYYY-MM-DD`);
      const days = { from: number, to: number };
      const range = dayRange(service.list(rut, direction), days, service.clock.now(), service.changes());
      return receiptsOf(range);
    },
    detail: (receipt) => detail(receipt, service.list(receipt.rut, receipt.direction).numbering),
    setNow: (localDateTime) => service.clock.set(localDateTime),
    behave: (changes) => service.behave(changes),
    stats: () => stats.read(),
    resetStats: () => stats.reset(),
    close: () => server.close(),
  };
}

function* receiptsOf(range: {
  length: number;
  receiptAt(offset: number): SandboxReceipt;
}): Generator<SandboxReceipt> {
  for (let offset = 0; offset < range.length; offset++) yield range.receiptAt(offset);
}
