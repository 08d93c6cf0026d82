import { amountsOf, totalsOf } from './amounts.ts';
import { localText } from './calendar.ts';
import { hashText, mix, pick } from './hash.ts';
import { externalId, issuedNumbering, supplierNumber } from './numbering.ts';
import {
  CUSTOMERS,
  FOREIGNERS,
  foreignerOf,
  localCompany,
  type Party,
  PEOPLE,
  partiesOf,
  personOf,
  SUPPLIERS,
} from './parties.ts';
import { type DayFacts, dayFacts, type ListOwner, type ReceiptList, type World } from './receipt-list.ts';
import {
  appearedBy,
  authorityStatus,
  fractionText,
  issuedAt,
  type Moment,
  nothingAfter,
  nothingBefore,
  receivedAt,
  receivedSignedAt,
  recipientStatus,
  verdictAt,
} from './timeline.ts';
import {
  hasPaymentForm,
  isExport,
  isRemito,
  isTicket,
  ordinaryType,
  PURCHASES,
  TYPE_PERIOD,
} from './types.ts';

/** The receipts that a company issues. They are numbered without gaps and appear when they are signed. */
export function issuedList(owner: ListOwner, world: World): ReceiptList {
  const { company, position } = owner;
  const factsOf = dayFacts(owner, 'emitidos', world);
  const issuer = localCompany(company.rut, company.name);
  const customerOf = partiesOf(position, SUPPLIERS);
  const numbering = issuedNumbering(
    mix(hashText(company.rut), world.seed),
    position % 2 === 0,
    world.numberingGaps,
  );

  return {
    rut: company.rut,
    direction: 'emitidos',
    numbering,
    appeared: (day, now) => appearedOf(factsOf(day), now, issuedAt),
    numberAt(day, index) {
      const { stream, numero } = numbering.fiscalNumber(factsOf(day).before + index);
      return { tipo_comprobante: stream.type, numero };
    },
    receipt(day, index, now) {
      const facts = factsOf(day);
      const chance = mix(facts.seed, index);
      const sequence = facts.before + index;
      const { stream, serie, numero } = numbering.fiscalNumber(sequence);
      const type = stream.type;
      const signedAt = issuedAt({ day, index, count: facts.count, hash: chance });
      const receptor = recipientOf(type, chance, customerOf);
      const rules = world.rules();
      const isNamed = receptor !== null;
      const answers = receptor?.documentType === 2;
      return {
        ...contentsOf(facts, index, type, chance, world),
        rut: company.rut,
        direction: 'emitidos',
        serie,
        numero,
        fecha_firma: localText(signedAt) + fractionText(signedAt, chance),
        emisor: issuer,
        receptor,
        estado: null,
        estado_receptor: recipientStatus(chance, { answers, signedAt }, now, rules),
        estado_dgi: authorityStatus(chance, { type, isNamed, signedAt }, now, rules),
        id_externo: externalId(facts.text, index, chance),
        sucursal: stream.branch,
        sequence,
      };
    },
  };
}

const SALT_TYPE = 61;
const SALT_DUPLICATE = 62;
const SALT_BRANCH = 63;
/** One received receipt in this many repeats the one before it: same issuer, type and amounts, another number. */
const DUPLICATE_EVERY = 389;

const TYPES = PURCHASES.flatMap(({ code, share }) => new Array<number>(share).fill(code));

/** The receipts that a company receives. Most arrive on their issue day, some later, a few before it. */
export function receivedList(owner: ListOwner, world: World): ReceiptList {
  const { company, position } = owner;
  const factsOf = dayFacts(owner, 'recibidos', world);
  const recipient = localCompany(company.rut, company.name);
  const supplierOf = partiesOf(position);

  return {
    rut: company.rut,
    direction: 'recibidos',
    numbering: undefined,
    appeared(day, now) {
      const { lateArrivals } = world.rules();
      return appearedOf(factsOf(day), now, (moment) => receivedAt(moment, lateArrivals));
    },
    numberAt(day, index) {
      const facts = factsOf(day);
      const chance = contentsChance(facts, index);
      const { numero } = supplierNumber(facts.before + index, mix(position, supplierSlot(chance)));
      return { tipo_comprobante: typeOf(chance), numero };
    },
    receipt(day, index, now) {
      const facts = factsOf(day);
      const hash = mix(facts.seed, index);
      const chance = contentsChance(facts, index);
      const type = typeOf(chance);
      const rules = world.rules();
      const moment = { day, index, count: facts.count, hash };
      const arrivedAt = receivedAt(moment, rules.lateArrivals);
      const signedAt = receivedSignedAt(moment, arrivedAt);
      const sequence = facts.before + index;
      const slot = supplierSlot(chance);
      const { serie, numero } = supplierNumber(sequence, mix(position, slot));
      return {
        ...contentsOf(facts, index, type, chance, world),
        rut: company.rut,
        direction: 'recibidos',
        serie,
        numero,
        fecha_firma: localText(signedAt) + fractionText(signedAt, hash),
        emisor: supplierOf(slot),
        receptor: namesRecipient(type, chance) ? recipient : null,
        estado: verdictAt(hash, arrivedAt, now, rules) ?? null,
        estado_receptor: null,
        estado_dgi: null,
        id_externo: null,
        sucursal: 1 + (mix(chance, SALT_BRANCH) % 4),
        sequence,
      };
    },
  };
}

/** What follows from a receipt's type and chance, whoever issued it. */
function contentsOf(facts: DayFacts, index: number, type: number, chance: number, world: World) {
  const amounts = amountsOf(type, chance, world.hasLongAmounts);
  const { total, totalPagar } = totalsOf(type, amounts);
  return {
    id: facts.firstId + BigInt(index),
    day: facts.text,
    index,
    tipo_comprobante: type,
    forma_pago: paymentForm(type, chance),
    moneda: currency(type, chance),
    fecha_emision: facts.issued,
    amounts,
    total,
    total_pagar: totalPagar,
    chance,
  };
}

function appearedOf(
  { day, count, seed }: DayFacts,
  now: number,
  appearsAt: (moment: Moment) => number,
): number {
  if (now >= nothingAfter(day)) return count;
  if (now < nothingBefore(day)) return 0;
  return appearedBy(now, count, (index) => appearsAt({ day, index, count, hash: mix(seed, index) }));
}

/** The chance that decides a receipt's contents: for a duplicate, that of the receipt before it. */
function contentsChance(facts: DayFacts, index: number): number {
  const own = mix(facts.seed, index);
  const isDuplicate = index > 0 && mix(own, SALT_DUPLICATE) % DUPLICATE_EVERY === 0;
  return isDuplicate ? mix(facts.seed, index - 1) : own;
}

function typeOf(chance: number): number {
  return TYPES[mix(chance, SALT_TYPE) % TYPE_PERIOD] ?? 111;
}

const SALT_PARTY = 51;
const SALT_CURRENCY = 52;
const SALT_PAYMENT = 53;

const CURRENCIES = [
  ...new Array<string>(42).fill('UYU'),
  ...new Array<string>(5).fill('USD'),
  'EUR',
  'UYI',
] as const;
const RARE_CURRENCIES = ['UYR', 'BRL', 'ARS', 'EUR'] as const;

/** 1 contado, 2 crédito; none on remitos and resguardos. */
function paymentForm(type: number, chance: number): number | null {
  if (!hasPaymentForm(type)) return null;
  return mix(chance, SALT_PAYMENT) % 10 < (isTicket(type) ? 9 : 4) ? 1 : 2;
}

function currency(type: number, chance: number): string | null {
  if (isRemito(type)) return null;
  const draw = mix(chance, SALT_CURRENCY);
  if (isExport(type)) return draw % 6 === 0 ? 'EUR' : 'USD';
  if (draw % 97 === 0) return pick(RARE_CURRENCIES, draw >>> 8);
  return pick(CURRENCIES, draw >>> 4);
}

/** A few suppliers send most of the receipts. */
function supplierSlot(chance: number): number {
  const draw = (mix(chance, SALT_PARTY) % 1000) / 1000;
  return Math.floor(SUPPLIERS * draw * draw);
}

/** The buyer, or null: most e-Tickets name none. */
function recipientOf(type: number, chance: number, customerOf: (slot: number) => Party): Party | null {
  const draw = mix(chance, SALT_PARTY);
  if (isExport(type)) return foreignerOf(draw % FOREIGNERS);
  if (isTicket(type)) {
    if (draw % 10 < 6) return null;
    if (draw % 10 < 9) return personOf((draw >>> 8) % PEOPLE);
  }
  // A boleta de entrada is issued by the buyer; the other side is a farmer, often a person.
  if (Math.floor(ordinaryType(type) / 10) === 15 && draw % 2 === 0) return personOf((draw >>> 8) % PEOPLE);
  const share = ((draw >>> 8) % 1000) / 1000;
  return customerOf(Math.floor(CUSTOMERS * share * share));
}

/** Whether a received receipt names its recipient: some e-Tickets don't. */
function namesRecipient(type: number, chance: number): boolean {
  return !isTicket(type) || mix(chance, SALT_PARTY) % 20 !== 0;
}
