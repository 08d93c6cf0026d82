import * as v from 'valibot';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeAudit } from '../../lib/audit/write.ts';
import { unitKey } from '../../lib/lake/layout.ts';
import { writeWithHyparquet } from '../../lib/lake/parquet/hyparquet.ts';
import { systemClock } from '../../lib/time/clock.ts';
import { movingRows, refusing } from '../support/api/faults.ts';
import { readOn } from '../support/coverage/coverage-lake.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { SECRET, startLocalCloud } from '../workflow/local-cloud.ts';

const cloud = await startLocalCloud({ now: '2026-12-20T03:00:00', companyCount: 2, receiptsPerDay: 3 });
const { aws, sandbox, store, setCompanies } = cloud;
const [first, second] = sandbox.companies;
if (first === undefined || second === undefined) throw new Error('the sandbox has two companies');

Object.assign(process.env, {
  ...cloud.environment,
  AWS_SECRET_ACCESS_KEY: 'secret-of-the-role',
  POWERTOOLS_SERVICE_NAME: 'handlers-test',
  POWERTOOLS_LOG_LEVEL: 'INFO',
  POWERTOOLS_METRICS_DISABLED: 'false',
  // Setting this on a function must not put events into the log.
  POWERTOOLS_LOGGER_LOG_EVENT: 'true',
});
const starter = await import('../../functions/start-run.ts');
const { startRunByEvent } = await import('../support/run/started-run.ts');
const worker = await import('../../functions/export-company.ts');
const finisher = await import('../../functions/finish-run.ts');
const startRun = (event: unknown) => starter.handler(event, lambdaContext());
const exportCompany = (event: unknown) => worker.handler(event, lambdaContext());
const finishRun = (event: unknown, remainingMs?: () => number) =>
  finisher.handler(event, lambdaContext(remainingMs));

const written: string[] = [];
afterAll(() => cloud.close());

beforeEach(() => {
  written.length = 0;
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    });
  }
  aws.events.refusals = 0;
  cloud.reset();
});

/** The runs that were started end. */
function endRuns(): void {
  for (const execution of aws.steps.executions) execution.hasEnded = true;
}

const Line = v.looseObject({ _aws: v.optional(v.unknown()), level: v.optional(v.string()) });
const lines = () =>
  written
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => v.parse(Line, JSON.parse(line)));
const logged = () => lines().filter(({ level }) => level !== undefined);
/** All metrics of an invocation, as one object. */
const measured = () => Object.assign({}, ...lines().filter(({ _aws }) => _aws !== undefined));

const RUN = {
  corrida: '20261220020000-00000001',
  dia: '2026-12-20',
  desde: '2026-11-18',
  hasta: '2026-11-19',
  direcciones: ['recibidos', 'emitidos'],
  a_la_vez: 1,
};

describe('start-run', () => {
  it('starts an execution that holds RUTs and no token, and says so in log and metrics', async () => {
    setCompanies([first, second, { rut: '210303670014', token: 'tok-of-a-bad-entry' }]);
    const event = { desde: '2026-11-18', hasta: '2026-11-19' };
    const answer = await startRunByEvent(event);
    expect(answer).toMatchObject({ empresas: 2, unidades: 8, repetida: false });
    expect(answer.problemas).toEqual([
      expect.stringContaining(`secret ${SECRET}, entry 3, RUT 210303670014`),
    ]);
    const [execution] = aws.steps.executions;
    expect(execution?.arn).toBe(answer.ejecucion);
    expect(JSON.parse(execution?.input ?? '')).toMatchObject({ ruts: [second.rut, first.rut] });
    expect(execution?.input).not.toContain(first.token);
    expect(measured()).toMatchObject({ CompanyProblems: 1 });
    expect(logged()).toContainEqual(
      expect.objectContaining({ level: 'INFO', message: 'run started', empresas: 2 }),
    );
  });

  describe('looks at when tokens expire', () => {
    const nowS = Math.floor(Date.now() / 1000);
    const jwt = (exp: number) =>
      ['{"alg":"none"}', JSON.stringify({ exp }), 'sig']
        .map((text) => Buffer.from(text).toString('base64url'))
        .join('.');
    const inHours = (hours: number) => jwt(nowS + hours * 3600);
    const warnings = () => logged().filter(({ message }) => message === 'a token ends soon');

    it('in the evening, and gives the alarm the days that the first to expire has left', async () => {
      const tokens = [inHours(12), inHours(60)];
      setCompanies([
        { ...first, token: tokens[0] },
        { ...second, token: tokens[1] },
      ]);
      expect(await startRun({ revisar: 'tokens', dias: 1 })).toEqual({
        avisos: [
          expect.stringMatching(`^RUT ${first.rut}: its token expires on 20.* Put a new one into the secret`),
        ],
        dias: expect.closeTo(0.5, 2),
      });
      expect(measured().TokenDaysLeft).toBeCloseTo(0.5, 2);
      expect(warnings()).toHaveLength(1);
      expect(aws.steps.executions).toEqual([]);
      for (const token of tokens) expect(written.join('')).not.toContain(token);
    });

    it('leaving out those that have ended: the next run names them as it begins, and fails', async () => {
      setCompanies([
        { ...first, token: inHours(60) },
        { ...second, token: inHours(-1) },
      ]);
      const avisos = [expect.stringContaining(`RUT ${second.rut}: its token expired on`)];
      expect(await startRun({ revisar: 'tokens', dias: 1 })).toMatchObject({ avisos });
      expect(measured().TokenDaysLeft).toBeCloseTo(2.5, 2);
      written.length = 0;
      const started = await startRun({ desde: '2026-11-18', hasta: '2026-11-19' });
      expect(started).toMatchObject({ empresas: 2, avisos });
      expect(measured()).not.toHaveProperty('TokenDaysLeft');
    });

    it('refuses a review that asks for nothing sensible', async () => {
      await expect(startRun({ revisar: 'tokens', dias: 0 })).rejects.toThrow('dias');
      await expect(startRun({ revisar: 'todo', dias: 1 })).rejects.toThrow('revisar');
    });
  });

  it('does not start a night beside an earlier one, which then counts for none; a run by hand is none of its concern', async () => {
    const night = (day: string) => ({
      origen: 'programado',
      nombre: 'nocturna',
      direcciones: ['recibidos', 'emitidos'],
      dias: 3,
      programado: `${day}T05:00:00Z`,
    });
    await startRun({ desde: '2026-11-18', hasta: '2026-11-19' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-20T05:00:10Z') });
    onTestFinished(() => void vi.useRealTimers());
    const { corrida } = await startRunByEvent(night('2026-12-20'));
    expect(measured()).toMatchObject({ NightsBegun: 1 });
    for (const day of ['2026-12-21', '2026-12-22']) {
      vi.setSystemTime(`${day}T05:20:00Z`);
      written.length = 0;
      const refused = { no_iniciada: `${day.replaceAll('-', '')}020000-nocturna`, en_curso: corrida };
      expect(await startRun(night(day))).toEqual(refused);
      expect(measured()).not.toHaveProperty('NightsBegun');
      expect(logged()).toContainEqual(
        expect.objectContaining({ level: 'WARN', message: 'night not started', enCurso: corrida }),
      );
    }
    expect(aws.steps.executions).toHaveLength(2);
    endRuns();
    vi.setSystemTime('2026-12-23T05:00:00Z');
    expect(await startRun(night('2026-12-23'))).toMatchObject({ repetida: false });
  });

  it('says whether a run would succeed, and starts, marks and writes nothing', async () => {
    const answer = await startRun({ comprobar: {} });
    expect(answer).toMatchObject({ empresas: 2, problemas: [], lectura: { incompleta: false } });
    expect(answer).toHaveProperty('lectura.recibidos', expect.any(Number));
    expect(aws.steps.executions).toEqual([]);
    expect(cloud.bucket().keys('')).toEqual([]);
    for (const { token } of [first, second]) expect(JSON.stringify([answer, written])).not.toContain(token);
  });

  it('marks the lake, and refuses one of another service to start-run and worker before anything is read', async () => {
    const event = { desde: '2026-11-18', hasta: '2026-11-19' };
    const mark = () => JSON.parse(cloud.bucket().find('.source/source.json').bytes.toString());
    await startRun(event);
    expect(mark()).toEqual({ version: 1, api: sandbox.url });
    endRuns();
    const other = Buffer.from('{"version":1,"api":"https://other.example"}');
    cloud.bucket().put('.source/source.json', other, {}, {});
    sandbox.resetStats();
    const refusal = /^The receipts of the lake s3:\/\/lake come from https:\/\/other\.example/;
    await expect(startRun({ ...event, fuente: 'adoptada' })).rejects.toThrow(refusal);
    await expect(exportCompany({ ...RUN, rut: first.rut })).rejects.toThrow(refusal);
    expect({ executions: aws.steps.executions.length, requests: sandbox.stats().requests }).toEqual({
      executions: 1,
      requests: 0,
    });
    await startRun({ ...event, fuente: 'mudada' });
    expect(mark()).toEqual({ version: 1, api: sandbox.url });
  });
});

describe('export-company', () => {
  it('exports a company with its own token, and measures what it did', async () => {
    const answer = await exportCompany({ ...RUN, rut: first.rut });
    expect(answer).toMatchObject({ parte: 2, pendientes: null, fallidas: null, resumen: { exportado: 4 } });
    expect(measured()).toMatchObject({
      UnitsExported: 4,
      UnitsFailed: 0,
      ReceiptsRead: 12,
      ReceiptsNew: 0,
      ReceiptsVanished: 0,
      service: 'handlers-test',
    });
    expect(lines().filter((line) => 'UnitsExported' in line)).toMatchObject([
      { _aws: { CloudWatchMetrics: [{ Dimensions: [['service']] }] } },
    ]);
    expect(logged().find(({ message }) => message === 'part exported')).toMatchObject({
      corrida: '20261220020000-00000001',
      dia: '2026-12-20',
      rut: first.rut,
      exportado: 4,
      filas: 12,
      reintentos: 0,
      timeUsedPercent: 0,
    });
    expect(cloud.bucket().keys('unidades/recibidos/')).toEqual(
      (['2026-11-18', '2026-11-19'] as const).map((day) => unitKey('recibidos', day, first.rut)),
    );
  });

  it('measures how fast the API answered', async () => {
    await exportCompany({ ...RUN, rut: first.rut });
    const { ApiLatency, ApiRequests } = measured();
    expect(ApiLatency).toHaveLength(ApiRequests);
    expect(Math.min(...ApiLatency)).toBeGreaterThanOrEqual(0);
  });

  it('reads whole what the run asks for, and measures that', async () => {
    await exportCompany({ ...RUN, rut: first.rut });
    expect(measured()).not.toHaveProperty('DetailsRead');
    written.length = 0;
    const answer = await exportCompany({ ...RUN, detalles: ['emitidos'], rut: first.rut });
    expect(answer).toMatchObject({ detalles: ['emitidos'], fallidas: null });
    expect(measured()).toMatchObject({ DetailsRead: 6, DetailsNotThere: 0, UnitsWithoutDetails: 0 });
    expect(logged().find(({ message }) => message === 'part exported')).toMatchObject({
      detallesLeidos: 6,
      detallesSinLeer: 0,
    });
  });

  it('reports receipts that vanished, by day in the log and as one number in the metrics', async () => {
    await exportCompany({ ...RUN, rut: first.rut });
    written.length = 0;
    const day = { rut: first.rut, direction: 'recibidos', day: '2026-11-18' } as const;
    sandbox.behave(
      movingRows({ ...day, kind: 'removed', afterListRequests: 0, count: 1, position: 'middle' }),
    );
    await exportCompany({ ...RUN, corrida: '20261220020000-00000002', rut: first.rut });
    expect(measured()).toMatchObject({ ReceiptsVanished: 1 });
    expect(logged()).toContainEqual(
      expect.objectContaining({
        level: 'WARN',
        message: 'receipts vanished',
        corrida: '20261220020000-00000002',
        rut: first.rut,
        direccion: 'recibidos',
        fecha: '2026-11-18',
        desaparecidas: 1,
      }),
    );
  });

  it('logs why units failed', async () => {
    sandbox.behave({ intercept: refusing(first.rut) });
    const answer = await exportCompany({ ...RUN, rut: first.rut });
    expect(answer).toMatchObject({ resumen: { fallido: 4 } });
    const warnings = logged().filter(({ level }) => level === 'WARN');
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toMatchObject({
      rut: first.rut,
      reason: expect.stringContaining('refused the token'),
    });
    expect(measured()).toMatchObject({ UnitsFailed: 4 });
  });

  it('keeps no keys of one invocation for the next', async () => {
    await exportCompany({ ...RUN, rut: first.rut });
    written.length = 0;
    await expect(exportCompany({ rut: 'x' })).rejects.toThrow(
      /^export-company was given a wrong event: corrida is missing; /,
    );
    expect(written.join('')).not.toContain(first.rut);
  });
});

describe('finish-run', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-20T06:30:00Z') }));
  afterEach(() => void vi.useRealTimers());

  it('writes the coverage page, even of a run that failed', async () => {
    const types = new Map<string, unknown>();
    aws.disturb = ({ method, path, headers }) => {
      if (method === 'PUT') types.set(path, headers['content-type']);
      return undefined;
    };
    await exportCompany({ ...RUN, rut: first.rut });
    await expect(finishRun({ ...RUN, ruts: [first.rut, second.rut] })).rejects.toThrow(/are missing/);
    const page = cloud.bucket().find('cobertura/index.html').bytes.toString();
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain(`id="${first.rut}"`);
    expect(types.get('/lake/cobertura/index.html')).toBe('text/html; charset=utf-8');
    expect(logged()).toContainEqual(
      expect.objectContaining({
        level: 'INFO',
        message: 'coverage page written',
        corrida: '20261220020000-00000001',
      }),
    );
  });

  it('does not fail a run whose coverage page cannot be written, and says so', async () => {
    await exportCompany({ ...RUN, rut: first.rut });
    const denied = { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' };
    aws.disturb = ({ path }) => (path.startsWith('/lake/cobertura/') ? denied : undefined);
    const input = { ...RUN, ruts: [first.rut] };
    expect(await finishRun(input)).toMatchObject({ resumen: { exportado: 4 } });
    expect(logged()).toContainEqual(
      expect.objectContaining({
        level: 'WARN',
        message: 'coverage page not written',
        corrida: '20261220020000-00000001',
      }),
    );
    expect(cloud.bucket().keys('cobertura/')).toEqual([]);
  });

  it('names each field that the contract does not name, and counts those that are new, once', async () => {
    const finish = async (corrida: string) => {
      const run = { id: corrida, day: '2026-12-20' } as const;
      const receipts = new Map([['nuevo', 2]]);
      const units = (['recibidos', 'emitidos'] as const).flatMap((direction) =>
        (['2026-11-18', '2026-11-19'] as const).map((day) => ({
          ...readOn(run.day, { rut: first.rut, direction, day }),
          ...(direction === 'recibidos' && { unknownFields: receipts }),
        })),
      );
      await writeAudit({ store, writer: writeWithHyparquet }, run, units);
      written.length = 0;
      await finishRun({ ...RUN, corrida, ruts: [first.rut] });
      return logged().filter(({ message }) => message === 'unknown field');
    };
    const field = { level: 'WARN', direccion: 'recibidos', campo: 'nuevo', filas: 4 };
    expect(await finish('20261220020000-00000001')).toMatchObject([
      { ...field, corrida: '20261220020000-00000001', nuevo: true },
    ]);
    expect(measured()).toMatchObject({ UnknownFields: 1, service: 'handlers-test' });
    expect(cloud.bucket().find('cobertura/index.html').bytes.toString()).toContain('<code>nuevo</code>');
    expect(await finish('20261220020000-00000002')).toMatchObject([
      { ...field, corrida: '20261220020000-00000002', nuevo: false },
    ]);
    expect(measured()).toMatchObject({ UnknownFields: 0 });
  });

  describe('sends what a run found', () => {
    const input = { ...RUN, ruts: [first.rut] };
    const finish = async () => {
      await exportCompany({ ...RUN, rut: first.rut });
      written.length = 0;
      return await finishRun(input);
    };
    const event = expect.objectContaining({ Source: 'cfe-lake', DetailType: 'Run published' });
    beforeEach(() => void vi.spyOn(systemClock, 'sleep').mockResolvedValue());

    it('as one event on the default bus, and nothing where nothing is new', async () => {
      await finish();
      expect(aws.events.events).toEqual([event]);
      expect(aws.events.events[0]).not.toHaveProperty('EventBusName');
      expect(logged()).toContainEqual(expect.objectContaining({ message: 'run event sent', partes: 1 }));
      expect(measured()).not.toHaveProperty('RunEventNotSent');
      const again = { ...RUN, corrida: '20261220020000-00000002' };
      await exportCompany({ ...again, rut: first.rut });
      await finishRun({ ...again, ruts: [first.rut] });
      expect(aws.events.events).toHaveLength(1);
    });

    it('twice where the bus takes the request and not the event', async () => {
      aws.events.refusals = 1;
      await finish();
      expect(aws.events.events).toEqual([event]);
    });

    it.each([
      [
        'never takes the event',
        () => {
          aws.events.refusals = 100;
        },
        /did not take the event: InternalFailure/,
      ],
      [
        'is forbidden',
        () => {
          const body =
            '{"__type":"AccessDeniedException","Message":"not authorized to perform: events:PutEvents"}';
          aws.disturb = ({ headers }) =>
            headers['x-amz-target'] === 'AWSEvents.PutEvents' ? { status: 400, body } : undefined;
        },
        /not authorized/,
      ],
    ])('and says that it could not where the bus %s, which fails no run', async (_name, disturb, reason) => {
      disturb();
      expect(await finish()).toMatchObject({ resumen: { exportado: 4 } });
      expect(aws.events.events).toEqual([]);
      expect(measured()).toMatchObject({ RunEventNotSent: 1, service: 'handlers-test' });
      expect(logged()).toContainEqual(
        expect.objectContaining({
          level: 'WARN',
          message: 'run event not sent',
          reason: expect.stringMatching(reason),
        }),
      );
    });
  });
});

it('nothing leaks into a log, an answer or an error, whatever fails', async () => {
  const outcomes: unknown[] = [];
  const run = async () => {
    const event = { ...RUN, rut: first.rut };
    for (const call of [
      () => startRun({ desde: '2026-11-18', hasta: '2026-11-18' }),
      () => exportCompany(event),
      () => finishRun({ ...RUN, ruts: [first.rut] }),
    ]) {
      outcomes.push(await call().catch((error: unknown) => (error instanceof Error ? error.stack : error)));
    }
  };
  await run();
  sandbox.behave({ intercept: refusing(first.rut) });
  await run();
  setCompanies([{ ...first, token: `${first.token} with a space` }]);
  await run();
  aws.disturb = ({ headers }) => (headers['x-amz-target'] === undefined ? { status: 403 } : undefined);
  await run();
  const all = `${written.join('')}${JSON.stringify(outcomes)}`;
  for (const secret of [first.token, second.token, 'secret-of-the-role', first.token.split('.')[2] ?? '']) {
    expect(secret).not.toBe('');
    expect(all).not.toContain(secret);
  }
  expect(all).toContain('part exported');
});
