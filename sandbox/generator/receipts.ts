import type { Direction } from '../../lib/units/unit.ts';
import { type Amounts, amountsOf, creditOf, totalsOf } from './amounts.ts';
import { dayText, localText } from './calendar.ts';
import { currencyOf } from './currencies.ts';
import { hashText, mix } from './hash.ts';
import { firstIdOf, issuedNumbering, supplierNumber } from './numbering.ts';
import {
  CUSTOMERS,
  FOREIGNERS,
  foreignerOf,
  localCompany,
  type Party,
  PEOPLE,
  partiesOf,
  personOf,
  type SandboxCompany,
  SUPPLIERS,
} from './parties.ts';
import {
  appearedBy,
  authorityStatus,
  fractionText,
  issuedAt,
  type Moment,
  receivedAt,
  receivedSignedAt,
  recipientStatus,
  verdictAt,
} from './timeline.ts';
import {
  correctedType,
  hasPaymentForm,
  isCreditNote,
  isDebitNote,
  isExport,
  isTicket,
  ordinaryType,
  PURCHASES,
  TYPE_PERIOD,
} from './types.ts';
import { type ReceiptsPerDay, volumeOf } from './volume.ts';

/** The parameters of the data. The rules may change while the sandbox runs, the others never do. */
export interface World {
  seed: number;
  receiptsPerDay: ReceiptsPerDay | undefined;
  /** Whether rare amounts have 17 digits. */
  hasLongAmounts: boolean;
  /** One number in this many is skipped in issued series; 0: none. */
  numberingGaps: number;
  /** Days after its arrival within which a verdict may still be reversed. */
  statusFlipDays: number;
  /** Whether statuses change as time passes, and whether received receipts arrive late. */
  rules(): { statusFlips: boolean; lateArrivals: boolean };
}

/** A company and its position among the sandbox's companies, which is part of its receipts' ids. */
export interface ListOwner {
  company: SandboxCompany;
  position: number;
}

/** All receipts of one company and direction, each made on demand. Days are days since FIRST_DAY. */
export interface ReceiptList extends ListOwner {
  direction: Direction;
  /** Number of receipts of this issue day that have appeared by now: those with the lowest indexes. */
  appeared(day: number, now: number): number;
  receipt(day: number, index: number, now: number): SandboxReceipt;
}

/**
 * A receipt inside the sandbox: plain values, under the API's names where it has them. Amounts are in cents. The JSON
 * of lists and details is rendered from it.
 */
export interface SandboxReceipt {
  id: bigint;
  /** The company whose list this is in. */
  rut: string;
  direction: Direction;
  /** The issue day, `YYYY-MM-DD`, and the receipt's index in that day's list. */
  day: string;
  index: number;
  tipo_comprobante: number;
  serie: string;
  numero: number;
  forma_pago: number | null;
  moneda: string | null;
  /** Local date-times as sent; the signature with 0 to 7 fractional digits. */
  fecha_emision: string;
  fecha_firma: string;
  emisor: Party;
  receptor: Party | null;
  amounts: Amounts;
  total: bigint | null;
  total_pagar: bigint | null;
  /** `estado.codigo`; only received receipts have one. */
  estado: string | null;
  /** `estado_receptor.codigo` and `estado_dgi.codigo`; only issued receipts have them. */
  estado_receptor: string | null;
  estado_dgi: string | null;
  id_externo: string | null;
  /** Code of the issuer's branch. */
  sucursal: number;
  /** The hash that decides the receipt's contents and details. */
  chance: number;
  /** The receipt's number among all that this company issues or receives. */
  sequence: number;
  /** What an issued note corrects. */
  corrected: { type: number; serie: string; numero: number; day: string } | undefined;
}

interface DayFacts {
  day: number;
  text: string;
  count: number;
  /** Receipts of the list before this day. */
  before: number;
  firstId: bigint;
  seed: number;
}

const DAYS_KEPT = 512;

/** The facts of a list's days, each computed once while it is in use. */
function dayFacts({ company: { rut }, position }: ListOwner, direction: Direction, world: World) {
  const volume = volumeOf(world.receiptsPerDay, { rut, position }, direction);
  const listSeed = mix(hashText(`${rut} ${direction}`), world.seed);
  const factsOf = (day: number): DayFacts => {
    const count = volume.count(day);
    return {
      day,
      text: dayText(day),
      count,
      before: count === 0 ? 0 : volume.before(day),
      firstId: firstIdOf({ companyPosition: position, isIssued: direction === 'emitidos', day }),
      seed: mix(listSeed, day),
    };
  };
  const kept = new Map<number, DayFacts>();
  return (day: number): DayFacts => {
    const known = kept.get(day);
    if (known !== undefined) return known;
    if (kept.size >= DAYS_KEPT) kept.clear();
    const facts = factsOf(day);
    kept.set(day, facts);
    return facts;
  };
}

/** The receipts that a company issues. They are numbered without gaps and appear when they are signed. */
export function issuedList(owner: ListOwner, world: World): ReceiptList {
  const { company, position } = owner;
  const factsOf = dayFacts(owner, 'emitidos', world);
  const issuer = localCompany(company.rut, company.name);
  const customerOf = partiesOf(position, SUPPLIERS);
  const seed = mix(hashText(company.rut), world.seed);
  const numbering = issuedNumbering(seed, position % 2 === 0, world.numberingGaps);

  /** What a note of this list corrects, if it says so. */
  function correctedBy(type: number, sequence: number, day: number, chance: number) {
    const draw = mix(chance, SALT_CORRECTED);
    // One note in ten refers to none, as it happens in reality.
    if (!(isCreditNote(type) || isDebitNote(type)) || draw % 10 === 0) return undefined;
    const of = numbering.earlier(correctedType(type), sequence, draw);
    if (of === undefined) return undefined;
    let issued = day;
    while (factsOf(issued).before > of || factsOf(issued).count === 0) issued -= 1;
    const facts = factsOf(issued);
    const sale = { type: correctedType(type), chance: mix(facts.seed, of - facts.before) };
    // A payment bills nothing that a note could take back.
    const { total } = totalsOf(sale.type, amountsOf(sale.type, sale.chance, null, false));
    return total === 0n ? undefined : { ...sale, sequence: of, day: facts.text };
  }

  return {
    ...owner,
    direction: 'emitidos',
    appeared: (day, now) => appearedOf(factsOf(day), now, issuedAt),
    receipt(day, index, now) {
      const facts = factsOf(day);
      const chance = mix(facts.seed, index);
      const sequence = facts.before + index;
      const { type, branch, serie, numero } = numbering.fiscalNumber(sequence);
      const signedAt = issuedAt({ day, index, count: facts.count, hash: chance });
      const corrected = correctedBy(type, sequence, day, chance);
      const receptor = recipientOf(type, chance, customerOf);
      const isNamed = receptor !== null;
      const answers = receptor?.documentType === 2;
      return {
        ...contentsOf(facts, index, { type, chance, corrected }, world),
        corrected: corrected && { ...numbering.fiscalNumber(corrected.sequence), day: corrected.day },
        rut: company.rut,
        direction: 'emitidos',
        serie,
        numero,
        fecha_emision: issuedText(facts.text, type, signedAt),
        fecha_firma: localText(signedAt) + fractionText(signedAt, chance),
        emisor: issuer,
        receptor,
        estado: null,
        estado_receptor: recipientStatus(chance, { answers, signedAt }, statusTime(now, world)),
        estado_dgi: authorityStatus(
          chance,
          { type, isNamed, signedAt },
          statusTime(now, world),
          world.statusFlipDays,
        ),
        id_externo: externalId(facts.text, index, chance),
        sucursal: branch,
        sequence,
      };
    },
  };
}

const SALT_TYPE = 61;
const SALT_CORRECTED = 81;
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
    ...owner,
    direction: 'recibidos',
    appeared(day, now) {
      const { lateArrivals } = world.rules();
      return appearedOf(factsOf(day), now, (moment) => receivedAt(moment, lateArrivals));
    },
    receipt(day, index, now) {
      const facts = factsOf(day);
      const hash = mix(facts.seed, index);
      const isDuplicate = index > 0 && mix(hash, SALT_DUPLICATE) % DUPLICATE_EVERY === 0;
      const chance = isDuplicate ? mix(facts.seed, index - 1) : hash;
      const type = TYPES[mix(chance, SALT_TYPE) % TYPE_PERIOD] ?? 111;
      const moment = { day, index, count: facts.count, hash };
      const arrivedAt = receivedAt(moment, world.rules().lateArrivals);
      const signedAt = receivedSignedAt(moment, arrivedAt);
      const sequence = facts.before + index;
      const slot = supplierSlot(chance);
      return {
        ...contentsOf(facts, index, { type, chance }, world),
        corrected: undefined,
        ...supplierNumber(sequence, mix(position, slot)),
        rut: company.rut,
        direction: 'recibidos',
        fecha_emision: issuedText(facts.text, type, signedAt),
        fecha_firma: localText(signedAt) + fractionText(signedAt, hash),
        emisor: supplierOf(slot),
        receptor: namesRecipient(type, chance) ? recipient : null,
        estado: verdictAt(hash, arrivedAt, statusTime(now, world), world.statusFlipDays) ?? null,
        estado_receptor: null,
        estado_dgi: null,
        id_externo: null,
        sucursal: 1 + (mix(chance, SALT_BRANCH) % 4),
        sequence,
      };
    },
  };
}

/** The moment whose statuses are shown: if they don't change as time passes, that of the last ones. */
function statusTime(now: number, world: World): number {
  return world.rules().statusFlips ? now : Number.POSITIVE_INFINITY;
}

/** A till states the time of a sale, which may be late in the evening; other receipts state their date alone. */
function issuedText(day: string, type: number, signedAt: number): string {
  const signed = localText(signedAt);
  return isTicket(type) && signed.startsWith(day) ? signed : `${day}T00:00:00`;
}

/** A receipt that a note corrects. */
interface Sale {
  type: number;
  chance: number;
}

/**
 * What follows from a receipt's type and chance, whoever issued it. `corrected`: what a credit note takes back some of;
 * absent where it is in no list.
 */
function contentsOf(
  facts: DayFacts,
  index: number,
  { type, chance, corrected }: Sale & { corrected?: Sale | undefined },
  { hasLongAmounts }: World,
) {
  // Without one, of a sale like this note.
  const sale = isCreditNote(type) ? (corrected ?? { type, chance }) : undefined;
  const moneda = currencyOf((sale ?? { type }).type, (sale ?? { chance }).chance);
  const own = amountsOf(type, chance, moneda, hasLongAmounts);
  const amounts =
    sale === undefined ? own : creditOf(amountsOf(sale.type, sale.chance, moneda, hasLongAmounts), chance);
  return {
    id: facts.firstId + BigInt(index),
    day: facts.text,
    index,
    tipo_comprobante: type,
    forma_pago: paymentForm(type, chance),
    moneda,
    amounts,
    ...totalsOf(type, amounts),
    chance,
  };
}

function appearedOf(
  { day, count, seed }: DayFacts,
  now: number,
  appearsAt: (moment: Moment) => number,
): number {
  return appearedBy(now, day, count, (index) => appearsAt({ day, index, count, hash: mix(seed, index) }));
}

const SALT_PARTY = 51;
const SALT_PAYMENT = 53;
const SALT_EXTERNAL = 54;

/** 1 contado, 2 crédito; none on remitos and resguardos. */
function paymentForm(type: number, chance: number): number | null {
  if (!hasPaymentForm(type)) return null;
  return mix(chance, SALT_PAYMENT) % 10 < (isTicket(type) ? 9 : 4) ? 1 : 2;
}

/** The identifier in the company's own system, or null. Half of them contain characters that a URL must escape. */
function externalId(day: string, index: number, chance: number): string | null {
  const draw = mix(chance, SALT_EXTERNAL) % 10;
  if (draw < 3) return null;
  return draw < 6 ? `Pedido Nº ${day}/${index} + «envío» & 50%` : `PED-${day}-${index}`;
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
