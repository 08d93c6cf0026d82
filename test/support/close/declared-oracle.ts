import { bandOf } from '../../../lib/lake/currencies.ts';
import { addDays, daysBetween, isDay, monthOf } from '../../../lib/time/days.ts';
import { isValidRut } from '../../../lib/units/rut.ts';
import { centsText } from '../query/exact-sums.ts';

/** What a month declares, composed by plain code from receipts: the tables that a close keeps, cell by cell. */

export const AMOUNT_NAMES = [
  'no_gravado',
  'exportacion',
  'neto_minima',
  'iva_minima',
  'neto_basica',
  'iva_basica',
] as const;
type AmountName = (typeof AMOUNT_NAMES)[number];

/** What is stated and no number, as it stands in the detail. */
export interface Unreadable {
  json: unknown;
}
export const isUnreadable = (stated: unknown): stated is Unreadable =>
  typeof stated === 'object' && stated !== null;

export interface Withheld {
  codigo: string;
  /** Thousandths of a per cent. */
  tasa: bigint;
  /** Cents. */
  sujeto: bigint;
  valor: bigint;
}

/** A receipt as list and detail state it. Amounts are cents, without sign. */
export interface Stated {
  rut: string;
  direction: 'emitidos' | 'recibidos';
  fecha: string;
  id: number;
  type: number;
  serie: string | null;
  numero: number | null;
  documento: string | null;
  nombre: string | null;
  /** Of the list; of received ones alone. */
  moneda: string | null;
  total: bigint | null;
  estado: string;
  isGone: boolean;
  hasDetail: boolean;
  isOutdated: boolean;
  /** Of the detail. */
  currency: string | null;
  /** Thousandths of a peso. */
  rate: bigint | Unreadable | null;
  amounts: Readonly<Record<AmountName, bigint | Unreadable | null>>;
  detailTotal: bigint | null;
  /** What its detail says of the tax authority's verdict. */
  detailStatus: string | Unreadable | null;
  /** Of the list, under the name that its status has in the other list: the contract does not name it. */
  strayStatus: Unreadable | null;
  documentType: string | null;
  /** Each that is unreadable stands in a line of its own, in place of an array. */
  withheld: readonly (Withheld | Unreadable)[];
  withheldInAll: bigint | Unreadable | null;
  /** Of list and detail, where no declared table has it. */
  signed: string | null;
  note: string | null;
  detailNote: string | null;
  /** When the detail was read. */
  readAt: string;
}

/** Millionths of a peso by currency and day. */
export type Rates = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

export type Cells = Readonly<Record<string, string | null>>;
/** Cells by key, which is a JSON object of the columns that tell lines apart. */
export type DeclaredCells = ReadonlyMap<string, Cells>;

const NAMES: Readonly<Record<number, string>> = {
  101: 'e-Ticket',
  102: 'Nota de crédito de e-Ticket',
  111: 'e-Factura',
  112: 'Nota de crédito de e-Factura',
  121: 'e-Factura de exportación',
};
export const TYPES = [101, 102, 111, 112, 121, 151, 181, 182];
const CREDIT_NOTES = [102, 112];
const NO_BOOK = [151, 181, 182];

const currencyOf = (receipt: Stated) =>
  (receipt.direction === 'recibidos' ? receipt.moneda : null) ??
  (receipt.hasDetail ? receipt.currency : null);
const signOf = ({ type }: Stated) => (CREDIT_NOTES.includes(type) ? -1n : 1n);
const counts = ({ isGone, estado }: Stated) => !isGone && estado !== 'BE';
/** Whether its status is no code that is known. */
const STANDS = ['', 'AE', 'CE', 'FE', 'NE'];
const hasUnknownStatus = ({ estado }: Stated) => ![...STANDS, 'BE'].includes(estado);
const isOlder = (receipt: Stated) =>
  receipt.hasDetail &&
  (receipt.isOutdated ||
    (receipt.detailTotal !== null && receipt.total !== null && receipt.detailTotal !== receipt.total));

/** Whether the list has no series or no number of it: what is listed twice is told by both. */
const lacksNumber = ({ serie, numero }: Stated) => serie === null || serie === '' || numero === null;
export const numberText = (numero: number | null) => (numero === null ? null : String(numero));

/** Whether list and detail state two statuses, or a verdict that the list has not would change what is declared. */
function hasOtherStatus({
  direction,
  hasDetail,
  isOutdated,
  estado,
  detailStatus,
  strayStatus,
}: Stated): boolean {
  const ofDetail = hasDetail && !isOutdated ? (detailStatus ?? '') : '';
  if (direction === 'emitidos' && estado === '' && ofDetail === 'AE') return true;
  const isVerdict = typeof ofDetail !== 'string' || !STANDS.includes(ofDetail);
  const isStray = ['"BE"', '{"codigo":"BE"}'].includes(JSON.stringify(strayStatus?.json));
  if (STANDS.includes(estado) && (isVerdict || isStray)) return true;
  // That of a received one may be the recipient's.
  return direction === 'emitidos' && estado !== '' && ofDetail !== '' && ofDetail !== estado;
}

/** Whether it is issued to a taxpayer, and the tax authority observed it or has not answered. */
const isNotAccepted = (receipt: Stated) =>
  receipt.direction === 'emitidos' &&
  ['', 'CE', 'FE', 'NE'].includes(receipt.estado) &&
  !hasOtherStatus(receipt) &&
  taxpayerOf(receipt) !== null;

/** Whether list and detail state two currencies. */
const hasOtherCurrency = ({ direction, hasDetail, moneda, currency }: Stated) =>
  direction === 'recibidos' && hasDetail && moneda !== null && currency !== null && moneda !== currency;

const AT_A_RATE = [
  ['neto_minima', 'iva_minima'],
  ['neto_basica', 'iva_basica'],
] as const;

/** Whether a net is stated that has VAT, and none is stated. */
const lacksVat = ({ hasDetail, amounts }: Stated) =>
  hasDetail &&
  AT_A_RATE.some(([net, vat]) => amounts[vat] === null && amounts[net] !== null && amounts[net] !== 0n);
/** What of its amounts cannot be beside the others. */
function contradictionOf(receipt: Stated): string | null {
  const { hasDetail, amounts, total } = receipt;
  if (!hasDetail) return (total ?? 0n) < 0n ? 'importe negativo' : null;
  if (lacksVat(receipt)) return 'falta IVA';
  const isVatAlone = AT_A_RATE.some(
    ([net, vat]) => typeof amounts[vat] === 'bigint' && amounts[vat] !== 0n && !amounts[net],
  );
  if (isVatAlone) return 'falta neto';
  const known = [...Object.values(amounts), total].filter((amount) => typeof amount === 'bigint');
  if (known.some((amount) => amount < 0n)) return 'importe negativo';
  const parts = sum(Object.values(amounts).map((amount) => (typeof amount === 'bigint' ? amount : null)));
  return total !== null && (parts ?? 0n) > total + 100n ? 'no cierra' : null;
}
const hasUnreadable = ({ hasDetail, amounts }: Stated, names: readonly AmountName[]) =>
  hasDetail && names.some((name) => isUnreadable(amounts[name]));
/** Whether a rate is stated that nobody can take: pesos need none. */
const hasUnreadableRate = (receipt: Stated) =>
  receipt.hasDetail &&
  !['UYU', null].includes(currencyOf(receipt)) &&
  (isUnreadable(receipt.rate) || (receipt.rate ?? 0n) < 0n);

/** The kind of document that the detail states, by its code: any other says nothing. */
const kindOf = ({ direction, hasDetail, documentType }: Stated) =>
  direction === 'emitidos' && hasDetail && /^[1-7]$/.test(documentType ?? '') ? documentType : null;
/** The RUT that it is of a document that the detail calls one: 11 digits have lost their leading zero. */
const calledRut = (documento: string | null) =>
  /^[\d .-]*$/.test(documento ?? '')
    ? (/^\d{11,12}$/.exec((documento ?? '').replaceAll(/\D/g, ''))?.[0].padStart(12, '0') ?? null)
    : null;
const taxpayerOf = (receipt: Stated) => {
  const [kind, { documento }] = [kindOf(receipt), receipt];
  if (kind === null) return documento !== null && isValidRut(documento) ? documento : null;
  return kind === '2' ? calledRut(documento) : null;
};
/** Whether nobody can tell if it is a RUT, or which: suppliers have one, and to whom an e-Factura is issued. */
const hasUnreadableDocument = (receipt: Stated) => {
  const { direction, hasDetail, documentType, documento, type } = receipt;
  if (taxpayerOf(receipt) !== null) return false;
  if (direction === 'recibidos' || [111, 112].includes(type) || kindOf(receipt) === '2') return true;
  if (kindOf(receipt) !== null) return false;
  if (documento === null) return false;
  return isValidRut(documento.replaceAll(/\D/g, '')) || (hasDetail && documentType !== null);
};

/** What a line says of its issuer, its status and its number. */
const identityNotes = (receipt: Stated) => [
  receipt.direction === 'recibidos' && hasUnreadableDocument(receipt) ? 'documento ilegible' : null,
  hasUnknownStatus(receipt) ? 'estado desconocido' : null,
  hasOtherStatus(receipt) ? 'estado contradictorio' : null,
  lacksNumber(receipt) ? 'sin numero' : null,
];

/** Millionths of a peso, and where they are from. */
function rateOf(
  receipt: Stated,
  rates: Rates,
): { value: bigint | null; from: string | null; isQuoted: boolean } {
  const currency = currencyOf(receipt);
  if (currency === 'UYU') return { value: 1_000_000n, from: null, isQuoted: false };
  if (currency === null) return { value: null, from: null, isQuoted: false };
  const { hasDetail, rate } = receipt;
  if (hasDetail && typeof rate === 'bigint' && rate > 0n)
    return { value: rate * 1000n, from: 'comprobante', isQuoted: false };
  return quotedFor(receipt, currency, rates) ?? { value: null, from: null, isQuoted: false };
}

function quotedFor({ fecha }: Stated, currency: string, rates: Rates) {
  const days = rates.get(currency);
  if (!isDay(fecha)) throw new RangeError(fecha);
  const goesOn = daysBetween(fecha, monthOf(fecha).to).some((day) => days?.has(day));
  for (let ago = 1; ago <= (goesOn ? 10 : 4); ago += 1) {
    const day = addDays(fecha, -ago);
    const value = days?.get(day);
    if (value !== undefined) return { value, from: `cotizaciones ${day}`, isQuoted: true };
  }
  return null;
}

/** Whether the rate that it states is more than a fifth off the one that is quoted, or none that its currency can have. */
function hasDoubtfulRate(receipt: Stated, rates: Rates): boolean {
  const { value, from } = rateOf(receipt, rates);
  const currency = currencyOf(receipt) ?? '';
  const quoted = quotedFor(receipt, currency, rates)?.value;
  if (from !== 'comprobante' || value === null) return false;
  if (quoted === undefined) {
    const band = isDay(receipt.fecha) ? bandOf(currency, receipt.fecha) : undefined;
    return band !== undefined && (value < band.low - 1_000n || value > band.high + 1_000n);
  }
  return 5n * (value > quoted ? value - quoted : quoted - value) > quoted + 5_000n;
}

function rounded(value: bigint, by: bigint): bigint {
  const size = ((value < 0n ? -value : value) + by / 2n) / by;
  return value < 0n ? -size : size;
}

function pesos(cents: bigint | null, rate: bigint | null): bigint | null {
  return cents === null || rate === null ? null : rounded(cents * rate, 1_000_000n);
}

function sum(amounts: readonly (bigint | null)[]): bigint | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce((all, amount) => all + amount, 0n);
}

function scaledText(value: bigint | null, scale: number): string | null {
  if (value === null) return null;
  const digits = String(value).padStart(scale + 1, '0');
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const amountOf = (receipt: Stated, name: AmountName) => {
  const stated = receipt.hasDetail ? receipt.amounts[name] : null;
  // Of a total of 0 it may leave out what is 0.
  const amount = stated === null && receipt.hasDetail && receipt.total === 0n ? 0n : stated;
  return typeof amount === 'bigint' ? signOf(receipt) * amount : null;
};

function book(receipts: readonly Stated[], rates: Rates): DeclaredCells {
  const lines = receipts
    .filter((receipt) => counts(receipt) && !NO_BOOK.includes(receipt.type))
    .map((receipt) => {
      const { value, from } = rateOf(receipt, rates);
      const currency = currencyOf(receipt);
      const stated = AMOUNT_NAMES.map((name) => amountOf(receipt, name));
      const total = receipt.total === null ? null : signOf(receipt) * receipt.total;
      const isKnown = stated.some((amount) => amount !== null);
      const rest = isKnown && total !== null ? total - (sum(stated) ?? 0n) : null;
      const all = [...stated, rest, total];
      const lack = isKnown
        ? isOlder(receipt)
          ? 'detalle anterior'
          : hasUnreadable(receipt, AMOUNT_NAMES)
            ? 'monto ilegible'
            : (contradictionOf(receipt) ?? (total === null ? 'sin total' : null))
        : 'sin desglose';
      const notes = [
        lack,
        isKnown && currency === null ? 'moneda desconocida' : null,
        hasOtherCurrency(receipt) ? 'moneda contradictoria' : null,
        currency !== null && value === null ? 'sin tipo de cambio' : null,
        hasUnreadableRate(receipt) ? 'tipo de cambio ilegible' : null,
        hasDoubtfulRate(receipt, rates) ? 'tipo de cambio dudoso' : null,
        ...identityNotes(receipt),
      ];
      const names = [...AMOUNT_NAMES, 'otros', 'total'];
      const cells = {
        tipo_comprobante: String(receipt.type),
        tipo: NAMES[receipt.type] ?? null,
        serie: receipt.serie,
        numero: numberText(receipt.numero),
        documento: receipt.documento,
        contraparte: receipt.nombre,
        tipo_cambio: scaledText(value, 6),
        ...Object.fromEntries(names.map((name, at) => [name, centsText(all[at] ?? null)])),
        ...Object.fromEntries(
          names.map((name, at) => [`${name}_pesos`, centsText(pesos(all[at] ?? null, value))]),
        ),
        cambio_de: from,
        estado: receipt.estado,
        nota: notes.filter((note) => note !== null).join(', ') || null,
      };
      return [
        JSON.stringify({ rut: receipt.rut, fecha: receipt.fecha, moneda: currency, id: String(receipt.id) }),
        cells,
      ] as const;
    });
  return new Map(lines);
}

function conceptOf({ direction, type }: Stated): string {
  if (type === 182) return direction === 'recibidos' ? 'Retenciones sufridas' : 'Retenciones efectuadas';
  if (direction === 'emitidos') return 'IVA de ventas';
  if ([111, 112].includes(type)) return 'IVA de e-Facturas recibidas';
  return [101, 102].includes(type) ? 'IVA de e-Tickets recibidos' : 'IVA de otros recibidos';
}

const isUnreadablePart = (part: Withheld | Unreadable): part is Unreadable => 'json' in part;
const isCredit = (part: Withheld | Unreadable) => !isUnreadablePart(part) && part.codigo.startsWith('2181');
const partsOf = (receipt: Stated) => (receipt.hasDetail ? receipt.withheld : []);
const withheldIn = (parts: readonly (Withheld | Unreadable)[], name: 'sujeto' | 'valor') =>
  sum(parts.map((part) => (isUnreadablePart(part) ? null : part[name])));
const withheldBy = (receipt: Stated) => withheldIn(partsOf(receipt), 'valor');

/** Whether it states another sum than that of its lines. */
function hasOtherSum(receipt: Stated): boolean {
  const [parts, stated] = [partsOf(receipt), receipt.withheldInAll];
  if (parts.length === 0 || stated === null) return false;
  if (isUnreadable(stated) || parts.every(isUnreadablePart)) return true;
  return (
    stated !==
    (withheldIn(
      parts.filter((part) => !isCredit(part)),
      'valor',
    ) ?? 0n)
  );
}

/** Whether it is to be looked at before its VAT, or what it withheld, is declared. */
const isOdd = (receipt: Stated, rates: Rates, parts = partsOf(receipt)) =>
  isOlder(receipt) ||
  hasOtherCurrency(receipt) ||
  hasUnreadableRate(receipt) ||
  hasDoubtfulRate(receipt, rates) ||
  hasUnknownStatus(receipt) ||
  hasOtherStatus(receipt) ||
  (receipt.type === 182
    ? parts.some(isUnreadablePart) || hasOtherSum(receipt)
    : contradictionOf(receipt) !== null || hasUnreadable(receipt, ['iva_minima', 'iva_basica']));

interface Placed extends Stated {
  concept: string;
  isOddThere: boolean;
}

/** The receipt under each of its concepts: tax credits of a resguardo have their own. */
function placed(receipt: Stated, rates: Rates): Placed[] {
  const [credits, others] = [true, false].map((is) =>
    partsOf(receipt).filter((part) => isCredit(part) === is),
  );
  const under = (concept: string, withheld = partsOf(receipt)) => ({
    ...receipt,
    withheld,
    concept,
    isOddThere: isOdd(receipt, rates, withheld),
  });
  if (receipt.type !== 182 || !credits?.length) return [under(conceptOf(receipt))];
  const ofCredits = under(`Creditos fiscales de resguardos ${receipt.direction}`, credits);
  return others?.length ? [ofCredits, under(conceptOf(receipt), others)] : [ofCredits];
}

function position(all: readonly Stated[], rates: Rates): DeclaredCells {
  const counted = all
    .filter((receipt) => counts(receipt) && ![151, 181].includes(receipt.type))
    .flatMap((receipt) => placed(receipt, rates));
  const keyOf = (receipt: Stated, concepto: string, moneda: string | null) =>
    JSON.stringify({ rut: receipt.rut, fecha: `${receipt.fecha.slice(0, 7)}-01`, concepto, moneda });
  const vat = (name: AmountName) => (receipt: Stated) =>
    receipt.type === 182 ? null : amountOf(receipt, name);
  const kinds = {
    iva_minima: vat('iva_minima'),
    iva_basica: vat('iva_basica'),
    retenido: (receipt: Stated) => (receipt.type === 182 ? withheldBy(receipt) : null),
  };
  const isKnown = (receipt: Stated) =>
    receipt.type === 182
      ? partsOf(receipt).length > 0
      : AMOUNT_NAMES.some((name) => amountOf(receipt, name) !== null);
  const cellsOf = (
    members: readonly Placed[],
    isTotal: boolean,
    signOfOne: (receipt: Stated) => bigint,
  ): Cells => {
    const known = members.filter(isKnown);
    const sums = Object.entries(kinds).map(([name, amount]) => {
      const amounts = members.map((receipt) =>
        isTotal || currencyOf(receipt) === null ? null : amount(receipt),
      );
      const inPesos = members.map((receipt) => {
        const value =
          currencyOf(receipt) === null ? null : pesos(amount(receipt), rateOf(receipt, rates).value);
        return value === null ? null : signOfOne(receipt) * value;
      });
      return [name, sum(amounts), sum(inPesos)] as const;
    });
    const without = members.length - known.length;
    const unrated = known.filter((receipt) => rateOf(receipt, rates).value === null).length;
    const odd = members.filter(({ isOddThere }) => isOddThere).length;
    const notes = [
      without > 0 && 'faltan detalles',
      unrated > 0 && 'falta tipo de cambio',
      odd > 0 && 'hay que revisar',
      members.some((receipt) => currencyOf(receipt) === null) && 'moneda desconocida',
    ];
    return {
      comprobantes: String(members.length),
      ...Object.fromEntries(sums.map(([name, ownSum]) => [name, centsText(ownSum)])),
      ...Object.fromEntries(sums.map(([name, , inPesos]) => [`${name}_pesos`, centsText(inPesos)])),
      total_pesos: centsText(sum(sums.map(([, , inPesos]) => inPesos))),
      sin_detalle: String(without),
      sin_cambio: String(unrated),
      por_revisar: String(odd),
      con_cotizacion: String(known.filter((receipt) => rateOf(receipt, rates).isQuoted).length),
      nota: notes.filter((note) => note !== false).join(', ') || null,
    };
  };
  const [sold, bought] = ['IVA de ventas', 'IVA de e-Facturas recibidas'];
  const netted = counted.filter((receipt) => [sold, bought].includes(receipt.concept));
  const rows = (
    receipts: readonly Placed[],
    key: (receipt: Placed) => string,
    isTotal: boolean,
    isNet = false,
  ) =>
    [...Map.groupBy(receipts, key)].map(
      ([group, members]) =>
        [
          group,
          cellsOf(members, isTotal, (receipt) => (isNet && conceptOf(receipt) === bought ? -1n : 1n)),
        ] as const,
    );
  return new Map([
    ...rows(counted, (receipt) => keyOf(receipt, receipt.concept, currencyOf(receipt)), false),
    ...rows(counted, (receipt) => keyOf(receipt, receipt.concept, 'todas'), true),
    ...rows(netted, (receipt) => keyOf(receipt, 'IVA de ventas menos e-Facturas', 'todas'), true, true),
  ]);
}

function withholdings(all: readonly Stated[], rates: Rates): DeclaredCells {
  const lines = all
    .filter((receipt) => counts(receipt) && receipt.type === 182)
    .flatMap((receipt) => {
      const { value, from } = rateOf(receipt, rates);
      const groups = Map.groupBy(partsOf(receipt), (part) =>
        JSON.stringify(
          isUnreadablePart(part)
            ? { codigo: null, tasa: null }
            : { codigo: part.codigo, tasa: scaledText(part.tasa, 3) },
        ),
      );
      const rows = groups.size === 0 ? [['{"codigo":null,"tasa":null}', []] as const] : [...groups];
      return rows.map(([code, parts]) => {
        const key = {
          rut: receipt.rut,
          concepto: receipt.direction === 'emitidos' ? 'efectuada' : 'sufrida',
          fecha: receipt.fecha,
          moneda: currencyOf(receipt),
          id: String(receipt.id),
          ...JSON.parse(code),
        };
        const withheld = withheldIn(parts, 'valor');
        const notes = [
          isOlder(receipt)
            ? 'detalle anterior'
            : parts.some(isUnreadablePart)
              ? 'monto ilegible'
              : hasOtherSum(receipt)
                ? 'no cierra'
                : null,
          hasOtherCurrency(receipt) ? 'moneda contradictoria' : null,
          key.moneda === null ? 'moneda desconocida' : value === null ? 'sin tipo de cambio' : null,
          hasUnreadableRate(receipt) ? 'tipo de cambio ilegible' : null,
          hasDoubtfulRate(receipt, rates) ? 'tipo de cambio dudoso' : null,
        ];
        const told = [...(parts.length === 0 ? ['sin retenciones'] : notes), ...identityNotes(receipt)];
        const cells = {
          tipo_comprobante: '182',
          serie: receipt.serie,
          numero: numberText(receipt.numero),
          documento: receipt.documento,
          contraparte: receipt.nombre,
          monto_sujeto: centsText(withheldIn(parts, 'sujeto')),
          valor: centsText(withheld),
          valor_pesos: centsText(pesos(withheld, value)),
          cambio_de: from,
          estado: receipt.estado,
          nota: told.filter((note) => note !== null).join(', ') || null,
        };
        return [JSON.stringify(key), cells] as const;
      });
    });
  return new Map(lines);
}

interface Entry {
  receipt: Stated;
  line: string | null;
  amount: bigint;
  isForeign: boolean;
  value: bigint | null;
}

const FORM_LINES = {
  emitidos: [['502', 'iva_basica'] as const, ['503', 'iva_minima'] as const],
  recibidos: [['504', 'no_gravado'] as const, ['505', 'iva_basica'] as const, ['506', 'iva_minima'] as const],
};

function form(all: readonly Stated[], rates: Rates): DeclaredCells {
  const declared = all.filter(
    (receipt) =>
      [101, 102, 111, 112].includes(receipt.type) &&
      !receipt.isGone &&
      (hasOtherStatus(receipt) ||
        (receipt.direction === 'emitidos'
          ? receipt.estado === 'AE' || hasUnknownStatus(receipt) || isNotAccepted(receipt)
          : counts(receipt))) &&
      (taxpayerOf(receipt) !== null || hasUnreadableDocument(receipt)),
  );
  const entries = declared.flatMap((receipt): Entry[] => {
    const { value, isQuoted } = rateOf(receipt, rates);
    const isForeign = !['UYU', null].includes(currencyOf(receipt)) && (isQuoted || value === null);
    const states = FORM_LINES[receipt.direction].map(
      ([line, name]) => [line, amountOf(receipt, name)] as const,
    );
    const hasAny = (['no_gravado', 'iva_minima', 'iva_basica'] as const).some(
      (name) => amountOf(receipt, name) !== null,
    );
    const isUnclear =
      hasUnknownStatus(receipt) ||
      hasOtherStatus(receipt) ||
      hasOtherCurrency(receipt) ||
      hasUnreadable(receipt, ['no_gravado', 'iva_minima', 'iva_basica']) ||
      contradictionOf(receipt) !== null ||
      hasUnreadableRate(receipt) ||
      hasDoubtfulRate(receipt, rates);
    if (isNotAccepted(receipt)) return [{ receipt, line: null, amount: 0n, isForeign, value }];
    if (isOlder(receipt) || value === null || !hasAny || isUnclear || hasUnreadableDocument(receipt))
      return [{ receipt, line: null, amount: 0n, isForeign, value }];
    return states.flatMap(([line, stated]) => {
      const amount = pesos(stated, value) ?? 0n;
      return amount === 0n ? [] : [{ receipt, line, amount, isForeign, value }];
    });
  });
  const groups = Map.groupBy(entries, ({ receipt, line }) =>
    JSON.stringify({
      rut: receipt.rut,
      fecha: `${receipt.fecha.slice(0, 7)}-01`,
      documento: taxpayerOf(receipt) ?? receipt.documento,
      concepto: isNotAccepted(receipt) ? 'sin aceptar' : null,
      linea: line,
    }),
  );
  return new Map(
    [...groups].map(([key, members]) => {
      const isLine = members[0]?.line !== null;
      const isTold = members.some(({ receipt }) => isNotAccepted(receipt));
      const total = (receipts: typeof members) =>
        centsText(receipts.reduce((cents, { amount }) => cents + amount, 0n));
      const tickets = members.filter(({ receipt }) => [101, 102].includes(receipt.type));
      const notes = [
        members.some(({ isForeign, value }) => isForeign && value === null) ? 'falta tipo de cambio' : null,
        members.some(({ receipt }) => hasUnreadableDocument(receipt)) ? 'documento ilegible' : null,
        members.some(({ receipt }) => hasUnknownStatus(receipt)) ? 'estado desconocido' : null,
        members.some(({ receipt }) => hasOtherStatus(receipt)) ? 'estado contradictorio' : null,
      ];
      const cells = {
        nombre:
          members
            .flatMap(({ receipt }) => receipt.nombre ?? [])
            .sort()
            .at(-1) ?? null,
        comprobantes: String(members.length),
        importe: isLine ? total(members) : null,
        de_e_tickets: isLine ? total(tickets) : null,
        con_cotizacion: isLine ? String(members.filter(({ isForeign }) => isForeign).length) : null,
        nota: isLine ? null : notes.filter((note) => note !== null).join(', ') || null,
      };
      if (isTold) cells.nota = 'sin aceptar';
      return [key, cells];
    }),
  );
}

/** The declared tables by the name of their query. */
export function declaredOf(all: readonly Stated[], rates: Rates): ReadonlyMap<string, DeclaredCells> {
  const receiptsOf = (direction: Stated['direction']) =>
    all.filter((receipt) => receipt.direction === direction);
  return new Map([
    ['libro-iva-ventas', book(receiptsOf('emitidos'), rates)],
    ['libro-iva-compras', book(receiptsOf('recibidos'), rates)],
    ['posicion-iva', position(all, rates)],
    ['resguardos', withholdings(all, rates)],
    ['formulario-2181', form(all, rates)],
  ]);
}
