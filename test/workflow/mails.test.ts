import { beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { type DeployedAlarm, deployedAlarms } from '../infra/deployed-alarms.ts';
import { asText, synthesise } from '../infra/synthesis.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { startWorkflow } from './local-workflow.ts';

/**
 * Nights are played hour by hour with a fault in one of them; the metrics that the handlers write and what becomes of
 * the executions are given to the template's alarms, as CloudWatch evaluates them.
 */
const workflow = await startWorkflow({
  companyCount: 2,
  receiptsPerDay: 3,
  environment: { POWERTOOLS_METRICS_DISABLED: 'false' },
});
const { cloud, sandbox } = workflow;
const { handler: startRun } = await import('../../functions/start-run.ts');

const HOUR_MS = 3_600_000;
/** Two o'clock in Uruguay, before which the stack was deployed. */
const FIRST_NIGHT_MS = Date.parse('2026-12-20T05:00:00Z');

const written: string[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  written.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written.push(String(chunk));
    return true;
  });
});

/** By metric, then by hour: its values. */
type Series = Map<string, Map<number, number[]>>;

function note(series: Series, hour: number, metric: string, values: readonly number[]): void {
  const hours = series.get(metric) ?? new Map<number, number[]>();
  hours.set(hour, [...(hours.get(hour) ?? []), ...values]);
  series.set(metric, hours);
}

/** What the handlers have written since the last look. */
function noteWritten(series: Series, hour: number): void {
  for (const line of written.splice(0).join('').split('\n')) {
    if (!line.startsWith('{"_aws"')) continue;
    const { _aws, ...values } = JSON.parse(line);
    for (const { Name } of _aws.CloudWatchMetrics[0].Metrics) note(series, hour, Name, [values[Name]].flat());
  }
}

interface Fault {
  /** Begins with the second evening, after a good night. */
  begin?(): void;
  /** Before the tasks of the second night's run. */
  tasks?: Parameters<typeof workflow.run>[1];
  /** Whether the schedule of the night still fires. */
  isScheduleLost?: boolean;
}

const NIGHT = {
  origen: 'programado',
  nombre: 'nocturna',
  direcciones: ['recibidos', 'emitidos'],
  dias: 3,
};

/** Plays a good night and then, with the fault, `nights` evenings and nights. */
async function play({ begin, tasks, isScheduleLost = false }: Fault, nights: number): Promise<Series> {
  const series: Series = new Map();
  const setNow = (ms: number) => vi.setSystemTime(ms - (systemClock.now() - Date.now()));
  for (let night = 0; night <= nights; night += 1) {
    const hour = 3 + night * 24;
    const atMs = FIRST_NIGHT_MS + night * 24 * HOUR_MS;
    if (night === 1) begin?.();
    // The review of the tokens, at 18:00 the evening before.
    if (night > 0) {
      setNow(atMs - 8 * HOUR_MS);
      await startRun({ revisar: 'tokens', dias: 7 }, lambdaContext());
      noteWritten(series, hour - 8);
    }
    setNow(atMs);
    sandbox.setNow(new Date(atMs - 3 * HOUR_MS).toISOString().slice(0, 19));
    if (night === 0 || !isScheduleLost) {
      const programado = new Date(atMs).toISOString();
      const event = { ...NIGHT, programado, ejecucion: `e${night}` };
      const { error } = await workflow.run(event, night === 0 ? {} : tasks);
      noteWritten(series, hour);
      note(series, hour, 'ExecutionsFailed', [error === undefined ? 0 : 1]);
    }
    // Between the nights, every ten minutes; here once a night.
    await workflow.tasks.publish({});
    noteWritten(series, hour + 1);
  }
  return series;
}

type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** The alarm's state after this hour. */
function stateOf(alarm: DeployedAlarm, series: Series, hour: number): State {
  const hours = series.get(alarm.MetricName);
  const periodHours = Math.max(1, alarm.Period / 3600);
  const window = Array.from({ length: alarm.EvaluationPeriods }, (_, index) => {
    const end = hour - index * periodHours;
    return Array.from({ length: periodHours }, (__, hoursAgo) => hours?.get(end - hoursAgo) ?? []).flat();
  }).filter((values) => values.length > 0);
  if (window.length === 0) return alarm.TreatMissingData === 'missing' ? 'INSUFFICIENT_DATA' : 'OK';
  const isBreaching = (values: readonly number[]) => {
    const value = {
      Sum: () => values.reduce((sum, value) => sum + value, 0),
      Maximum: () => Math.max(...values),
      Minimum: () => Math.min(...values),
    }[alarm.Statistic]();
    return alarm.ComparisonOperator === 'LessThanThreshold'
      ? value < alarm.Threshold
      : value >= alarm.Threshold;
  };
  return window.every(isBreaching) ? 'ALARM' : 'OK';
}

const ALARMS = deployedAlarms(synthesise());

/** `alarm → topic` for each mail that says that something is wrong, in these hours, and how many say that it is over. */
function mailsOf(series: Series, lastHour: number): { wrong: string[]; over: number } {
  const wrong: string[] = [];
  let over = 0;
  for (const alarm of ALARMS) {
    let state: State = 'INSUFFICIENT_DATA';
    for (let hour = 0; hour <= lastHour; hour += 1) {
      const next = stateOf(alarm, series, hour);
      const actions = {
        OK: alarm.OKActions,
        ALARM: alarm.AlarmActions,
        INSUFFICIENT_DATA: alarm.InsufficientDataActions,
      };
      const isFirst =
        hour === 0 || (state === 'INSUFFICIENT_DATA' && !series.get(alarm.MetricName)?.has(hour - 1));
      if (next !== state && actions[next].length > 0) {
        if (next !== 'OK') {
          const topic = asText(actions[next][0]).includes('Morning') ? 'morning' : 'urgent';
          wrong.push(`${alarm.AlarmName.replace('cfe-lake-', '')} → ${topic}`);
        } else if (!isFirst) over += 1;
      }
      state = next;
    }
  }
  return { wrong, over };
}

const jwt = (expMs: number) =>
  ['{"alg":"none"}', JSON.stringify({ exp: Math.floor(expMs / 1000) }), 'sig']
    .map((text) => Buffer.from(text).toString('base64url'))
    .join('.');

describe('mails', () => {
  it('are none before the first night, nor of good ones', async () => {
    expect(mailsOf(new Map(), 26).wrong).toEqual([]);
    expect(mailsOf(await play({}, 1), 30).wrong).toEqual([]);
  });

  it('are one a fault: a token that has expired', async () => {
    const [first, second] = sandbox.companies;
    if (first === undefined || second === undefined) throw new Error('two companies are needed');
    const token = jwt(FIRST_NIGHT_MS + 10 * HOUR_MS);
    const begin = () => cloud.setCompanies([{ rut: first.rut, token }, second]);
    expect(mailsOf(await play({ begin }, 1), 30)).toEqual({ wrong: ['RunFailed → urgent'], over: 1 });
  });

  it('are one the week before a token expires', async () => {
    const [first, second] = sandbox.companies;
    if (first === undefined || second === undefined) throw new Error('two companies are needed');
    const begin = () => {
      const exp = FIRST_NIGHT_MS + 100 * HOUR_MS;
      const token = jwt(exp);
      cloud.setCompanies([{ rut: first.rut, token }, second]);
      // The service takes it.
      sandbox.behave({
        intercept: (request, usual) =>
          usual({ ...request, authorization: request.authorization?.replace(token, first.token) }),
      });
    };
    expect(mailsOf(await play({ begin }, 2), 52).wrong).toEqual(['TokenExpires → morning']);
  });

  it('are one a fault: an API that is dead', async () => {
    const exportCompany = (event: unknown) => {
      sandbox.behave({ intercept: () => ({ status: 503, body: 'down' }) });
      return workflow.tasks.exportCompany(event);
    };
    expect(mailsOf(await play({ tasks: { exportCompany } }, 1), 30)).toEqual({
      wrong: ['RunFailed → urgent'],
      over: 1,
    });
  });

  it('are one a fault: an account whose Lambdas others have taken for hours', async () => {
    const full = () =>
      Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'Lambda.TooManyRequestsException' }));
    expect(mailsOf(await play({ tasks: { exportCompany: full } }, 1), 30)).toEqual({
      wrong: ['RunFailed → urgent'],
      over: 1,
    });
  });

  it('are one a fault: a schedule that is gone', async () => {
    expect(mailsOf(await play({ isScheduleLost: true }, 2), 52).wrong).toEqual(['NoNightlyRun → urgent']);
  });

  it('are one a fault: a unit that is corrupt', async () => {
    const publish = (event: unknown) => {
      const key = cloud
        .bucket()
        .keys('unidades/recibidos/')
        .findLast((key) => key.includes('fecha=2026-12-20/'));
      if (key !== undefined) cloud.bucket().find(key).bytes.fill(0, 10, 40);
      return workflow.tasks.publish(event);
    };
    expect(mailsOf(await play({ tasks: { publish } }, 1), 30).wrong).toEqual(['DaysNotPublished → urgent']);
  });
});
