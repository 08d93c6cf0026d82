import { fractionOf, mix, pick } from './hash.ts';

/** A line of a detail. Amounts are cents; quantities thousandths and prices millionths, as the law allows. */
export interface DetailLine {
  number: number;
  /** 1 exempt, 2 minimum rate, 3 basic rate, 6 not billable, 7 negative not billable, 8 remito, 10 export. */
  billingIndicator: number | null;
  code: string;
  name: string;
  description: string | null;
  quantity: bigint;
  unit: string;
  /** Null on remitos, which have no amounts. */
  unitPrice: bigint | null;
  amount: bigint | null;
  withheld: Withholding | null;
}

export interface Withholding {
  code: string;
  /** Hundredths of a per cent. */
  rate: bigint;
  base: bigint;
  amount: bigint;
}

const ARTICLES = [
  'Yerba mate 1 kg',
  'Leche entera',
  'Cañería PVC ½"',
  'Harina 0000',
  'Servicio técnico',
  'Tornillos 3/8" x 100',
  'Asado con hueso',
  'Vino Tannat 750 ml',
  'Resma A4 75 g/m²',
  'Gasoil 50-S',
  'Dulce de leche «casero»',
  'Flete Montevideo–Salto',
] as const;
const UNITS = ['N/A', 'UN', 'KG', 'LT', 'HR', 'M2'] as const;

/** Lines from this amount on have a quantity of 100,000, so that the price has no more than 11 digits. */
const LARGE_AMOUNT = 10n ** 12n;
const LARGE_QUANTITY = 100_000n;
/** A large part may take two lines, and a receipt has at most 700. */
const LARGE_PARTS_MAX = 300;

/** Lines whose amounts add up to `amount` exactly. Each line's amount is its quantity × price. */
export function linesOf(
  amount: bigint,
  count: number,
  billingIndicator: number,
  chance: number,
): DetailLine[] {
  if (amount === 0n) return [];
  const isLarge = amount >= LARGE_AMOUNT || amount <= -LARGE_AMOUNT;
  const parts = isLarge ? Math.min(count, LARGE_PARTS_MAX) : count;
  const weights = Array.from({ length: parts }, (_, i) => BigInt(1 + (mix(chance, 100 + i) % 9)));
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0n);
  let rest = amount;
  return weights.flatMap((weight, i) => {
    const part = i === parts - 1 ? rest : (amount * weight) / weightSum;
    rest -= part;
    const draw = mix(chance, 1000 + i);
    if (part === 0n) return [];
    if (part < LARGE_AMOUNT && part > -LARGE_AMOUNT) return [smallLine(part, billingIndicator, draw)];
    const price = part / LARGE_QUANTITY;
    const remainder = part - price * LARGE_QUANTITY;
    const large = line(
      billingIndicator,
      draw,
      LARGE_QUANTITY * 1000n,
      price * 10_000n,
      price * LARGE_QUANTITY,
    );
    return remainder === 0n ? [large] : [large, smallLine(remainder, billingIndicator, mix(draw, 1))];
  });
}

/** Goods without prices, for a remito. */
export function goodsOf(count: number, chance: number): DetailLine[] {
  return Array.from({ length: count }, (_, i) => {
    const draw = mix(chance, 1000 + i);
    return line(8, draw, BigInt(1 + (draw % 500)) * 1000n, null, null);
  });
}

/** The lines of a resguardo: they have no amounts, but withheld amounts that add up to `withheld`. */
export function withholdingsOf(withheld: bigint, count: number, chance: number): DetailLine[] {
  return linesOf(withheld, count, 0, chance).map((made) => ({
    ...made,
    billingIndicator: null,
    unitPrice: null,
    amount: null,
    withheld: withholding(made.amount ?? 0n),
  }));
}

export function withholding(amount: bigint): Withholding {
  return { code: '2183121', rate: 500n, base: amount * 20n, amount };
}

/** Numbers the lines of a receipt in order, from 1. */
export function numbered(lines: readonly DetailLine[]): DetailLine[] {
  return lines.map((made, i) => ({ ...made, number: i + 1 }));
}

function smallLine(amount: bigint, billingIndicator: number, draw: number): DetailLine {
  const thousandths =
    draw % 5 === 0
      ? BigInt(125 + Math.floor(fractionOf(mix(draw, 2)) * 9000))
      : BigInt(1 + (draw % 12)) * 1000n;
  // With six digits, the price's rounding error times a quantity below 13 is far below half a cent.
  const price = roundedQuotient(amount * 10_000_000n, thousandths);
  return line(billingIndicator, draw, thousandths, price, amount);
}

function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor / 2n : divisor / 2n;
  return (dividend + half) / divisor;
}

function line(
  billingIndicator: number,
  draw: number,
  quantity: bigint,
  unitPrice: bigint | null,
  amount: bigint | null,
): DetailLine {
  return {
    number: 0,
    billingIndicator,
    code: `ART-${draw % 9973}`,
    name: pick(ARTICLES, draw),
    description: draw % 6 === 0 ? `Lote ${draw % 1000}\n«${pick(ARTICLES, draw >>> 5)}»\t\\ partida` : null,
    quantity,
    unit: pick(UNITS, draw >>> 8),
    unitPrice,
    amount,
    withheld: null,
  };
}
