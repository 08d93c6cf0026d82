import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daysBetween, weekdayOf } from '../../lib/time/days.ts';
import { type Answer, startHttpServer } from '../support/api/http-server.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain, runStreamed } from '../support/program/run-main.ts';
import { newSandbox } from '../support/sandbox.ts';

const STORED =
  'SELECT moneda, fecha, CAST(valor AS VARCHAR) AS valor, fuente FROM cotizaciones ORDER BY moneda, fecha';
const OCTOBER = ['rates', '--bcu', '--month', '2026-10'];

function newLake(): string {
  const lake = join(newFolder(), 'lake');
  mkdirSync(lake);
  return lake;
}

interface Row {
  moneda: string;
  fecha: string;
  valor: string;
  fuente: string;
}

async function stored(lake: string): Promise<Row[]> {
  const { code, stdout } = await runMain('query', STORED, '--lake', lake, '--json');
  return code === 0 ? JSON.parse(stdout) : [];
}

async function bank(): Promise<string> {
  const sandbox = await newSandbox({ now: '2026-11-20T03:00:00' });
  return sandbox.url;
}

/** Rows of a megabyte together, each with names that no other has. */
function rowsOfStrangers(rowCount: number, strangerOf: (name: string) => string): string {
  const perRow = Math.floor(900_000 / rowCount / strangerOf('a123_123').length);
  return Array.from({ length: rowCount }, (_, rowIndex) => {
    const strangers = Array.from({ length: perRow }, (_unused, index) => strangerOf(`a${rowIndex}_${index}`));
    return `<datoscotizaciones.dato ${strangers.join(' ')}></datoscotizaciones.dato>`;
  }).join('');
}

describe('rates --bcu', () => {
  it('brings the days that a month needs, of bank notes, each on the day that the bank says', async () => {
    const lake = newLake();
    const words = [...OCTOBER, '--api', await bank(), '--lake', lake, '--yes'];
    expect(await runMain(...words)).toMatchObject({ code: 0 });
    const rates = await stored(lake);
    const ratesOf = (currency: string) => rates.filter(({ moneda }) => moneda === currency);
    expect(ratesOf('UYI').map(({ fecha }) => fecha)).toEqual(daysBetween('2026-09-21', '2026-10-31'));
    expect(ratesOf('UYR')).toMatchObject([{ fecha: '2026-10-01' }]);
    for (const currency of ['USD', 'EUR', 'ARS', 'BRL']) {
      expect(ratesOf(currency).length).toBeGreaterThan(20);
      expect(
        ratesOf(currency).every(
          ({ fecha }) => ![0, 6].includes(weekdayOf(fecha as `${number}-${number}-${number}`)),
        ),
      ).toBe(true);
    }
    // The receipts of the sandbox state 40.12.
    expect(ratesOf('USD').every(({ valor }) => /^40\.1[234]/.test(valor))).toBe(true);
    expect(new Set(ratesOf('USD').map(({ fuente }) => fuente))).toEqual(
      new Set(['Banco Central: DLS. USA BILLETE, TCC']),
    );
    const again = await runMain(...words, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ added: 0, changed: [], unchanged: rates.length });
  });

  it('shows what the bank gives before it writes it, and asks', async () => {
    const lake = newLake();
    const words = [...OCTOBER, '--api', await bank(), '--lake', lake];
    const nobody = await runMain(...words);
    expect(nobody).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/USD, DLS. USA BILLETE: \d+ rates.*[\s\S]*--yes/),
    });
    const asked: string[] = [];
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        asked.push(question);
        return answer;
      },
    });
    const left = await runStreamed(words, answering(''));
    expect(left).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was written') });
    expect(await stored(lake)).toEqual([]);
    expect((await runStreamed(words, answering('y'))).code).toBe(0);
    expect((await stored(lake)).length).toBeGreaterThan(100);
    expect(asked).toEqual(Array(2).fill(expect.stringContaining('Write these rates?')));
  });

  it('cuts a name of thousands of characters', async () => {
    const long = row('2026-10-13', '2225', '40.12').replace('>X<', `>${'x'.repeat(5_000)}<`);
    const server = await startHttpServer(() => salida(long));
    const { stderr } = await runMain(...OCTOBER, '--api', server.address.href, '--lake', newLake());
    expect(stderr).not.toContain('x'.repeat(101));
  });

  it.each<[string, string]>([
    ['attributes', rowsOfStrangers(300, (name) => `${name}=""`)],
    ['elements', rowsOfStrangers(300, (name) => `><${name}></${name}`)],
    ['elements in elements', `${'<dato><a/>'.repeat(40_000)}${'</dato>'.repeat(40_000)}`],
  ])('passes over a megabyte of %s that it does not know', async (_, rows) => {
    const server = await startHttpServer(() => salida(rows));
    const { code, stderr } = await runMain(...OCTOBER, '--api', server.address.href, '--lake', newLake());
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('USD: none between') });
  });

  it('asks for one currency at a time', async () => {
    const server = await startHttpServer(() => salida(row('2026-10-13', '2225', '40.12')));
    const { code } = await runMain(...OCTOBER, '--api', server.address.href, '--lake', newLake(), '--yes');
    expect(code).toBe(1);
    const [first] = server.requests;
    expect({ path: first?.path, method: first?.method }).toEqual({
      path: '/wscotizaciones/servlet/awsbcucotizaciones',
      method: 'POST',
    });
    expect(first?.headers.soapaction).toContain('Cotizaaction/AWSBCUCOTIZACIONES.Execute');
    for (const { body } of server.requests) expect(body.match(/<cot:item>\d+<\/cot:item>/g)?.length).toBe(1);
    expect(first?.body).toMatch(/FechaDesde>2026-09-21<.*FechaHasta>2026-10-31</);
  });

  it.each<[string, Answer, RegExp]>([
    [
      'an error',
      salida(EMPTY, 104, 'Fuera de rango'),
      /gave no rates of USD: it says "Fuera de rango" \(code 104\)/,
    ],
    ['another currency', salida(row('2026-10-13', '2224', '40.12')), /one of its rows is no rate of it/],
    ['another day', salida(row('2026-11-13', '2225', '40.12')), /one of its rows is no rate of it/],
    ['no number', salida(row('2026-10-13', '2225', '-40.12')), /one of its rows is no rate of it/],
    ['a sign of its own', salida(row('2026-10-13', '2225', 'EUR 40.5')), /one of its rows is no rate of it/],
    [
      'a code in other digits',
      salida(row('2026-10-13', '0x8b1', '40.12')),
      /one of its rows is no rate of it/,
    ],
    [
      'a rate twice in a row',
      salida(row('2026-10-13', '2225', '40.5').replace('<TCC>', '<TCC>4</TCC><TCC>')),
      /not that of its service/,
    ],
    [
      'a second status',
      salida(`${row('2026-10-13', '2225', '40.12')}<respuestastatus><status>0</status></respuestastatus>`),
      /not that of its service/,
    ],
    ['a page', { status: 200, body: '<html><body>Mantenimiento</body></html>' }, /not that of its service/],
    ['an outage', { status: 503 }, /it answered status 503/],
    ['a flood', { status: 200, body: 'x'.repeat(2 ** 21) }, /larger than 1048576 bytes/],
    ['nothing', { fault: 'reset' }, /ECONNRESET/],
  ])('writes nothing and says why where the bank answers with %s', async (_, answer, said) => {
    const server = await startHttpServer(() => answer);
    const lake = newLake();
    const { code, stderr } = await runMain(...OCTOBER, '--api', server.address.href, '--lake', lake, '--yes');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(said) });
    expect(await stored(lake)).toEqual([]);
  });

  it('takes an empty row and "no rates" for none, and judges the rest as those of a file', async () => {
    const answers = new Map([
      ['2225', salida(row('2026-10-13T00:00:00.000Z', '2225', '4.012'))],
      ['1111', salida(EMPTY)],
    ]);
    const server = await startHttpServer(({ body }) => {
      const code = /<cot:item>(\d+)</.exec(body)?.[1] ?? '';
      return answers.get(code) ?? salida(EMPTY, 100, 'No existe cotización para la fecha indicada');
    });
    const lake = newLake();
    const words = [...OCTOBER, '--api', server.address.href, '--lake', lake, '--yes'];
    const refused = await runMain(...words);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/USD 4.012 on 2026-10-13, and 15.00 to 150.00/),
    });
    expect(refused.stderr).toContain('EUR: none between 2026-09-21 and 2026-10-31');
    answers.set('2225', salida(row('2026-10-13T00:00:00.000Z', '2225', '40.12')));
    expect((await runMain(...words)).code).toBe(0);
    expect(await stored(lake)).toMatchObject([{ moneda: 'USD', fecha: '2026-10-13' }]);
  });

  it.each([
    [['rates'], /either a FILE or --bcu/],
    [['rates', 'a.csv', '--bcu'], /either a FILE or --bcu/],
    [['rates', 'a.csv', '--month', '2026-10'], /--month goes with --bcu/],
    [['rates', '--bcu', '--month', '2999-01'], /has not begun/],
    [['rates', '--bcu', '--api', 'http://example.org'], /--api/],
  ])('%j is refused', async (words, said) => {
    const { code, stderr } = await runMain(...words, '--lake', newLake());
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(said) });
  });
});

const EMPTY = row('', '0', '0.000000');

function row(day: string, code: string, value: string): string {
  const date = day === '' ? '<Fecha xsi:nil="true"/>' : `<Fecha>${day}</Fecha>`;
  return `<datoscotizaciones.dato xmlns="Cotiza">${date}<Moneda>${code}</Moneda><Nombre>X</Nombre><TCC>${value}</TCC></datoscotizaciones.dato>`;
}

function salida(rows: string, code = 0, message = ''): Answer {
  const status = `<respuestastatus><status>${code === 0 ? 1 : 0}</status><codigoerror>${code}</codigoerror><mensaje>${message}</mensaje></respuestastatus>`;
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: `<?xml version="1.0"?><S:Envelope xmlns:S="s" xmlns:xsi="i"><S:Body><wsbcucotizaciones.ExecuteResponse xmlns="Cotiza"><Salida>${status}<datoscotizaciones>${rows}</datoscotizaciones></Salida></wsbcucotizaciones.ExecuteResponse></S:Body></S:Envelope>`,
  };
}
