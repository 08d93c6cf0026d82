import type { EndpointKind } from '../lists/parameters.ts';

/** What the sandbox was asked, and what it answered, since it started or was reset. */
export interface SandboxStats {
  requests: number;
  listRequests: number;
  detailRequests: number;
  legacyRequests: number;
  /** Answers by status; 0: no answer (reset, or never answered and given up). */
  byStatus: Readonly<Record<number, number>>;
  /**
   * The most requests that were being answered at one moment: of all, and of each X-Emisor as sent. Without
   * latency an answer takes no time, and these say little.
   */
  maxInFlight: number;
  maxInFlightByRut: Readonly<Record<string, number>>;
}

export interface StatsCounter {
  begin(endpoint: EndpointKind, rut: string): void;
  /** To be called when the answer has left, or the connection is gone. */
  end(status: number, rut: string): void;
  read(): SandboxStats;
  /** Forgets everything but what is in flight. */
  reset(): void;
}

export function statsCounter(): StatsCounter {
  let requests: Record<EndpointKind, number> = { list: 0, detail: 0, legacy: 0 };
  let byStatus: Record<number, number> = {};
  let maxInFlight = 0;
  let maxByRut = new Map<string, number>();
  const inFlightByRut = new Map<string, number>();
  let inFlight = 0;

  return {
    begin(endpoint, rut) {
      requests[endpoint]++;
      inFlight++;
      maxInFlight = Math.max(maxInFlight, inFlight);
      const ofRut = (inFlightByRut.get(rut) ?? 0) + 1;
      inFlightByRut.set(rut, ofRut);
      maxByRut.set(rut, Math.max(maxByRut.get(rut) ?? 0, ofRut));
    },
    end(status, rut) {
      byStatus[status] = (byStatus[status] ?? 0) + 1;
      inFlight--;
      inFlightByRut.set(rut, (inFlightByRut.get(rut) ?? 1) - 1);
    },
    read: () => ({
      requests: requests.list + requests.detail + requests.legacy,
      listRequests: requests.list,
      detailRequests: requests.detail,
      legacyRequests: requests.legacy,
      byStatus: { ...byStatus },
      maxInFlight,
      maxInFlightByRut: Object.fromEntries(maxByRut),
    }),
    reset() {
      requests = { list: 0, detail: 0, legacy: 0 };
      byStatus = {};
      maxInFlight = inFlight;
      maxByRut = new Map([...inFlightByRut].filter(([, count]) => count > 0));
    },
  };
}
