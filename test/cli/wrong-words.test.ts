import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/lake/lake-folder.ts';
import { foreignWordsIn } from '../support/program/one-language.ts';
import { runMain } from '../support/program/run-main.ts';

const RUT = '219999830019';

/** Words, and the line that they print on stderr, with exit code 2 and nothing on stdout. */
const WRONG_WORDS: [string[], RegExp][] = [
  // Commander's own words
  [['exprot'], /^cfe-lake: unknown command 'exprot' \(Did you mean export\?\) See: .* -- --help$/],
  [['--vresion'], /unknown option '--vresion' \(Did you mean --version\?\)/],
  [['export', '--dat', '2026-11-19'], /'--dat' \(Did you mean --date\?\) See: .* -- export --help$/],
  [['export', '--json=yes'], /unknown option '--json=yes'/],
  [['export', '2026-11-19'], /too many arguments for 'export'/],
  [['companies'], /missing required argument 'check'/],
  [['companies', 'chek'], /'chek' is invalid .*Allowed choices are check\./],
  [['export', '--date'], /option '--date <D>' argument missing/],
  [['query', 'SELECT 1', '--out', '--all'], /option '--out <FILE>' argument missing/],
  [['query', 'SELECT 1', '--out', ''], /option '--out <FILE>' argument missing/],
  [
    ['export', '--direction', 'recibido'],
    /'recibido' is invalid\. Allowed choices are recibidos, emitidos\./,
  ],
  [['sandbox', '--port', '99999'], /'99999' is invalid\. It takes a whole number from 0 to 65535\./],
  [['coverage', '--to', '2026-11-01', '--to', '2026-11-02'], /Another was given before it/],
  [['query', '--named', 'sales-by-moth'], /no --named "sales-by-moth"\. Did you mean sales-by-month\?/],
  // What was an option once
  // Filters
  [['list', 'emitidos', '--filter', 'BE'], /--filter takes NAME=VALUE, .* not "BE"\.$/],
  [
    ['list', 'emitidos', '--filter', 'Receptr=x'],
    /emitidos has no filter Receptr\. Did you mean Receptor\? It has/,
  ],
  [
    ['list', 'recibidos', '--legacy', '--filter', 'Estado=AE'],
    /legacy list of recibidos has no filter Estado\./,
  ],
  [
    ['list', 'emitidos', '--filter', 'TipoComprobante=e-Ticket'],
    /TipoComprobante must be an integer, not 'e-Ticket'/,
  ],
  [
    ['list', 'emitidos', '--filter', `FechaFirmaDesde=2026-11-19`],
    /FechaFirmaDesde must be a local date-time/,
  ],
  [
    ['list', 'emitidos', '--filter', 'ExcluirSerie=si', '--filter', 'Serie=A'],
    /must be true or false, not 'si'/,
  ],
  [['list', 'emitidos', '--filter', 'ExcluirEstadoDgi=true'], /add --filter EstadoDgi=VALUE\.$/],
  [
    ['list', 'emitidos', '--from', '2026-11-01', '--filter', 'FechaDesde=2026-11-02'],
    /FechaDesde is given twice/,
  ],
  // Days
  [['export', '--date', '19/11/2026'], /write it as YYYY-MM-DD\. Did you mean 2026-11-19\?$/],
  [['export', '--date', '31.11.2026'], /write it as YYYY-MM-DD\.$/],
  [['report', '--month', '10/2026'], /not "10\/2026"\. Did you mean 2026-10\?$/],
  [['report', '--month', '2026-1'], /Did you mean 2026-01\?$/],
  [['report', '--month', 'octubre de 2026'], /Did you mean 2026-10\?$/],
  [['report', '--month', 'Septiembre 2025'], /Did you mean 2025-09\?$/],
  [['report', '--month', 'otoño'], /not "otoño"\.$/],
  [
    ['export', '--from', '2026-11-19', '--to', '2026-11-01'],
    /reversed: write --from 2026-11-01 --to 2026-11-19/,
  ],
  [['export', '--from', '2026-11-19'], /both ends: --to D is missing/],
  [['export', '--date', '1926-11-19'], /before the first electronic receipts .*: check the year/],
  [['export', '--source-moved', '--adopt-lake'], /either --source-moved, .* or --adopt-lake/],
  [['report', '--month', '2026-10', '--rut', '20336650013'], /not a RUT: .* Did you mean 020336650013\?$/],
  [['backfill'], /Which days\? +npm run -s cfe-lake -- backfill --from/],
  [
    ['report', '--ui', '2026=6.5', '--ui', '2026=7.5', '--month', '2026-10'],
    /--ui gives two values for 2026\.$/,
  ],
  [['report', '--ui', '2026=0.0642', '--month', '2026-10'], /--ui 2026=0\.0642: no UI was worth that\./],
  [['report', '--ui', '2026=642.08', '--month', '2026-10'], /--ui 2026=642\.08: no UI was worth that\./],
  // What belongs together
  [['export', '--max-details-per-unit', '5'], /Details of which receipts\?/],
  [['export', '--details', 'emitidos', '--direction', 'recibidos'], /add --direction emitidos/],
  [['export', '--notify-names'], /--notify-names needs --notify URL\.$/],
  [['export', '--notify', 'http://chat.example.com/x'], /--notify: it would be sent unencrypted\./],
  [['export', '--ping', 'https://me:word@chat.example.com/'], /--ping: it must not hold a user name or/],
  [['query', '--named', 'iva-por-mes', '--to', '2021-10-01'], /--to D needs --from D/],
  [['query', 'SELECT 1', '--rut', RUT], /--rut and --ui are for --named NAME; in SQL, write WHERE rut/],
  [['query', 'libro-iva-ventas'], /is a named query: query --named libro-iva-ventas$/],
  [['query', 'sales-by-month', 'x'], /is a named query: query --named sales-by-month$/],
  [['query', 'nowhere.sql'], /nowhere\.sql: there is no such file/],
  [['list', 'emitidos', '--sandbox', '--json', '--csv'], /Give only one of --json, --csv and --format F\./],
  [['show', 'emitidos'], /missing required argument 'ID'/],
  [['query', 'SELECT 1', '--out', 'answer.xls'], /--out: no format has the extension \.xls\. Name a file/],
  [['coverage', '--html', 'x.html', '--json'], /Give either --html FILE or --json/],
  [['report', '--month', '2199-12'], /2199-12 is in the future: today is 20/],
  // Companies
  [['export', '--rut', '211003420017'], /no company with the RUT 211003420017; known: 219999830019/],
  [
    ['export', '--rut', '219999830018'],
    /219999830018 is not a RUT: its check digit .* Did you mean 219999830019\?/,
  ],
  ...['export', 'report --month 2026-10'].map((command): [string[], RegExp] => [
    [...command.split(' '), '--rut', '21.999983.0019'],
    /--rut 21\.999983\.0019 is not a RUT: it must be 12 digits, .* Did you mean 219999830019\?$/,
  ]),
  // The API's address
  [['export', '--api', 'api.example.com'], /--api: it has no https:\/\/ before it\. Give one/],
  [['export', '--api', 'http://api.example.com'], /would send tokens unencrypted/],
  [['export', '--api', 'https://api.example.com'], /Which companies\? .* --companies FILE/],
  // The lake
  [
    ['export', '--lake=~/lake'],
    /'--lake <DIR>' argument '~\/lake' is invalid\. The shell left ~ as it is: .* give the whole path\./,
  ],
  [['export', '--lake', 's3:/bucket'], /--lake does not name a lake\. Give a folder, or s3:\/\/bucket/],
  [
    ['export', '--lake', '/dev/null'],
    /lake \/dev\/null: .* a file stands where a folder should \(ENOTDIR\)\. Choose/,
  ],
  ...['query "SELECT 1"', 'verify', 'missing', 'coverage'].map((command): [string[], RegExp] => [
    [...(command.startsWith('query') ? ['query', 'SELECT 1'] : [command]), '--lake', 'nowhere'],
    /There is no lake at \S+\. Export something first, or name another with --lake: a folder, or s3:\/\/BUCKET\.$/,
  ]),
  [['query'], /What is the question\?/],
  [['query', 'SELECT', '1'], /between quotes, as one word/],
];

describe('what can’t be carried out gets one line that says what to type, and exit code 2, in either language', () => {
  it.each(WRONG_WORDS)('%j', async (words, message) => {
    const { code, stdout, stderr } = await runMain(...words);
    expect(stderr.trimEnd()).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const spanish = await runMain(...words, '--lang', 'es');
    expect({ code: spanish.code, lines: spanish.stderr.trimEnd().split('\n').length }).toEqual({
      code: 2,
      lines: 1,
    });
    const says = (text: string, language: 'en' | 'es') => [text, foreignWordsIn(text, language)];
    expect(says(stderr, 'en')).toEqual([stderr, undefined]);
    // No office asks for single receipts, or for a stack.
    if (!['list', 'backfill'].includes(words[0] ?? ''))
      expect(says(spanish.stderr, 'es')).toEqual([spanish.stderr, undefined]);
  });

  it('shows where it came from with --debug', async () => {
    const { code, stderr } = await runMain('exprot', '--debug');
    expect(stderr).toMatch(/^cfe-lake: unknown command .*\n.*WrongInputError: .*\n +at /);
    expect(code).toBe(2);
  });
});

describe('the companies file', () => {
  const TOKEN = 'a-token-that-nobody-may-see';
  const entry = { rut: RUT, token: TOKEN };

  it('gets one line for each fault', async () => {
    const file = join(newFolder(), 'companies.json');
    await writeFile(file, JSON.stringify({ companies: [entry, entry, { rut: RUT }] }), { mode: 0o600 });
    const { code, stderr } = await runMain('export', '--date', '2026-11-19', '--companies', file);
    const [first, second, ...others] = stderr.trimEnd().split('\n');
    expect(first).toMatch(/entry 2, RUT 219999830019: entry 1 has the same RUT/);
    expect(second).toMatch(/entry 3, RUT 219999830019: the entry has no "token"/);
    expect({ code, others }).toEqual({ code: 2, others: [] });
    expect(stderr).not.toContain(TOKEN);
  });
});
