import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDay } from '../../../lib/time/days.ts';
import { isValidRut, rutCheckDigit } from '../../../lib/units/rut.ts';
import { amountOf } from '../../../lib/verify/official/amounts.ts';
import { currencyOf } from '../../../lib/verify/official/currency-names.ts';
import { dateOf, dateOrderOf } from '../../../lib/verify/official/dates.ts';
import { issuerOf, numberOf, typeOf } from '../../../lib/verify/official/identities.ts';
import { valueIn } from '../../../lib/verify/official/reading.ts';
import type { TableCell } from '../../../lib/verify/official/table.ts';

const UNREADABLE = 'unreadable';

function amountIn(text: TableCell, mark?: '.' | ',') {
  const reading = amountOf(text, mark);
  return reading.state === 'read' ? reading.value : reading.state;
}

describe('an amount', () => {
  const cents = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n });
  const grouped = (whole: bigint, mark: string) => whole.toLocaleString('en').replaceAll(',', mark);

  it('is the same to the cent in whatever form programs write it', () => {
    fc.assert(
      fc.property(cents, (value) => {
        const [whole, fraction] = [value / 100n, String(value % 100n).padStart(2, '0')];
        const bodies = [
          `${whole},${fraction}`,
          `${whole}.${fraction}`,
          `${whole}.${fraction}00`,
          ...['.', ' ', '\u00a0', '\u202f', "'", '’'].map((mark) => `${grouped(whole, mark)},${fraction}`),
          ...[',', ' ', "'"].map((mark) => `${grouped(whole, mark)}.${fraction}`),
        ];
        const forms = [
          '#',
          '(#)',
          '#-',
          '-#',
          '−#',
          '$ #',
          '$U #',
          'U$S#',
          '$ (#)',
          '-$ #',
          '$ -#',
          '# UYU',
          'USD #',
          ' # ',
        ];
        for (const form of bodies.flatMap((body) => forms.map((pattern) => pattern.replace('#', body))))
          expect(amountIn(form), form).toEqual(value);
        if (value < 10n ** 15n)
          expect(amountIn({ number: String(Number(`${whole}.${fraction}`)) })).toBe(value);
      }),
    );
  });

  it('that may be thousands or decimals is read only by what its column says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 999 }), (head, tail) => {
        const group = String(tail).padStart(3, '0');
        expect(amountIn(`${head}.${group}`)).toBe(UNREADABLE);
        expect(amountIn(`${head}.${group}`, ',')).toBe(BigInt(head * 1000 + tail) * 100n);
        expect(amountIn(`${head},${group}`, '.')).toBe(BigInt(head * 1000 + tail) * 100n);
        const thousandths = BigInt(head * 1000 + tail);
        expect(amountIn(`${head}.${group}`, '.')).toBe(
          thousandths % 10n === 0n ? thousandths / 10n : UNREADABLE,
        );
      }),
    );
  });

  it.each(['-', '–', '$ -', '$ - ', '--', '0', '0,00', '(0,00)', '$0.00'])('%s is zero', (text) => {
    expect(amountIn(text)).toBe(0n);
  });

  it.each(['', ' ', '\u00a0'])('%j is absent', (text) => {
    expect(amountIn(text)).toBe('absent');
  });

  it.each([
    '1.234,5x',
    '12..5',
    '1.23.456',
    '1,2345',
    '1.2E+05',
    '#N/A',
    '$',
    '(5',
    '--5',
    '(-5,00)',
    '15/10/2026',
    'TRUE',
    '1 2',
    '0.005',
    `1${'0'.repeat(100)}`,
  ])('%s is none', (text) => {
    expect(amountIn(text)).toBe(UNREADABLE);
  });

  it.each([
    ['1234.5599999999999', 123_456n],
    ['1.2345600000000001E3', 123_456n],
    ['5E-3', UNREADABLE],
    ['1E6', 100_000_000n],
    ['-0.1', 10n],
    ['1E999', UNREADABLE],
  ])('a workbook’s number %s is %s', (number, expected) => {
    expect(amountIn({ number })).toBe(expected);
  });

  it('is never another than a plain reading of its text, whatever the text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789.,- ()$'), maxLength: 12 });
    fc.assert(
      fc.property(text, fc.constantFrom<'.' | ',' | undefined>('.', ',', undefined), (written, mark) => {
        const reading = amountOf(written, mark);
        if (reading.state !== 'read') return;
        const digits = written.replace(/\D/g, '');
        // All digits, in order, with the point in one of the places that a sign marks.
        const places = [...written.matchAll(/[.,]/g)].map(
          ({ index }) => written.slice(index).replace(/\D/g, '').length,
        );
        const values = [0, ...places].map(
          (place) => (BigInt(digits || '0') * 100n * 10n ** 12n) / 10n ** BigInt(place),
        );
        expect(values).toContain(reading.value * 10n ** 12n);
      }),
    );
  });
});

describe('a date', () => {
  const day = fc
    .date({ min: new Date('2012-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const MONTHS =
    'enero,febrero,marzo,abril,mayo,junio,julio,agosto,setiembre,octubre,noviembre,diciembre'.split(',');

  it('is the same in whatever form programs write it', () => {
    fc.assert(
      fc.property(day, (text) => {
        const [y = '', m = '', d = ''] = text.split('-');
        const name = MONTHS[Number(m) - 1] ?? '';
        const serial = String((Date.parse(text) - Date.parse('1899-12-30')) / 86_400_000);
        const short = name.slice(0, 3);
        const forms = [
          `${d}/${m}/${y}`,
          `${Number(d)}/${Number(m)}/${y}`,
          `${d}-${m}-${y}`,
          `${d}.${m}.${y}`,
          `${d}/${m}/${y.slice(2)}`,
          text,
          `${y}/${m}/${d}`,
          `${y}.${m}.${d}`,
          `${y}${m}${d}`,
          `${text}T10:22:33`,
          `${d}/${m}/${y} 10:22`,
          `${d}/${m}/${y} 10:22:33 a. m.`,
          `${d}-${short}-${y}`,
          `${d}-${short.toUpperCase()}.-${y.slice(2)}`,
          `'${d}/${m}/${y}`,
          `${Number(d)} de ${name} de ${y}`,
          `${d} ${name} ${y}`,
          serial,
          `${serial}.4375`,
          `${serial},5`,
        ];
        for (const form of forms) expect(valueIn(dateOf(form, 'day first')), form).toEqual(text);
        expect(valueIn(dateOf({ number: serial }, undefined))).toBe(text);
        expect(valueIn(dateOf(`${m}/${d}/${y}`, 'month first'))).toBe(text);
      }),
    );
  });

  it.each([
    ['jueves, 15 de octubre de 2026', '2026-10-15'],
    ['jue 15/10/2026', '2026-10-15'],
    ['mar 13/10/2026', '2026-10-13'],
    ['Oct 15, 2026', '2026-10-15'],
    ['15 Sept 2026', '2026-09-15'],
    ['10/15/2026', '2026-10-15'],
  ])('%s is %s', (text, expected) => {
    expect(valueIn(dateOf(text, 'day first'))).toBe(expected);
  });

  it.each([
    '15 de octubre',
    '15-oct',
    '10/2026',
    '31/02/2026',
    '00/10/2026',
    '2026',
    'ayer',
    '15/10/20266',
    '1/1/1926',
    '99999999',
    '#####',
    '15-foo-2026',
    '1.234,56',
    '15/10-2026',
  ])('%s is none', (text) => {
    expect(dateOf(text, 'day first').state).toBe(UNREADABLE);
  });

  it('that may be of two months is read as its column shows', () => {
    expect(dateOrderOf(['05/06/2026', '13/06/2026'])).toBe('day first');
    expect(dateOrderOf(['05/06/2026', '06/13/2026'])).toBe('month first');
    expect(dateOrderOf(['05/06/2026'])).toBe('day first');
    expect(dateOrderOf(['13/06/2026', '06/13/2026'])).toBeUndefined();
    expect(dateOf('05/06/2026', undefined).state).toBe(UNREADABLE);
    expect(valueIn(dateOf('05/06/2026', 'month first'))).toBe('2026-05-06');
  });

  it('is a day that exists, or none, whatever the text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789/-. deoct'), maxLength: 14 });
    fc.assert(
      fc.property(text, (written) => {
        const found = valueIn(dateOf(written, 'day first'));
        expect(found === null || isDay(found)).toBe(true);
      }),
    );
  });
});

describe('a RUT', () => {
  const rut = fc
    .tuple(fc.integer({ min: 1, max: 22 }), fc.integer({ min: 1, max: 999_999 }))
    .map(([prefix, number]) => `${String(prefix).padStart(2, '0')}${String(number).padStart(6, '0')}001`)
    .filter((eleven) => rutCheckDigit(eleven) !== undefined)
    .map((eleven) => `${eleven}${rutCheckDigit(eleven)}`);

  it('is the same in whatever form programs write it', () => {
    fc.assert(
      fc.property(rut, (digits) => {
        const bare = digits.replace(/^0/, '');
        const dotted = `${digits.slice(0, 2)}.${digits.slice(2, 8)}.001-${digits.slice(11)}`;
        const scientific = `${bare.slice(0, 1)},${bare.slice(1)}E+${bare.length - 1}`;
        const texts = [
          digits,
          ` ${digits} `,
          `'${digits}`,
          `="${digits}"`,
          dotted,
          `${bare}.0`,
          `${bare},00`,
          bare,
          scientific,
        ];
        for (const text of texts) expect(valueIn(issuerOf(text)), text).toEqual(digits);
        expect(valueIn(issuerOf({ number: bare }))).toBe(digits);
      }),
    );
  });

  it.each(['2,14844E+11', '2.14844E+11', 'S/N', '#N/A', '2,1484436E+11'])(
    '%s has lost its digits',
    (text) => {
      expect(issuerOf(text).state).toBe(UNREADABLE);
    },
  );

  it('is valid or as it was written, whatever the digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,14}$/), (digits) => {
        const found = valueIn(issuerOf(digits)) ?? '';
        expect(found === digits || (isValidRut(found) && Number(found) === Number(digits))).toBe(true);
      }),
    );
  });
});

it.each([
  ['5001', 5001],
  ['5001.0', 5001],
  ['5.001', 5001],
  ['1,234,567', 1_234_567],
  ['0005001', 5001],
  ['5.000', undefined],
  ['doce', undefined],
  ['0', undefined],
  ['12.5', undefined],
  ['-5', undefined],
])('the number %s is %s', (text, expected) => {
  expect(valueIn(numberOf(text)) ?? undefined).toBe(expected);
});

it.each([
  ['101', 101],
  ['111 - e-Factura', 111],
  ['e-Factura (111)', 111],
  ['E-TICKET', 101],
  ['Nota de Crédito de e-Factura', 112],
  ['NC e-Ticket', 102],
  ['N/C e-Ticket', 102],
  ['e-Factura Nota de Débito', 113],
  ['Nota Crédito e-Factura Exportación', 122],
  ['e-Remito de Exportación', 124],
  ['NC e-Factura Vta. por Cta. Ajena', 142],
  ['e-Boleta de entrada', 151],
  ['e-Resguardo', 182],
  ['Resguardo', 182],
  ['Remito', undefined],
  ['Nota de crédito de e-Ticket contingencia', 202],
  ['Factura electrónica', 111],
  ['Nota de Crédito', undefined],
  ['Factura', undefined],
  ['e-Factura Crédito', undefined],
  ['999', undefined],
  ['NC e-Resguardo', undefined],
])('the type %s is %s', (text, expected) => {
  expect(valueIn(typeOf(text)) ?? undefined).toBe(expected);
});

it.each([
  ...['$', '$U', 'UYU', '858', 'Pesos', 'UYU - Peso uruguayo', '858.0'].map((text) => [text, 'UYU']),
  ...[
    'U$S',
    'US$',
    'U$',
    'USD',
    '840',
    '2225',
    'DÓLARES',
    'Dólar USA',
    'DLS. USA BILLETE',
    'USD - Dólar',
  ].map((text) => [text, 'USD']),
  ...[
    'DLS. USA CABLE',
    'DLS. USA FDO BCU',
    'DOLAR HONG KONG',
    'USD/EUR',
    'USD - Dólar canadiense',
    'ABC',
  ].map((text) => [text, undefined]),
  ['€', 'EUR'],
  ['UI', 'UYI'],
  ['Unidades Indexadas', 'UYI'],
  ['UR', 'UYR'],
  ['R$', 'BRL'],
  ['CHF', 'CHF'],
  ['DOLAR CANADIENSE', 'CAD'],
  ['Dólares australianos', 'AUD'],
  ['LIBRA EGIPCIA', 'EGP'],
  ['PESO ARG.BILLETE', 'ARS'],
  ['UNIDAD REAJUSTAB', 'UYR'],
  ...['???', 'moneda', 'Pesos / Dólares'].map((text) => [text, undefined]),
])('the currency %s is %s', (text, expected) => {
  expect(valueIn(currencyOf(text)) ?? undefined).toBe(expected);
});
