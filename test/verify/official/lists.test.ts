import { describe, expect, it } from 'vitest';
import { readList } from '../../../lib/verify/official/read-list.ts';
import { valueIn } from '../../../lib/verify/official/reading.ts';

const TITLE = ['CFE Recibidos', 'Desde;01/10/2026;Hasta;31/10/2026'];
const HEADING = 'Fecha;Tipo CFE;Serie;Número;RUT Emisor;Moneda;Monto Total';
const SUPPLIER = '214844360018';

function row(number: number, total = '1.234,56'): string {
  return `15/10/2026;111;A;${number};${SUPPLIER};UYU;${total}`;
}

function listOf(
  lines: readonly string[],
  encoded: (text: string) => Uint8Array = (text) => Buffer.from(text),
) {
  return readList({ bytes: encoded(lines.join('\r\n')), sheet: undefined });
}

async function numbersOf(lines: readonly string[]) {
  const { receipts, strange } = await listOf(lines);
  return [receipts.map(({ number }) => valueIn(number)), strange.map(({ row: at }) => at)];
}

describe('quotation marks', () => {
  it.each([
    [
      'never closed',
      ['15/10/2026;111;A;1;214844360018;"El Sol;UYU;1,50', row(2)],
      'never closed, from its row 4',
    ],
    [
      'inside a cell',
      ['15/10/2026;111;A;1;214844360018;El "Sol;UYU;1,50', row(2)],
      'inside a cell, in its row 4',
    ],
    [
      'closed too early',
      ['15/10/2026;111;A;1;214844360018;"El" Sol;UYU;1,50'],
      'inside a cell, in its row 4',
    ],
  ])('%s: the row is named', async (_, rows, message) => {
    const heading = HEADING.replace('Moneda', 'Razón social;Moneda');
    await expect(listOf([...TITLE, heading, ...rows])).rejects.toThrow(message);
  });

  it('around cells, with separators, line breaks and doubled marks, are read', async () => {
    const heading = HEADING.replace('Moneda', 'Nombre;Moneda');
    const quoted = `"15/10/2026";"111";"A";"5001";"${SUPPLIER}";"El ""Sol""; S.A.\r\nAnexo";"UYU";"1.234,56"`;
    const { receipts } = await listOf([...TITLE, heading, quoted]);
    expect(receipts.map(({ number, total }) => [valueIn(number), valueIn(total)])).toEqual([
      [5001, 123_456n],
    ]);
  });
});

it('texts that a spreadsheet should keep as they are are read as what is in them', async () => {
  const { receipts } = await listOf([
    ...TITLE,
    HEADING,
    `15/10/2026;="111";A;="0005001";="${SUPPLIER}";UYU;="1.234,56"`,
    `15/10/2026;111;A;5002;${SUPPLIER};UYU;"=""1.234,57"""`,
  ]);
  expect(receipts.map(({ number, total }) => [valueIn(number), valueIn(total)])).toEqual([
    [5001, 123_456n],
    [5002, 123_457n],
  ]);
});

it.each([
  ['sorted with its heading', [row(1), HEADING, row(2)], [[2], [1]]],
  ['sorted, below its title', [...TITLE, row(1), HEADING, row(2)], [[2], [TITLE.length + 1]]],
  [
    'in sections',
    ['Fecha;Tipo;Serie;Número;Total', '15/10/2026;101;A;7;99.000,00', '', HEADING, row(2)],
    [[2], [2]],
  ],
  [
    'in sections, the better heading first',
    [HEADING, row(1), 'Fecha;Tipo;Serie;Número;Total', '15/10/2026;101;A;7;99.000,00'],
    [[1, 7], [3]],
  ],
])('receipts of a list %s are told', async (_how, lines, expected) => {
  expect(await numbersOf(lines)).toEqual(expected);
});

it.each([['Tipo;111;Desde;01/10/2026;RUT;219999830019'], ['01/10/2026;al;31/10/2026;;219999830019']])(
  '%j above the heading is no receipt',
  async (line) => {
    expect(await numbersOf([line, HEADING, row(1)])).toEqual([[1], []]);
  },
);

describe('a row that is torn', () => {
  it.each([
    ['its cents in a column of notes', `${HEADING.replaceAll(';', ',')},Notas`, '122,50,'],
    ['its cents beyond the headings', HEADING.replaceAll(';', ','), '122,50'],
  ])('is told, %s', async (_where, heading, cells) => {
    const receipt = row(1).split(';').slice(0, -1).join(',');
    expect(await numbersOf([heading, `${receipt},${cells}`])).toEqual([[], [2]]);
  });

  it.each([
    ['with a comma more than its heading', '122,,'],
    ['with a comma more, and with another total that has cents', '122,30,', '122.50,,'],
    ['with a comma more, and a branch beside a total with its decimals', '122.00,2,'],
    ['with a comma more, and a zero', '122,0,'],
  ])('is none %s', async (_how, ...ends) => {
    const receipt = row(1).split(';').slice(0, -1).join(',');
    const lines = ends.map((end) => `${receipt},${end}`);
    const numbers = ends.map(() => 1);
    expect(await numbersOf([`${HEADING.replaceAll(';', ',')},Notas`, ...lines])).toEqual([numbers, []]);
  });

  const heading = HEADING.replace('Moneda', 'Nombre;Moneda');

  it('by a line break in a name leaves a receipt without its total, and a row that was not read', async () => {
    const torn = [`15/10/2026;111;A;1;${SUPPLIER};El Sol`, 'S.A.;UYU;1.234,56'];
    const { receipts, strange } = await listOf([...TITLE, heading, ...torn]);
    expect(receipts.map(({ total }) => total.state)).toEqual(['absent']);
    expect(strange).toEqual([{ row: 5, text: 'S.A. UYU 1.234,56' }]);
  });

  it('by a separator in a name or an amount is not read', async () => {
    const commas = [HEADING.replaceAll(';', ','), `15/10/2026,111,A,1,${SUPPLIER},UYU,1.234,56`];
    expect(await numbersOf(commas)).toEqual([[], [2]]);
    expect(await numbersOf([...TITLE, heading, `15/10/2026;111;A;1;${SUPPLIER};Sol; S.A.;UYU;1,50`])).toEqual(
      [[], [4]],
    );
  });

  it.each(['Fuentes, Pedro', 'Pagani, Ana', 'TOTAL GAZ, SUCURSAL URUGUAY', 'Nota, Luis'])(
    'is no total and no note though it begins as one, with %s',
    async (name) => {
      const lines = ['Nombre', ...HEADING.split(';')].join(',');
      const receipt = ['', '15/10/2026', '111', 'A', '1', SUPPLIER, 'UYU', '100.00'].join(',');
      const torn = `${name}${receipt.replace(',A,1,', ',A,7,')}`;
      expect(await numbersOf([lines, `Sol${receipt}`, torn, 'TOTAL,,,,,,,100.00'])).toEqual([[1], [3]]);
    },
  );

  it.each([
    ['as one cell', `"TOTAL GAZ, SUCURSAL;15/10/2026;111;A;7001;${SUPPLIER};UYU;48800"`],
    ['with the last column blank', `Total Gas; S.A.;15/10/2026;111;A;7001;${SUPPLIER};UYU;122,00;`],
    ['of which the issuer is not named', 'Fuentes; S.A.;15/10/2026;111;A;7001;;UYU;122,00;'],
    ['as one cell, of a consumer', '"Fuentes, Pedro;15/10/2026;101;A;7001;;98000"'],
    ['with the name of its type', 'Total Gas; S.A.;15/10/2026;e-Factura;A;1003;;UYU;1.220,00;'],
  ])('is no total and no note though it begins as one, %s', async (_how, torn) => {
    expect(await numbersOf([`Nombre;${HEADING};Retenido`, `Sol;${row(1)};0`, torn])).toEqual([[1], [3]]);
  });

  it.each([
    'TOTAL;;;;;;;1.234,56;0',
    'Total del 01/10/2026 al 31/10/2026;;;;153;;;1.234,56;0',
    'Generado;05/11/2026;10:32',
    'Cantidad de comprobantes: 153',
  ])('is not “%s”, which is a total or a note', async (last) => {
    expect(await numbersOf([`Nombre;${HEADING};Retenido`, `Sol;${row(1)};0`, last])).toEqual([[1], []]);
  });

  it('with a name that begins as a note is a receipt whose other cells can be read or not', async () => {
    const lines = [`Nombre;${HEADING}`, `Pagani;15-10;cien;A;?;?;UYU;1,00`, 'Fin de la lista'];
    expect(await numbersOf(lines)).toEqual([[], [2]]);
  });

  it('without its number is a receipt whose number is not known', async () => {
    expect(
      await numbersOf([...TITLE, HEADING, row(1), `15/10/2026;111;A;;${SUPPLIER};UYU;1.234,56`]),
    ).toEqual([[1, null], []]);
    expect(await numbersOf([...TITLE, HEADING, '15/10/2026;111;;;Total Uruguay S.A.;UYU;9,00'])).toEqual([
      [null],
      [],
    ]);
  });

  it('not parted at all is no note', async () => {
    expect(await numbersOf([...TITLE, HEADING, row(1), row(2).replaceAll(';', '|')])).toEqual([[1], [5]]);
  });
});

it.each([
  'Totales;;;;;;2.469,12',
  ';;;;;Total;2.469,12',
  ';;;;;;2.469,12',
  'Gran total;;;;;;2.469,12',
  'Subtotal 111;;;;;;45123,50',
  'Generado;05/11/2026',
  'Exportado el 05/11/2026 por usuario 123456',
  'Cantidad de comprobantes: 2',
  'Página 1 de 1',
  'Fin del listado',
  ';;;;;;',
  '',
  HEADING,
])('%j below the receipts is none of them, and no fault', async (line) => {
  expect(await numbersOf([...TITLE, HEADING, row(1), row(2), line])).toEqual([[1, 2], []]);
});

it.each([['1;2;3'], [';;;;;;1,50'], ['¿qué es 12345678?'], ['5001']])(
  '%j between receipts was not read',
  async (line) => {
    expect(await numbersOf([...TITLE, HEADING, row(1), line, row(2)])).toEqual([[1, 2], [5]]);
  },
);

it.each([
  // A counter, the document of the issuer and a branch are no number of a receipt.
  ['N°;Fecha;Tipo CFE;Serie;Número;RUT Emisor;Moneda;Monto Total', 'numero', 'Número'],
  ['N°;Fecha;Tipo;Serie;Nro.;Nro. Doc. Emisor;Total', 'numero', 'Nro.'],
  ['Nro.;Fecha;Tipo CFE;Serie;Nro. CFE;RUT Emisor;Total', 'numero', 'Nro. CFE'],
  ['Nro. Doc. Emisor;Fecha;Tipo;Serie;Numero;Total', 'emisor', 'Nro. Doc. Emisor'],
  ['Tipo Doc. Emisor;Doc. Emisor;Fecha;Tipo;Serie;Numero;Total', 'emisor', 'Doc. Emisor'],
  ['RUT Receptor;Fecha;Tipo;Serie;Numero;RUT Emisor;Total', 'emisor', 'RUT Emisor'],
  ['Razón Social Emisor;RUT;Fecha;Tipo;Serie;Numero;Total', 'emisor', 'RUT'],
  ['Tipo de cambio;Fecha;Tipo de comprobante;Serie;Numero;Total', 'tipo', 'Tipo de comprobante'],
  ['Fecha de firma;Fecha de emisión;Tipo;Serie;Numero;Total', 'fecha', 'Fecha de emisión'],
  ['Fecha;Tipo;Serie;Numero;Total a pagar;Total Retenido;Monto Total', 'total', 'Monto Total'],
  ['Fecha;Tipo;Serie;Numero;Total Ret./Perc.;Importe', 'total', 'Importe'],
  ['Fecha;Tipo;Serie;Numero;Neto 22%;Neto 10%;IVA 22%;IVA 10%;Total', 'iva', 'IVA 22% + IVA 10%'],
  [
    'Fecha;Tipo;Serie;Numero;Neto 22%;Neto 10%;No gravado;IVA 22%;Total',
    'neto',
    'Neto 22% + Neto 10% + No gravado',
  ],
  ['Fecha;Tipo;Serie;Numero;Monto Neto;Neto IVA Tasa Básica;Total', 'neto', 'Monto Neto'],
  ['Fecha;Tipo;Serie;Numero;Neto 22%;Neto 10%;Total', 'gravado', 'Neto 22% + Neto 10%'],
  ['Fecha;Tipo;Serie;Numero;Monto Gravado;IVA;Total', 'gravado', 'Monto Gravado'],
  ['Fecha;Tipo;Serie;Numero;Monto Gravado;Exento;IVA;Total', 'neto', 'Monto Gravado + Exento'],
  ['Fecha;Tipo;Serie;Numero;Monto No Gravado;IVA;Total', 'neto', undefined],
  ['Fecha;Tipo;Serie;Numero;Monto No Gravado;IVA;Total', 'gravado', undefined],
  ['Fecha;Tipo;Serie;Numero;Neto;% IVA;IVA;Total', 'iva', 'IVA'],
  ['Fecha;Tipo;Serie;Numero;Neto;IVA (%);IVA;Total', 'iva', 'IVA'],
  ['Fecha;Tipo;Serie;Número;Nro. Documento;Total', 'numero', 'Número'],
  ['Fecha;Tipo;Serie-Número;RUT Emisor;Total', 'serieNumero', 'Serie-Número'],
  ['Monto moneda nacional;Cod. moneda;Fecha;Tipo;Serie;Numero;Total', 'moneda', 'Cod. moneda'],
  [
    'Fecha;TipoCFE;Serie;Nro;RUCEmisor;MntNetoIVATasaBasica;MntIVATasaBasica;MntTotal;MntPagar',
    'total',
    'MntTotal',
  ],
  ['fechaEmision;tipoCfe;serie;numero;rutEmisor;montoTotal', 'fecha', 'fechaEmision'],
])('of %j, %s is %j', async (heading, field, expected) => {
  const { columns } = await listOf([heading]);
  expect(columns.get(field)).toBe(expected);
});

it.each([
  ['Fecha;Tipo;Serie;Número;Total;Total', 'two columns that may be its total: "Total" (E), "Total" (F)'],
  ['Fecha;Tipo;Serie;Número;Total a pagar', 'its heading in row 1 has no column of the total'],
  ['Tipo;Serie;Número;Total', 'no column of the date'],
  ['Fecha;Importe', 'none of its first 30 rows is a heading'],
])('%j is refused', async (heading, message) => {
  await expect(listOf([heading])).rejects.toThrow(message);
});

it('net and VAT in columns by rate are summed', async () => {
  const heading = HEADING.replace(
    'Monto Total',
    'Neto IVA Tasa Básica;IVA Tasa Básica;Neto IVA Tasa Mínima;IVA Tasa Mínima;Monto Total;Total Retenido;Total a pagar',
  );
  const { receipts } = await listOf([
    ...TITLE,
    heading,
    row(1, '1.000,00;220,00;100,00;10,00;1.330,00;0,00;1.330,00'),
  ]);
  expect(receipts.map(({ net, vat, total }) => [net, vat, total].map(valueIn))).toEqual([
    [110_000n, 23_000n, 133_000n],
  ]);
});

describe('an amount of three digits after one sign', () => {
  it.each([
    [
      ['1.234', '10,50'],
      [123_400, 1050],
    ],
    [
      ['1,234', '10.50'],
      [123_400, 1050],
    ],
    [
      ['1.234', '500'],
      [null, 50_000],
    ],
    [
      ['1.234', '1.234,00', '1,234.00'],
      [null, 123_400, 123_400],
    ],
  ])('%j are %j', async (texts, expected) => {
    const { receipts } = await listOf([
      ...TITLE,
      HEADING,
      ...texts.map((text, index) => row(index + 1, text)),
    ]);
    const hundredths = receipts.map(({ total }) => valueIn(total));
    expect(hundredths.map((value) => (value === null ? null : Number(value)))).toEqual(expected);
  });

  it('is as the list’s other amounts, where its own column does not tell', async () => {
    const heading = HEADING.replace('Monto Total', 'IVA;Monto Total');
    const { receipts } = await listOf([...TITLE, heading, row(1, '12,50;1.234')]);
    expect(receipts.map(({ total }) => valueIn(total))).toEqual([123_400n]);
  });
});

describe('an amount with a currency’s sign', () => {
  it.each([
    ['USD', 'U$S 577,06', 'USD', 'read'],
    ['UYU', '$U 577,06', 'UYU', 'read'],
    ['UYU', 'UYU 577,06 $', 'UYU', 'read'],
    ['USD', '$ 577,06', 'USD', 'read'],
    ['UYU', 'U$S 577,06', 'UYU', 'unreadable'],
    ['USD', '577,06 UYU', 'USD', 'unreadable'],
    ['USD', '€577,06', 'USD', 'unreadable'],
    ['UYU', 'Ｕ$Ｓ 577,06', 'UYU', 'unreadable'],
    ['UYU', '($U 577,06) U$S', 'UYU', 'unreadable'],
    ['', 'U$S 577,06', 'USD', 'read'],
    ['', '$ 577,06', null, 'read'],
    ['', '$U 577,06 U$S', null, 'unreadable'],
    ['peso de Marte', 'U$S 577,06', null, 'read'],
  ])('%j beside %j: of %j, %s', async (currency, text, expected, state) => {
    const { receipts } = await listOf([...TITLE, HEADING, row(1, text).replace(';UYU;', `;${currency};`)]);
    expect(receipts.map((receipt) => [valueIn(receipt.currency), receipt.total.state])).toEqual([
      [expected, state],
    ]);
  });

  it('makes a net that says another currency than its row unreadable, and not its total', async () => {
    const heading = HEADING.replace('Monto Total', 'Neto 22%;Neto 10%;Monto Total');
    const { receipts } = await listOf([...TITLE, heading, row(1, '1,00;U$S 2,00;3,00')]);
    expect(receipts.map(({ net, total }) => [net.state, total.state])).toEqual([['unreadable', 'read']]);
  });
});

const OCTOBER = { from: '2026-10-01', to: '2026-10-31' };

it.each([
  [['Desde;01/10/2026', 'Hasta;31/10/2026'], OCTOBER],
  [['Período: 01/10/2026 al 31/10/2026'], OCTOBER],
  [['Desde 1/10/26 hasta 31/10/26'], OCTOBER],
  [['Del 1 de octubre de 2026 al 31 de octubre de 2026'], OCTOBER],
  [['Fecha desde;2026-10-01;Fecha hasta;2026-10-31', 'Generado;05/11/2026 10:15'], OCTOBER],
  [['Generado el 05/11/2026 a las 10:15', 'Desde;01/10/2026;Hasta;31/10/2026'], OCTOBER],
  [['Fecha de emisión del reporte: 05/11/2026', '01-oct-2026;31-oct-2026'], OCTOBER],
  [['Fecha de emisión desde 01/10/2026 hasta 31/10/2026'], OCTOBER],
  [['Fecha de emisión desde;01/10/2026;hasta;31/10/2026'], OCTOBER],
  [['Fecha de emisión;Desde;01/10/2026;Hasta;31/10/2026'], OCTOBER],
  [['Fecha de emisión: 01/10/2026 - 31/10/2026'], OCTOBER],
  [['Fecha de emisión;01/10/2026;al;31/10/2026'], OCTOBER],
  [['Fecha de consulta;05/11/2026;Desde;01/10/2026;Hasta;31/10/2026'], OCTOBER],
  [['Desde;01/10/2026;Fecha de consulta;05/11/2026', 'Hasta;31/10/2026'], OCTOBER],
  [['Desde;Hasta;Fecha de consulta', '01/10/2026;31/10/2026;05/11/2026'], OCTOBER],
  [['Consulta del 01/10/2026 00:00 hs al 31/10/2026 23:59 hs'], OCTOBER],
  [['Consulta del 05/11/2026, entre el 01/10/2026 y el 31/10/2026'], OCTOBER],
  [['Consulta: 05/11/2026 10:15; Período;01/10/2026;31/10/2026'], OCTOBER],
  [['Inicio de actividades;01/03/2010', 'Del 01/10/2026 al 31/10/2026'], OCTOBER],
  [['Desde;01/10/2026;Hasta;31/10/2026', 'CAE válido hasta;31/12/2027', 'Cierre;31/12/2026'], OCTOBER],
  [
    [
      'Fecha de firma desde 01/09/2026 hasta 05/11/2026',
      'Fecha de emisión desde 01/10/2026 hasta 31/10/2026',
    ],
    OCTOBER,
  ],
  [['Consulta de CFE recibidos', '01/10/2026;31/10/2026'], OCTOBER],
  [['Período: 10/2026'], OCTOBER],
  [['Consulta;05/11/2026;Período: 10/2026'], OCTOBER],
  [['Período: 10/2026', 'Inicio de actividades;01/03/2010'], OCTOBER],
  [['Mes: octubre 2026', 'Período octubre de 2026, generado el 5 de noviembre de 2026'], OCTOBER],
  [['Desde: 10/01/2026', 'Hasta: 10/31/2026'], OCTOBER],
  [['Período: 10/2026', 'Desde 01/10/2026 hasta 31/10/2026'], OCTOBER],
  // Two that differ say none.
  [['Período: 10/2026 a 11/2026'], undefined],
  [['Período: octubre - noviembre 2026'], undefined],
  // Other dates, numbers and months of a title say nothing of its period.
  [
    ['Generado: 11/25/2026, 10:22:01 AM', 'Desde 01/10/2026 hasta 12/10/2026'],
    { from: '2026-10-01', to: '2026-10-12' },
  ],
  [['Gestión v4.16.2', '01/10/2026 al 12/10/2026'], { from: '2026-10-01', to: '2026-10-12' }],
  [['Contribuyente: PEREZ JULIO;Período: 01/10/2026 al 31/10/2026;Ejercicio 2026'], OCTOBER],
  [['Mes de cargo: noviembre 2026', 'Período: 01/10/2026 al 31/10/2026'], OCTOBER],
  [['Contribuyente: PEREZ JULIO;Período: 10/2026'], OCTOBER],
  [['18 de Julio esq. Ejido;Mes: 10/2026'], OCTOBER],
  [['Generado 05/11/2026'], undefined],
  [['Fecha de consulta;05/11/2026', 'Hasta;05/11/2026'], undefined],
  [['Consulta del 05/11/2026'], undefined],
  [['Período: 15/10/2026'], undefined],
  [['Fecha de vencimiento desde 01/11/2026 hasta 30/11/2026'], undefined],
  [['Desde 01/10/2026 hasta 31/10/2026', 'Desde 01/09/2026 hasta 30/09/2026'], undefined],
])('%j above the heading says %j', async (above, expected) => {
  const { days, receipts } = await listOf(['CFE Recibidos', ...above, HEADING, row(1)]);
  expect({ days, receipts: receipts.length }).toEqual({ days: expected, receipts: 1 });
});

it.each([
  ['CFE Recibidos', 'recibidos'],
  ['CFE Emitidos; Estado: Recibido por DGI', 'emitidos'],
  ['Comprobantes recibidos', 'recibidos'],
  ['Consulta de CFE emitidos;Recibidos por DGI', 'emitidos'],
  ['Comprobantes', undefined],
])('%j is the title of %s', async (title, expected) => {
  const { direction } = await listOf([title, HEADING, row(1)]);
  expect(direction).toBe(expected);
});

describe('a text', () => {
  const lines = [...TITLE, HEADING, row(5001)];
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  it.each<[string, (text: string) => Uint8Array]>([
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16, as Excel saves Unicode text', (text) => utf16(`\ufeff${text}`)],
    ['UTF-16 with the other mark', (text) => utf16(`\ufeff${text}`).swap16()],
    ['UTF-16 without a mark', utf16],
    ['Windows-1252', (text) => Buffer.from(text, 'latin1')],
  ])('in %s is read', async (_, encoded) => {
    const { receipts, columns } = await listOf(lines, encoded);
    expect({ receipts: receipts.length, numero: columns.get('numero') }).toEqual({
      receipts: 1,
      numero: 'Número',
    });
  });

  it.each([';', ',', '\t', '|'])('parted by %j is read', async (separator) => {
    const parted = lines.map((line) =>
      line
        .split(';')
        .map((cell) => (cell.includes(separator) ? `"${cell}"` : cell))
        .join(separator),
    );
    for (const all of [parted, [`sep=${separator}`, ...parted]]) {
      const { receipts } = await listOf(all);
      expect(receipts.map(({ total }) => valueIn(total))).toEqual([123_456n]);
    }
  });

  it.each([['\n'], ['\r'], ['\r\n']])('with lines that end in %j is read', async (end) => {
    const { receipts } = await readList({ bytes: Buffer.from(lines.join(end)), sheet: undefined });
    expect(receipts.map(({ row: at, total }) => [at, valueIn(total)])).toEqual([[4, 123_456n]]);
  });

  it('with RUTs and numbers that were kept as texts is read', async () => {
    const kept = `15/10/2026;="111";A;'5001;="${SUPPLIER}";UYU;1.234,56`;
    const { receipts } = await listOf([...TITLE, HEADING, kept]);
    expect(
      receipts.map(({ type, number, issuer }) => [valueIn(type), valueIn(number), valueIn(issuer)]),
    ).toEqual([[111, 5001, SUPPLIER]]);
  });

  it.each([
    [
      'a web page',
      '<html><table><tr><td>Fecha</td></tr></table>',
      'it is a web page, whatever its name says',
    ],
    ['a PDF', '%PDF-1.7', 'it is a PDF'],
    ['of bytes', 'a\0b\0\0c', 'it is no text and no workbook'],
    [
      'with an endless cell',
      `${HEADING}\n"${'rut '.repeat(10_000)}"`,
      'a cell of more than 32,767 characters',
    ],
    ['with too many cells', `${HEADING}\n${';'.repeat(600)}x`, 'more than 500 cells'],
  ])('that is %s is refused', async (_, text, message) => {
    await expect(listOf([text])).rejects.toThrow(message);
  });
});
