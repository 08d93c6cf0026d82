import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { assertCertificateChecked, openApiSession, type TokenSource } from '../../api/access.ts';
import { ConnectionPool } from '../../api/connection-pool.ts';
import { type FoundLengths, secretTokenSource } from '../../companies/secrets-manager.ts';
import { Token, tokenExpiry } from '../../companies/token.ts';
import { writeWithHyparquet } from '../../lake/parquet/hyparquet.ts';
import { apiSource, checkSource } from '../../lake/source.ts';
import { awsConnections } from '../../system/aws-connections.ts';
import { parseApiAddress } from '../../text/api-address.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { DAY_MS } from '../../time/days.ts';
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
  /** The secret with the login's tokens. */
  TOKENS_SECRET: TextSchema,
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
  DETAILS_MAX_AGE_DAYS: v.optional(WholeNumberSchema),
});

export interface Worker {
  tools: Omit<ExportPartTools, 'remainingMs'>;
  watch: WorkerWatch;
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
  const watch = workerWatch(systemClock);
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
      watch.watchTokens(
        secretTokenSource(secrets, environment.COMPANIES_SECRET, rut, {
          api: address,
          tokensSecret: environment.TOKENS_SECRET,
          foundLengths,
        }),
      ),
    shares: sharesFrom(environment),
    maxInFlight: environment.REQUESTS_PER_COMPANY,
    details: {
      directions: environment.DETAILS ?? [],
      maxPerUnit: environment.MAX_DETAILS_PER_UNIT,
      maxAgeDays: environment.DETAILS_MAX_AGE_DAYS,
    },
  };
  return { tools, watch, checkSource: async () => void (await checkSource(store, apiSource(address))) };
}

export type WorkerWatch = ReturnType<typeof workerWatch>;

/** When the token expires that an invocation of the worker uses. */
export function workerWatch(clock: Clock) {
  let expiry: Date | undefined;

  async function look(source: TokenSource, reading: Promise<string>): Promise<string> {
    const token = await reading;
    expiry = source.isRenewed === true ? undefined : tokenExpiry(new Token(token));
    return token;
  }

  return {
    /** Must be called when an invocation begins: it may be for another company. */
    begin(): void {
      expiry = undefined;
    },
    /** Days until the last token seen expires, negative once it has; undefined if it gives no expiry. */
    get tokenDaysLeft(): number | undefined {
      return expiry === undefined ? undefined : (expiry.getTime() - clock.now()) / DAY_MS;
    },
    /** The same source, but each token's expiry is noted as it passes. Nothing else of it is kept. */
    watchTokens: (source: TokenSource): TokenSource => ({
      current: () => look(source, source.current()),
      renew: (refused) => look(source, source.renew(refused)),
      get companyName() {
        return source.companyName;
      },
    }),
  };
}

/** The most units logged for one invocation and kind. The audit has them all. */
const MAX_UNITS_LOGGED = 20;

export interface PartSurroundings {
  /** Share of the invocation's time that was used, 0 to 1. */
  usedShare: number;
  tokenDaysLeft: number | undefined;
}

/**
 * Logs and counts what one invocation did. Run, company and part are keys of the logger already. A unit that a later
 * invocation tries again is counted again there.
 */
export function reportPart(
  { answer, results, handedBack, details }: ExportedPart,
  { usedShare, tokenDaysLeft }: PartSurroundings,
): void {
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
    ...answer.resumen,
    handedBack,
    filas: receipts,
    solicitudes: requests,
    reintentos: retries,
    ...(details !== undefined && { detallesLeidos: details.read, detallesSinLeer: details.notThere }),
    timeUsedPercent: Math.round(usedShare * 100),
    ...(tokenDaysLeft !== undefined && { tokenDaysLeft: Math.floor(tokenDaysLeft) }),
  });

  count('UnitsExported', answer.resumen.exportado);
  count('UnitsUnchanged', answer.resumen.sin_cambios);
  count('UnitsEmpty', answer.resumen.vacio);
  count('UnitsFailed', answer.resumen.fallido);
  count('UnitsHandedBack', handedBack);
  count('UnitsUnstable', unstable.length);
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
  if (tokenDaysLeft !== undefined) count('TokenDaysLeft', tokenDaysLeft);
}
