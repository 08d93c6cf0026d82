import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedQueries } from '../../lib/query/named-queries.ts';
import { spanishNotes } from '../../lib/query/spanish-notes.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runLine } from '../support/program/run-main.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';
import { issued } from '../support/query/made-receipts.ts';
import { readWorkbook } from '../support/query/workbook.ts';

/** The Spanish pages are translated by hand, so these tests compare what both languages must name. */

function pageOf(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
}

/** The page from one heading to another, both at the start of a line. */
function part(page: string, from: string, to: string): string {
  const [start, end] = [page.indexOf(`\n${from}`), to === '' ? page.length : page.indexOf(`\n${to}`)];
  if (start < 0 || end < start) throw new RangeError(`there is no part from ${from} to ${to}`);
  return page.slice(start, end);
}

/** The shell commands in its code blocks, without the output of programs. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter((line) => /^(?:npm|npx|git|aws|install|schtasks) /.test(line));
}

/** The distinct pieces of inline code in its text, even across line breaks. */
function codeIn(text: string): string[] {
  const outsideBlocks = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const spans = [...outsideBlocks.matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
    code.replaceAll(/\s+/g, ' '),
  );
  return [...new Set(spans)].sort();
}

/** The first column of the table under a heading. */
function firstColumn(page: string, heading: string): string[] {
  const rows =
    page
      .slice(page.indexOf(`\n| ${heading} |`))
      .split('\n\n')[0]
      ?.split('\n') ?? [];
  return rows.slice(3).map((row) => row.split('|')[1]?.trim() ?? '');
}

describe('LEEME.md', () => {
  const [english, spanish] = [pageOf('README.md'), pageOf('LEEME.md')];
  // All but the AWS walkthrough, which the Spanish page leaves to README.md.
  const parts = [
    part(english, '## See it work', '## In AWS') + part(english, '## Query', '## Read on'),
    part(spanish, '## Para verlo', '## En AWS') + part(spanish, '## Consultar', ''),
  ];

  it('has the commands of README.md except those for AWS, in the same order', () => {
    const [given, translated] = parts.map(commandsIn);
    expect(given?.length).toBeGreaterThan(15);
    expect(translated).toEqual(given);
  });

  it('names what README.md names in these parts: commands, options, files', () => {
    const [given, translated] = parts.map(codeIn);
    expect(given).toContain('--details emitidos');
    expect(translated).toEqual(given);
  });

  it('has the same commands and the same tables in its tables', () => {
    expect(firstColumn(spanish, 'Comando')).toEqual(firstColumn(english, 'Command'));
    expect(firstColumn(spanish, 'Comando')).toContain('`export`');
    expect(firstColumn(spanish, 'Tabla')).toEqual(firstColumn(english, 'Table'));
    expect(firstColumn(spanish, 'Tabla')).toContain('`cambios`');
  });

  it('is found from README.md', () => {
    expect(english).toContain('](LEEME.md)');
  });
});

describe('docs/consultas.md', () => {
  const [english, spanish] = [pageOf('docs/athena.md'), pageOf('docs/consultas.md')];
  const numbers = [
    part(english, '## What the numbers say', '## What the tables read'),
    // The month's close is README.md's.
    part(spanish, '## Qué dicen los números', '## El cierre de un mes'),
  ];
  const queries = [
    part(english, '## Named queries', '### changes-since-close'),
    part(spanish, '## Consultas con nombre', ''),
  ];

  it('has the commands of docs/athena.md, in the same order', () => {
    const [given, translated] = queries.map(commandsIn);
    expect(given).toHaveLength(3);
    expect(translated).toEqual(given);
  });

  it('warns of as many things, and names the same columns, options and conditions', () => {
    const warnings = numbers.map((text) => text.match(/^- \*\*/gm)?.length);
    expect(warnings[0]).toBeGreaterThan(10);
    expect(warnings[1]).toBe(warnings[0]);
    for (const pair of [numbers, queries]) {
      const [given, translated] = pair.map(codeIn);
      expect(translated).toEqual(given);
    }
  });

  it('has every named query under both its names, with the way to its notes', () => {
    const rows = namedQueries().map(
      ({ name, alias }) => `| [\`${name}\`](athena.md#${name}) | \`${alias}\` | `,
    );
    const found = spanish.split('\n').filter((line) => line.startsWith('| [`'));
    expect(found.map((line, place) => line.startsWith(rows[place] ?? '\n'))).toEqual(rows.map(() => true));
  });
});

describe('the Spanish notes of named queries', () => {
  const page = pageOf('docs/consultas.md');

  it.each(namedQueries())(
    'of $name say what docs/consultas.md says, in as many paragraphs as the SQL file',
    (query) => {
      const { summary, notes } = spanishNotes(query.name);
      expect(page).toContain(`\`${query.alias}\` | ${summary} |\n`);
      expect(notes).toHaveLength(query.notes.length);
      // Nothing is left of the language that they were translated from.
      expect(notes.join(' ')).not.toMatch(/\b(the|and|receipts?|which|NULL)\b/);
    },
  );

  it('are those of a workbook that is asked for by a Spanish name', async () => {
    const file = join(newFolder(), 'ventas.xlsx');
    const folder = await madeLakeFolder({ emitidos: [issued('2026-10-05', 'A1')] });
    const line = `query --named ventas-por-mes --month 2026-10 --lake ${folder} --out ${file}`;
    expect((await runLine(line)).code).toBe(0);
    const notes = readWorkbook(readFileSync(file)).at(-1);
    expect([notes?.name, ...['A1', 'A2'].map((at) => notes?.cells.get(at)?.value)]).toEqual([
      'Notas',
      spanishNotes('sales-by-month').summary,
      'Solo del 2026-10-01 al 2026-10-31, en lugar del período que se nombra.',
    ]);
  });
});

describe('docs/excel-power-bi.md', () => {
  const page = pageOf('docs/excel-power-bi.md');
  const [spanish, english] = [part(page, '## Antes', '# Excel and'), part(page, '## First', '# SQL')];

  it('has the same commands in both languages, and names the same columns, files and options', () => {
    expect(commandsIn(spanish)).toHaveLength(4);
    expect(commandsIn(english)).toEqual(commandsIn(spanish));
    expect(codeIn(english)).toEqual(codeIn(spanish));
  });
});
