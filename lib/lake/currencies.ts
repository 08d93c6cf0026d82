import type { Day } from '../time/days.ts';

/** A currency or a unit of account that receipts are issued in, and what pesos are paid for one. */
interface Currency {
  /** ISO 4217; UYI and UYR as receipts name them. */
  code: string;
  /** Its whole names and signs, in lower case without accents; words are parted by one space. */
  names: readonly string[];
  /** The central bank's code for its rate: of bank notes, where there are several. */
  bankCode?: number;
  /** Pesos for one that are believed without a neighbour in date, from each day on. */
  pesos: readonly { from: Day; low: number; high: number }[];
}

/** The first receipts are of 2011. */
const FIRST: Day = '2011-01-01';

/** A third of the lowest and three times the highest of the central bank's dollar, day by day, 2011 to 2021: 18.30 to 45.94. */
const DOLLAR = { low: 15, high: 150 };

/** What a currency may cost in pesos that was worth between these dollars. */
function byDollar(low: number, high: number): Currency['pesos'] {
  return [{ from: FIRST, low: DOLLAR.low * low, high: DOLLAR.high * high }];
}

function since2011(low: number, high: number): Currency['pesos'] {
  return [{ from: FIRST, low, high }];
}

/**
 * The one table of currencies. Dollars for one: lowest and highest of the European Central Bank's reference rates,
 * January 2011 to October 2026; of CLP, COP, PEN and PYG a half and twice the World Bank's yearly means, 2017 to 2023.
 */
export const CURRENCIES: readonly Currency[] = [
  {
    code: 'USD',
    names: [
      'u$s',
      'us$',
      'u$d',
      'u$',
      '840',
      'dolar',
      'dolares',
      'dls',
      'dol',
      'dolar billete',
      ...[
        'usa',
        'eeuu',
        'ee uu',
        'e e u u',
        'americano',
        'estadounidense',
        'estados unidos',
        'usa billete',
      ].flatMap((country) => [`dolar ${country}`, `dolares ${country}`, `dls ${country}`]),
      'dolares americanos',
      'dolares estadounidenses',
    ],
    bankCode: 2225,
    pesos: [{ from: FIRST, ...DOLLAR }],
  },
  { code: 'EUR', names: ['€', '978', 'euro', 'euros'], bankCode: 1111, pesos: byDollar(0.956, 1.489) },
  {
    code: 'BRL',
    names: ['r$', '986', 'real', 'reales', 'real billete', 'real brasileno', 'reales brasilenos'],
    bankCode: 1001,
    // By that dollar and the real's in pesos: 6.9 to 12.1, 2011 to 2021.
    pesos: since2011(2, 40),
  },
  {
    code: 'ARS',
    names: [
      'ar$',
      '032',
      '32',
      'peso argentino',
      'pesos argentinos',
      'peso arg',
      'peso arg billete',
      'peso argentino billete',
    ],
    bankCode: 501,
    // By that dollar and the two that Argentina had: 1.54 to 4.99, 0.22 to 1.84, and from 0.47 down.
    pesos: [
      { from: FIRST, low: 0.5, high: 15 },
      { from: '2017-01-01', low: 0.07, high: 6 },
      { from: '2021-01-01', low: 0.003, high: 1.5 },
    ],
  },
  {
    code: 'UYI',
    names: ['ui', 'u.i.', 'u i', '940', 'unidad indexada', 'unidades indexadas'],
    bankCode: 9800,
    // 1.2841 on 1 August 2003 (law 17,761), 2.96 in January 2015, 6.42 in December 2025.
    pesos: since2011(1.5, 20),
  },
  {
    code: 'UYR',
    names: ['ur', 'u.r.', 'u r', 'unidad reajustable', 'unidades reajustables', 'unidad reajustab'],
    bankCode: 9900,
    // It follows wages: 208.28 in November 2001 (a decree), 1,803 in October 2026.
    pesos: since2011(250, 6000),
  },
  {
    code: 'GBP',
    names: ['£', '826', 'libra', 'libras', 'libra esterlina', 'libras esterlinas'],
    pesos: byDollar(1.059, 1.717),
  },
  { code: 'AUD', names: ['036', 'dolar australiano', 'dolares australianos'], pesos: byDollar(0.579, 1.106) },
  { code: 'CAD', names: ['124', 'dolar canadiense', 'dolares canadienses'], pesos: byDollar(0.682, 1.063) },
  { code: 'CHF', names: ['756', 'franco suizo', 'francos suizos'], pesos: byDollar(0.969, 1.375) },
  { code: 'CLP', names: ['152', 'peso chileno', 'pesos chilenos'], pesos: byDollar(0.00057, 0.00312) },
  { code: 'CNY', names: ['156', 'yuan', 'renminbi', 'yuan renminbi'], pesos: byDollar(0.136, 0.166) },
  { code: 'COP', names: ['170', 'peso colombiano', 'pesos colombianos'], pesos: byDollar(0.00011, 0.00068) },
  { code: 'DKK', names: ['208', 'corona danesa', 'coronas danesas'], pesos: byDollar(0.128, 0.2) },
  { code: 'INR', names: ['356', 'rupia india', 'rupias indias'], pesos: byDollar(0.0103, 0.0227) },
  { code: 'JPY', names: ['392', 'yen', 'yenes', 'yen japones'], pesos: byDollar(0.0061, 0.0132) },
  { code: 'KRW', names: ['410', 'won', 'won surcoreano'], pesos: byDollar(0.00064, 0.001) },
  { code: 'MXN', names: ['484', 'peso mexicano', 'pesos mexicanos'], pesos: byDollar(0.0398, 0.0869) },
  { code: 'NOK', names: ['578', 'corona noruega', 'coronas noruegas'], pesos: byDollar(0.087, 0.191) },
  {
    code: 'NZD',
    names: ['554', 'dolar neozelandes', 'dolares neozelandeses'],
    pesos: byDollar(0.555, 0.882),
  },
  {
    code: 'PEN',
    names: ['604', 'sol peruano', 'soles peruanos', 'nuevo sol'],
    pesos: byDollar(0.128, 0.614),
  },
  { code: 'PYG', names: ['600', 'guarani', 'guaranies'], pesos: byDollar(0.000068, 0.00036) },
  { code: 'SEK', names: ['752', 'corona sueca', 'coronas suecas'], pesos: byDollar(0.0875, 0.167) },
  { code: 'ZAR', names: ['710', 'rand', 'rand sudafricano'], pesos: byDollar(0.0505, 0.152) },
];

/** The peso, which has no rate. */
export const PESO = {
  code: 'UYU',
  names: [
    '$',
    '$u',
    '$uy',
    'uy$',
    '858',
    'peso',
    'pesos',
    'peso uruguayo',
    'pesos uruguayos',
    'm/n',
    'mn',
    'moneda nacional',
  ],
} as const;

/** What a rate of that day lies between, in millionths of a peso; undefined for a currency that is not in the table. */
export function bandOf(currency: string, day: Day): { low: bigint; high: bigint } | undefined {
  const bands = CURRENCIES.find(({ code }) => code === currency)?.pesos;
  const band = bands?.findLast(({ from }) => from <= day) ?? bands?.[0];
  if (band === undefined) return undefined;
  return { low: millionths(band.low), high: millionths(band.high) };
}

function millionths(pesos: number): bigint {
  return BigInt(Math.round(pesos * 1_000_000));
}
