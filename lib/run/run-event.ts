import type { ReceiptChanges } from '../audit/run-changes.ts';
import type { Direction } from '../units/unit.ts';
import { inSpanish, type RunInput } from './messages.ts';

/** What a run found of one company: receipts, and units that failed or are missing. */
export interface CompanyFindings extends ReceiptChanges {
  rut: string;
  failed: number;
}

export function isAnythingFound({ fresh, changed, vanished, rejected, failed }: CompanyFindings): boolean {
  return fresh + changed + vanished + rejected + failed > 0;
}

export const RUN_EVENT_SOURCE = 'cfe-lake';
export const RUN_EVENT_TYPE = 'Run published';
/** The version of the detail below. Fields may be added to it; a change that breaks a reader raises it. */
const RUN_EVENT_VERSION = 1;

export interface Counts {
  nuevas: number;
  cambiadas: number;
  desaparecidas: number;
  rechazadas: number;
  fallidas: number;
}

/** The detail of an event, documented in docs/aws.md. It holds no name, no token and no amount. */
export interface RunPublished {
  version: typeof RUN_EVENT_VERSION;
  lago: string;
  corrida: string;
  fecha_corrida: string;
  desde: string;
  hasta: string;
  /** Older days that the run read besides. */
  antiguos?: { desde: string; hasta: string };
  direcciones: readonly Direction[];
  parte: number;
  partes: number;
  /** The counts of the whole run, in every part. */
  total: Counts & { empresas: number };
  empresas: (Counts & { rut: string })[];
}

/** EventBridge takes 256 KB; the rest is for what goes around the detail, there and at a target. */
export const MOST_DETAIL_BYTES = 240_000;
/** More than any run has. */
const MOST_PARTS = 99_999;

/** The events of a run, by the companies of which anything is new. */
export function runEvents(
  lake: string,
  { runId, runDay, directions, ...asked }: RunInput,
  findings: readonly CompanyFindings[],
  mostBytes = MOST_DETAIL_BYTES,
): RunPublished[] {
  const found = findings.filter(isAnythingFound);
  const companies = found.map((company) => ({ rut: company.rut, ...countsOf([company]) }));
  const total = { empresas: companies.length, ...countsOf(found) };
  const { desde, hasta, antiguos } = inSpanish(asked);
  const days = { desde, hasta, ...(antiguos && { antiguos }) };
  const run = { corrida: runId, fecha_corrida: runDay, ...days, direcciones: directions };
  const detail = (parte: number, partes: number, empresas: RunPublished['empresas']): RunPublished => {
    return { version: RUN_EVENT_VERSION, lago: lake, ...run, parte, partes, total, empresas };
  };
  const room = mostBytes - bytesOf(detail(MOST_PARTS, MOST_PARTS, []));
  const parts: RunPublished['empresas'][] = [];
  let left = 0;
  for (const company of companies) {
    // With its comma.
    const bytes = bytesOf(company) + 1;
    if (bytes > left) {
      parts.push([]);
      left = room;
    }
    parts.at(-1)?.push(company);
    left -= bytes;
  }
  return parts.map((part, index) => detail(index + 1, parts.length, part));
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export function countsOf(findings: readonly CompanyFindings[]): Counts {
  const sum = (name: Exclude<keyof CompanyFindings, 'rut'>) =>
    findings.reduce((total, company) => total + company[name], 0);
  return {
    nuevas: sum('fresh'),
    cambiadas: sum('changed'),
    desaparecidas: sum('vanished'),
    rechazadas: sum('rejected'),
    fallidas: sum('failed'),
  };
}
