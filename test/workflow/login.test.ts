import { beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.ts';
import { campaign } from '../support/campaign.ts';
import { lambdaContext } from '../support/run/lambda-context.ts';
import { differences, LOGIN_SECRET, TOKENS_SECRET } from './local-cloud.ts';
import { startWorkflow } from './local-workflow.ts';

const { cloud, aws, sandbox, ruts, run } = await startWorkflow({
  companyCount: 2,
  receiptsPerDay: 3,
  tokenClock: () => systemClock.now(),
});
// It reads the variables on loading.
const { handler: renewTokens } = await import('../../functions/renew-tokens.ts');
const NIGHT_MS = Date.parse('2026-11-20T05:00:00Z');
const DAY_MS = 86_400_000;
const TEN_MINUTES_MS = 600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  setNow(NIGHT_MS - TEN_MINUTES_MS);
});

/** Sets the handlers' clock. */
function setNow(ms: number): void {
  vi.setSystemTime(ms - (systemClock.now() - Date.now()));
}

const renew = () => renewTokens({}, lambdaContext());

async function refreshToken(): Promise<string> {
  const body = JSON.stringify({ grant_type: 'password', ...sandbox.login });
  const answer = await (await fetch(sandbox.login.tokenUrl, { method: 'POST', body })).json();
  return Object(answer).refresh_token;
}

it('exports night after night with tokens of twelve hours, with nobody there', async () => {
  const { tokenUrl } = sandbox.login;
  const given = await refreshToken();
  const put = { SecretId: LOGIN_SECRET, SecretString: JSON.stringify({ tokenUrl, refreshToken: given }) };
  aws.secrets.answer('PutSecretValue', JSON.stringify(put));
  cloud.setCompanies(ruts.map((rut) => ({ rut })));
  const states: string[] = [];
  for (let night = 0; night < campaign({ quick: 2, long: 30 }); night += 1) {
    const atMs = NIGHT_MS + night * DAY_MS;
    sandbox.resetStats();
    // From the evening on.
    for (
      let nowMs = atMs - (night === 0 ? 1 : 24) * TEN_MINUTES_MS * 6;
      nowMs < atMs;
      nowMs += TEN_MINUTES_MS
    ) {
      setNow(nowMs);
      if (nowMs === atMs - 12 * TEN_MINUTES_MS * 6) sandbox.resetStats();
      await renew();
    }
    setNow(atMs + 1_000);
    sandbox.setNow(new Date(atMs - 3 * 3_600_000).toISOString().slice(0, 19));
    const executed = await run({
      origen: 'programado',
      nombre: 'nocturna',
      direcciones: ['recibidos'],
      dias: 3,
      programado: new Date(atMs).toISOString(),
      ejecucion: `e${night}`,
    });
    states.push(executed.states);
    expect(executed.output).toMatchObject({ unidades: 6, resumen: { fallido: 0 } });
    expect(sandbox.stats().logins).toBeLessThanOrEqual(2);
    const day = new Date(atMs - DAY_MS).toISOString().slice(0, 10);
    expect(await differences(cloud, { ruts, desde: day, hasta: day, direcciones: ['recibidos'] })).toEqual(
      [],
    );
  }
  const kept = aws.secrets.secrets.get(LOGIN_SECRET)?.SecretString ?? '';
  expect(kept).not.toContain(given);
  const tokens: { token: string }[] = JSON.parse(
    aws.secrets.secrets.get(TOKENS_SECRET)?.SecretString ?? '',
  ).tokens;
  const secrets = [...tokens.map(({ token }) => token), JSON.parse(kept).refreshToken];
  const lake = [...cloud.bucket().objects]
    .map(([key, { bytes }]) => key + Buffer.from(bytes).toString('latin1'))
    .join('');
  for (const secret of secrets) expect(states.join('') + lake).not.toContain(secret);
}, 120_000);
