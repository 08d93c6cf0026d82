import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';
import { advisedIn, refusalOf } from '../support/program/advice.ts';
import { englishNameIn, foreignWordsIn } from '../support/program/one-language.ts';
import { runLine } from '../support/program/run-main.ts';
import { madeWorkbook } from '../support/verify/made-workbook.ts';

const RUT = '219999830019';
const HEADING = 'Fecha;Tipo;Serie;Número;Monto Total';
const LIST = `${HEADING.replace(';Monto', ';RUT Emisor;Monto')}\n01/10/2026;101;A;1;${RUT};3\n`;

/** What an office has in its folder, by name. */
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'roto.json': '{',
  'lista.pdf': '%PDF-1.4',
  'pdf.csv': '%PDF-1.4',
  'web.csv': '<html></html>',
  'vacia.csv': '',
  'otra.csv': 'a;b\n1;2\n',
  'sinfecha.csv': 'Tipo;Serie;Número;Monto Total\n101;A;1;2\n',
  'sintotal.csv': 'Fecha;Tipo;Serie;Número\n01/10/2026;101;A;1\n',
  'sinemisor.csv': `${HEADING}\n01/10/2026;101;A;1;3\n`,
  'dos.csv': `${HEADING};Monto Total\n01/10/2026;101;A;1;3;3\n`,
  'comillas.csv': `${HEADING}\n01/10/2026;"101;A;1;3\n`,
  'rota.xlsx': 'PK\u0003\u0004',
  'dos.xlsx': madeWorkbook(
    ['A', 'B'].map((name) => ({ name, rows: LIST.split('\n').map((row) => row.split(';')) })),
  ),
  'dolar.csv': 'Fecha;Moneda;Compra\n01/10/2026;USD;4000,5\n',
  'salto.csv': 'Fecha;Moneda;Compra\n01/10/2026;USD;40,5\n02/10/2026;USD;60,6\n',
};

let sandbox: Sandbox;
const before = process.cwd();
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
  sandbox = await startSandbox({ now: '2026-11-20T09:00:00', receiptsPerDay: 2, companyCount: 1 });
  process.chdir(sharedFolder());
  for (const [name, content] of Object.entries(FILES)) writeFileSync(name, content, { mode: 0o600 });
  const api = sandbox.url;
  const json = (name: string, value: object) => writeFileSync(name, JSON.stringify(value), { mode: 0o600 });
  const companies = [{ rut: RUT, token: sandbox.companies[0]?.token }];
  json('mias.json', { api, companies });
  json('sin-api.json', { companies });
  json('clave.json', { api, login: { ...sandbox.login, password: 'otra' }, companies: [{ rut: RUT }] });
  json('token.json', { api, companies: [{ rut: RUT, token: 'otro-token-cualquiera' }] });
  json('caida.json', { api: 'http://127.0.0.1:9', companies });
  json('faltas.json', {
    api,
    companies: [{ rut: '219999830018', token: 'x'.repeat(20) }, {}, ...companies, ...companies],
  });
  mkdirSync('listas');
  writeFileSync(`listas/${RUT}-recibidos.csv`, 'a;b\n1;2\n');
  mkdirSync('calladas');
  writeFileSync(`calladas/${RUT}-x.csv`, LIST.split('\n')[0] ?? '');
  writeFileSync('listas/111-recibidos.csv', 'a;b\n1;2\n');
  expect((await runLine('export --companies mias.json --date 2026-10-05')).code).toBe(0);
}, 60_000);
afterAll(async () => {
  process.chdir(before);
  await sandbox.close();
});

/** What is typed, and what English says to do. Exit code 2, but where the work itself fails. */
const MISTAKES: [line: string, advice: RegExp, code?: 1][] = [
  ['companies', /See: .* companies --help/],
  ['export --companies nada.json', /check its name/],
  ['export --companies .', /it is a folder, not a file/],
  ['export --companies roto.json', /not JSON \(line 1, column 2\): write/],
  ['export --companies faltas.json', /look for a typing error\n.*has no "rut"\n.*keep one of them/],
  ['export --companies sin-api.json', /add --api https/],
  ['export --companies mias.json --api https://api.example.com', /Leave --api out/],
  ['export --companies clave.json --date 2026-10-06', /Check its user and password/, 1],
  ['export --companies token.json --date 2026-10-06', /Renew the token/, 1],
  ['export --companies caida.json --date 2026-10-06 --lake otro', /Check the API address and the network/, 1],
  ['export --companies mias.json --lake otra.csv --date 2026-10-06', /Choose another place/],
  ['export --sandbox --lake lake', /Give another lake/],
  ['export --notify-names', /needs --notify URL/],
  ['companies check --companies clave.json', /Check its user and password/, 1],
  ['companies check --companies token.json', /get a new one and write it into token\.json/, 1],
  ['missing --companies mias.json --from 2026-10-05 --to 2026-10-06', /To export just these/, 1],
  ['verify --companies clave.json --date 2026-10-05', /Check its user and password/, 1],
  ['coverage --html x.html --json', /Give either/],
  ['query "DROP TABLE recibidos"', /give it a SELECT/],
  ['query "SELECT * FROM recibido"', /Did you mean "recibidos"\?/],
  ['query "SELECT 1; SELECT 2"', /run one at a time/],
  ['query --named formulario-2181 --format dgi-2181', /give --rut RUT and --month/],
  ['query "SELECT * FROM posicion_iva" --close nada', /Check its name/],
  ['report', /Give --month/],
  [`report --month 2026-10 --rut 211003420017`, /The command coverage shows/],
  ['report --month 2026-10 --html x.html', /name a folder/],
  [`report --month 2026-10 --rut ${RUT} --html nada/x.html`, /Create it/],
  ['report --month 2026-10 --close nada', /Check its name/],
  ['close', /Give --month/],
  ['close --month 2026-10', /Give --out/],
  ['close --month 2026-11 --out cierres', /is not over/],
  ['close --month 2026-10 --out cierres --accept rejectd', /--accept takes days, gone, gaps/],
  ['close --month 2026-10 --out cierres --lists listas', /Download it once more/, 1],
  [
    'close --month 2026-10 --out cierres --lists calladas',
    /-x\.csv does not say .* write "CFE Recibidos"/,
    1,
  ],
  ['reconcile', /See: .* reconcile --help/],
  ['reconcile pdf.csv', /Give --rut/],
  ...[`lista.pdf`, 'pdf.csv', 'web.csv', 'vacia.csv', 'otra.csv', 'sinfecha.csv', 'sintotal.csv'].map(
    (file): [string, RegExp] => [`reconcile ${file} --rut ${RUT}`, /Download it once more/],
  ),
  [`reconcile dos.csv --rut ${RUT}`, /two columns that may be its total: "Monto Total" \(E\)/],
  [`reconcile comillas.csv --rut ${RUT}`, /a quotation mark is never closed/],
  [`reconcile rota.xlsx --rut ${RUT}`, /cut or damaged/],
  [`reconcile dos.xlsx --rut ${RUT}`, /--sheet NAME must say which: "A", "B"/],
  [`reconcile dos.xlsx --rut ${RUT} --sheet C`, /it has "A", "B"/],
  [`reconcile sinemisor.csv --rut ${RUT}`, /give --direction/],
  [`reconcile sinemisor.csv --rut ${RUT} --direction recibidos`, /with that column/],
  ['rates', /Give either a FILE or --bcu/],
  ['rates dolar.csv', /Correct the file/],
  ['rates salto.csv', /Correct the file/],
  ['rates otra.csv', /Download it once more/],
  ['rates --bcu --month 2027-01', /has not begun/],
  ['init', /Then run:/],
  ['init --schedule --undo-schedule', /Give either/],
];

it.each(MISTAKES)(
  'a mistake is told in one language, with what to do, commands that the program takes, and no trace: %s',
  async (line, advice, code: number = 2) => {
    for (const language of ['en', 'es'] as const) {
      const { stdout, stderr, ...ended } = await runLine(`${line} --lang ${language}`);
      const name = sandbox.companies[0]?.name ?? '';
      const said = (stderr + stdout).replaceAll(name, '');
      expect({ code: ended.code, said }).toEqual({ code, said: expect.not.stringMatching(/^ +at /m) });
      if (language === 'en') expect(said).toMatch(advice);
      // What a close leaves open is told as its report says it.
      expect(
        foreignWordsIn(language === 'en' ? said.replace(stdout.replaceAll(name, ''), '') : said, language),
        said,
      ).toBeUndefined();
      if (language === 'es') expect(englishNameIn(said), said).toBeUndefined();
      for (const command of advisedIn(said)) expect(await refusalOf(command), command).toBe('');
    }
  },
);
