import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { assertCertificateChecked, openApiSession } from '../../api/access.ts';
import { ConnectionPool } from '../../api/connection-pool.ts';
import { type FoundLengths, secretTokenSource } from '../../companies/secrets-manager.ts';
import { writeWithHyparquet } from '../../lake/parquet/hyparquet.ts';
import { apiSource, checkSource } from '../../lake/source.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { parseApiAddress } from '../../text/api-address.ts';
import type { UnitResult } from '../../units/unit.ts';
import type { ExportedPart, ExportPartTools } from '../export-part.ts';
import { DirectionsSchema } from '../messages.ts';
import {
  openLake,
  readEnvironment,
  SharesEnvironment,
  sharesFrom,
  TextSchema,
  WholeNumberSchema,
} from './environment.ts';
import { count, logger, measure } from './telemetry.ts';

/** The variables of export-company. */
export const WorkerEnvironmentSchema = v.object({
  API_ADDRESS: TextSchema,
  COMPANIES_SECRET: TextSchema,
  /** The secret with the login's tokens, where there is a login. */
  TOKENS_SECRET: v.optional(TextSchema),
  LAKE_BUCKET: TextSchema,
  ...SharesEnvironment,
  REQUESTS_PER_COMPANY: WholeNumberSchema,
  MAX_ROWS_PER_LIST: WholeNumberSchema,
  /** Directions whose receipts are read in full; none when absent. */
  DETAILS: v.optional(
    v.pipe(
      TextSchema,
      v.transform((text) => text.split(',')),
      DirectionsSchema,
    ),
  ),
  MAX_DETAILS_PER_UNIT: WholeNumberSchema,
});

export interface Worker {
  tools: Omit<ExportPartTools, 'remainingMs'>;
  /**
   * Checks that the lake is the API's. Called in every invocation, since a lake may move to another API while this
   * process lives.
   */
  checkSource(): Promise<void>;
}

/** What all invocations of a process share: the connections, and which secrets have companies. */
export function openWorker(environment = readEnvironment(WorkerEnvironmentSchema)): Worker {
  const secrets = new SecretsManagerClient({ maxAttempts: 5, requestHandler: awsConnections() });
  const foundLengths: FoundLengths = new Set();
  const address = parseApiAddress(environment.API_ADDRESS);
  assertCertificateChecked(address);
  const store = openLake(environment.LAKE_BUCKET);
  const tools = {
    session: openApiSession({
      address,
      pool: new ConnectionPool(),
      maxRowsPerList: environment.MAX_ROWS_PER_LIST,
      onAnswer: (latencyMs) => measure('ApiLatency', latencyMs),
    }),
    store,
    // Only this writer: a choice at run time would put both into the bundle.
    writer: writeWithHyparquet,
    tokensOf: (rut: string) =>
      secretTokenSource(secrets, environment.COMPANIES_SECRET, rut, {
        api: address,
        tokensSecret: environment.TOKENS_SECRET,
        foundLengths,
      }),
    shares: sharesFrom(environment),
    maxInFlight: environment.REQUESTS_PER_COMPANY,
    details: {
      directions: environment.DETAILS ?? [],
      maxPerUnit: environment.MAX_DETAILS_PER_UNIT,
    },
  };
  return { tools, checkSource: async () => void (await checkSource(store, apiSource(address))) };
}

/** The most units logged for one invocation and kind. The audit has them all. */
const MAX_UNITS_LOGGED = 20;

/**
 * Logs and counts what one invocation did, in which share of its time, 0 to 1. Run, company and part are keys of the
 * logger already. A unit that a later invocation tries again is counted again there.
 */
export function reportPart({ answer, results, handedBack, details }: ExportedPart, usedShare: number): void {
  const warn = (message: string, units: readonly UnitResult[], more: (unit: UnitResult) => object) => {
    for (const unit of units.slice(0, MAX_UNITS_LOGGED)) {
      const { direction, day } = unit;
      logger.warn(message, { direccion: direction, fecha: day, ...more(unit) });
    }
  };
  const failed = results.filter(({ state }) => state === 'fallido');
  const vanished = results.filter((result) => (result.vanished ?? 0) > 0);
  const detailsFailed = results.filter(({ detailState }) => detailState === 'fallido');
  const leftOut = results.filter(({ detailState }) => detailState === 'omitido');
  const unstable = results.filter(({ isStable }) => isStable === false);
  warn('unit failed', failed, ({ error }) => ({ reason: error }));
  warn('receipts vanished', vanished, (result) => ({ desaparecidas: result.vanished }));
  warn('details failed', detailsFailed, ({ detailReason: reason }) => ({ reason }));
  warn('details left out', leftOut, ({ detailReason: reason }) => ({ reason }));
  warn('unit unstable', unstable, ({ receipts }) => ({ filas: receipts }));

  const total = (numberOf: (unit: UnitResult) => number | undefined) =>
    results.reduce((sum, unit) => sum + (numberOf(unit) ?? 0), 0);
  const receipts = total((unit) => unit.receipts);
  const appeared = total((unit) => unit.appeared);
  const changed = total((unit) => unit.changed);
  const gone = total((unit) => unit.vanished);
  const requests = total((unit) => unit.requests);
  const retries = total((unit) => unit.retries);
  logger.info('part exported', {
    ...answer.states,
    handedBack,
    filas: receipts,
    solicitudes: requests,
    reintentos: retries,
    ...(details !== undefined && { detallesLeidos: details.read, detallesSinLeer: details.notThere }),
    timeUsedPercent: Math.round(usedShare * 100),
  });

  count('UnitsExported', answer.states.exportado);
  count('UnitsUnchanged', answer.states.sin_cambios);
  count('UnitsEmpty', answer.states.vacio);
  count('UnitsFailed', answer.states.fallido);
  count('ReceiptsRead', receipts);
  count('ReceiptsNew', appeared);
  count('ReceiptsChanged', changed);
  count('ReceiptsVanished', gone);
  count('ApiRequests', requests);
  count('ApiRetries', retries);
  // A metric that has no data costs nothing.
  if (details !== undefined) {
    count('DetailsRead', details.read);
    count('DetailsNotThere', details.notThere);
    count('UnitsWithoutDetails', details.unitsWithout);
  }
}
