import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answer, textColumn } from '../../lib/query/answer.ts';
import { FORM_FIELDS, form2181 } from '../../lib/query/form-2181.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain, wordsOf } from '../support/program/run-main.ts';
import { madeLakeFolder } from '../support/query/made-lake.ts';
import { detail, issued, RUT, received, SUPPLIER } from '../support/query/made-receipts.ts';

const COLUMNS = ['rut', 'mes', 'contraparte', 'nombre', 'linea', 'comprobantes', 'importe', 'de_e_tickets'];

function answerOf(...rows: (string | null)[][]): Answer {
  return { columns: COLUMNS.map(textColumn), rows };
}

function rowOf(line: string | null, amount: string | null, tickets: string | null = '0.00') {
  return [RUT, '2026-11-01', '21999983001', 'Ñandú', line, '3', amount, tickets];
}

it('has the fields that docs/formulario-2181.md tells of', () => {
  const page = readFileSync(new URL('../../docs/formulario-2181.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('|---|---|---|---|\n');
  const documented = table
    .split('\n\n')[0]
    ?.split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, 4)
        .map((cell) => cell.trim()),
    );
  const names = { ' ': 'espacios', 0: 'ceros' };
  expect(documented).toEqual(
    FORM_FIELDS.map(({ name, width, filledWith }) => [name, String(width), names[filledWith]]),
  );
});

describe('a line of the file', () => {
  it('has seven fields of fixed widths, each ended by a semicolon', () => {
    const { bytes, lineCount } = form2181(answerOf(rowOf('502', '1234.50'), rowOf('505', '-0.07')), false);
    expect({ lineCount, text: bytes.toString('latin1') }).toEqual({
      lineCount: 2,
      text:
        '211003420017; 2181;202611;021999983001;202611;502;000000001234.50;\r\n' +
        '211003420017; 2181;202611;021999983001;202611;505;-00000000000.07;\r\n',
    });
  });

  it('is refused where an amount has no room, and where a document is no number', () => {
    expect(form2181(answerOf(rowOf('502', '999999999999.99')), false).lineCount).toBe(1);
    expect(form2181(answerOf(rowOf('502', '-99999999999.99')), false).lineCount).toBe(1);
    expect(() => form2181(answerOf(rowOf('502', '-999999999999.99')), false)).toThrow(
      /“Importe” of the file holds 15 characters, and no -999999999999\.99/,
    );
    const strange = rowOf('502', '1.00').with(2, '12A');
    expect(() => form2181(answerOf(strange), false)).toThrow(/“RUT de la contraparte” .* no 12A/);
  });

  it('is left out where that is forced, and told by its counterpart; no amount is in both', () => {
    const rows = [
      rowOf('502', '1.00', '5.00'),
      rowOf('502', '2.00', '6.00').with(2, '12A'),
      rowOf('503', '4.00').with(2, '12A'),
      rowOf('503', '4.00').with(2, '12.5'),
      rowOf('505', '-999999999999.99').with(2, '7'),
      rowOf('505', '8.00').with(2, null),
      rowOf(null, null, null),
    ];
    const { bytes, lineCount, leftOut, noRoom, remarks } = form2181(answerOf(...rows), true);
    expect({ lineCount, text: bytes.toString('latin1') }).toEqual({
      lineCount: 1,
      text: '211003420017; 2181;202611;021999983001;202611;502;000000000001.00;\r\n',
    });
    const said = '5 lines that do not fit the file, to be declared by hand, of 12A, 12.5, 7, no document';
    expect(noRoom?.('en')).toBe(said);
    expect(leftOut?.('en')).toBe(`3 receipts of 1 counterpart are in no line; ${said}`);
    const [, tickets] = remarks.map((remark) => remark('en'));
    expect(tickets).toBe('Amounts of e-Tickets (de_e_tickets) are in 1 line.');
    const many = Array.from({ length: 7 }, (_, at) => rowOf('502', '1.00').with(2, `X${at}`));
    expect(form2181(answerOf(...many), true).leftOut?.('es')).toBe(
      '7 líneas que no entran en el archivo y se declaran a mano, de X0, X1, X2, X3, X4, y 2 más',
    );
  });

  it('is none of what is not accepted, which is told, and refuses nothing', () => {
    const { columns, rows } = answerOf(
      ...['502', null, null].map((line) => rowOf(line, line && '1.00', line && '0.00')),
    );
    const notes = [null, 'sin aceptar', 'sin aceptar'];
    const answer = {
      columns: [...columns, textColumn('nota')],
      rows: rows.map((row, at) => [...row, notes[at] ?? null]),
    };
    const { lineCount, leftOut, notAccepted, remarks } = form2181(answer, false);
    expect({ lineCount, leftOut, notAccepted }).toEqual({ lineCount: 1, leftOut: null, notAccepted: 6 });
    expect(remarks.map((remark) => remark('es'))[0]).toBe(
      'El 2181 no lleva 6 comprobantes emitidos que la DGI no aceptó (observados o sin respuesta).',
    );
    const [, one = []] = answer.rows.map((row) => row.with(COLUMNS.indexOf('comprobantes'), '1'));
    const ofOne = form2181({ ...answer, rows: [one] }, false);
    expect(ofOne.remarks[0]?.('en')).toBe(
      'Form 2181 leaves out 1 issued receipt that the tax authority did not accept (observed or unanswered).',
    );
    expect(ofOne.bytes.length).toBe(0);
    expect(() => form2181({ ...answer, rows: [one, one.with(-1, 'documento ilegible')] }, false)).toThrow(
      /incomplete: 1 receipt of 1 counterpart are in no line/,
    );
  });

  it('that counts e-Tickets is told of', () => {
    const { remarks } = form2181(answerOf(rowOf('505', '5.00', '3.00'), rowOf('506', '5.00')), false);
    const said = remarks.map((remark) => remark('en'));
    expect(said[0]).toBe('Amounts of e-Tickets (de_e_tickets) are in 1 line.');
    expect(said.at(-1)).toMatch(/^This file was never loaded into the tax authority’s own program/);
  });
});

describe('query --named formulario-2181 --format dgi-2181', () => {
  const VAT = JSON.stringify({
    moneda: 'UYU',
    mnt_neto_iva_tasa_basica: 66.5,
    mnt_iva_tasa_basica: 22.5,
    mnt_neto_iva_tasa_minima: 10,
    mnt_iva_tasa_minima: 1,
  });
  // The days of a made lake were never read, and the month may be over.
  const asked = wordsOf(
    `query --named formulario-2181 --rut ${RUT} --month 2026-11 --format dgi-2181 --accept days`,
  );
  const words = (folder: string, ...more: string[]) => [...asked, '--lake', folder, ...more];

  it('writes a month’s file, and refuses one that lacks receipts, unless it is forced', async () => {
    const [sale, credit] = [
      issued('2026-11-03', 'A1'),
      issued('2026-11-04', 'A2', { tipo_comprobante: 112 }),
    ];
    const [bought, unread] = [received('2026-11-05', 'B1'), received('2026-11-06', 'B2')];
    const earlier = received('2026-10-31', 'B3');
    const emitidos_detalle = [
      detail(sale, { totales: VAT }),
      detail(credit, {
        totales: '{"moneda":"USD","mnt_neto_iva_tasa_basica":5,"mnt_iva_tasa_basica":1,"tipo_cambio":40.5}',
      }),
    ];
    const recibidos_detalle = [detail(bought, { totales: '{"mnt_no_gravado":100}' })];
    const lists = { emitidos: [sale, credit], emitidos_detalle, recibidos_detalle };
    const observed = issued('2026-11-07', 'A3', { estado_dgi_codigo: 'CE' });
    const emitidos = [...lists.emitidos, observed];
    const whole = await madeLakeFolder({ ...lists, emitidos, recibidos: [bought, earlier] });
    const file = join(newFolder(), '2181.txt');
    const { code, stdout, stderr } = await runMain(...words(whole, '--out', file));
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Wrote ${file}: 3 rows.\n` });
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'This file was never loaded into the tax authority’s own program',
    );
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'Form 2181 leaves out 1 issued receipt that the tax authority did not accept',
    );
    // 22.50 - 1 · 40.5 = -18.00
    const expected = [
      `${RUT}; 2181;202611;${SUPPLIER};202611;502;-00000000018.00;`,
      `${RUT}; 2181;202611;${SUPPLIER};202611;503;000000000001.00;`,
      `${RUT}; 2181;202611;${SUPPLIER};202611;504;000000000100.00;`,
    ].map((line) => `${line}\r\n`);
    expect(readFileSync(file, 'latin1')).toBe(expected.join(''));

    const lacking = await madeLakeFolder({ ...lists, recibidos: [bought, unread] });
    const refused = await runMain(...words(lacking, '--out', join(newFolder(), 'x.txt')));
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr.replace(/\s+/g, ' ')).toMatch(
      /would be incomplete: 1 receipt of 1 counterpart are in no line\. .* pass --force/,
    );
    const forced = await runMain(...words(lacking, '--force'));
    expect({ code: forced.code, stdout: forced.stdout }).toEqual({ code: 0, stdout: expected.join('') });
    expect(forced.stderr).toContain('Left out, because of --force: 1 receipt of 1 counterpart');
  });

  it.each([
    [['--named', 'vat-by-month', '--format', 'dgi-2181'], /--format dgi-2181 is for --named formulario-2181/],
    [['SELECT 1', '--format', 'dgi-2181'], /--format dgi-2181 is for --named formulario-2181/],
    [['--named', 'form-2181', '--month', '2026-11', '--format', 'dgi-2181'], /give --rut RUT and --month/],
    [['--named', 'form-2181', '--rut', RUT, '--format', 'dgi-2181'], /give --rut RUT and --month/],
    [['--named', 'form-2181', '--force'], /--force is for --format dgi-2181/],
  ])('refuses %j', async (typed, message) => {
    const { code, stdout, stderr } = await runMain('query', ...typed);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });
});
