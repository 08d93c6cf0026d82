import type { Direction } from '../../lib/units/unit.ts';
import { type Amounts, amountsOf, creditOf, isPayment, totalsOf } from './amounts.ts';
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
  SALT_PARTY,
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
  isExport,
  isNote,
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
  rules(): { issueTimes: boolean; statusFlips: boolean; lateArrivals: boolean };
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
  /** What a note says it corrects. */
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

  const drawn = (facts: DayFacts, index: number): Drawn => {
    const sequence = facts.before + index;
    return {
      ...numbering.fiscalNumber(sequence),
      chance: mix(facts.seed, index),
      sequence,
      day: facts.text,
    };
  };

  return {
    ...owner,
    direction: 'emitidos',
    appeared: (day, now) => appearedOf(factsOf(day), now, issuedAt),
    receipt(day, index, now) {
      const facts = factsOf(day);
      const ownFacts = drawn(facts, index);
      const { type, chance } = ownFacts;
      const signedAt = issuedAt({ day, index, count: facts.count, hash: chance });
      const corrected = correctedBy(ownFacts, earlier(day, index, factsOf, drawn));
      const receptor = recipientOf(corrected ?? ownFacts, customerOf);
      const isNamed = receptor !== null;
      const answers = receptor?.documentType === 2;
      return {
        ...contentsOf(facts, index, ownFacts, corrected, position, world),
        rut: company.rut,
        direction: 'emitidos',
        fecha_emision: issuedText(facts.text, type, signedAt, world),
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
        sucursal: ownFacts.branch,
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
  const typeOf = (chance: number) => TYPES[mix(chance, SALT_TYPE) % TYPE_PERIOD] ?? 111;
  const drawn = (facts: DayFacts, index: number): Drawn => {
    const hash = mix(facts.seed, index);
    const before = mix(facts.seed, index - 1);
    const isDuplicate =
      index > 0 && mix(hash, SALT_DUPLICATE) % DUPLICATE_EVERY === 0 && !isNote(typeOf(before));
    const chance = isDuplicate ? before : hash;
    const sequence = facts.before + index;
    const number = supplierNumber(sequence, mix(position, supplierSlot(chance)));
    return { type: typeOf(chance), branch: 0, chance, sequence, day: facts.text, ...number };
  };

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
      const note = drawn(facts, index);
      const sale = correctedBy(note, earlier(day, index, factsOf, drawn));
      // A supplier's month is never negative: without a sale of the month to take back, there is no credit note.
      const isSameMonth = sale?.day.slice(0, 7) === facts.text.slice(0, 7);
      const isSale = isCreditNote(note.type) && !isSameMonth;
      const ownFacts = isSale ? { ...note, type: correctedType(note.type) } : note;
      const corrected = isSale ? undefined : sale;
      const { type, chance } = ownFacts;
      const slot = supplierSlot((corrected ?? ownFacts).chance);
      const moment = { day, index, count: facts.count, hash };
      const arrivedAt = receivedAt(moment, world.rules().lateArrivals);
      const signedAt = receivedSignedAt(moment, arrivedAt);
      return {
        ...contentsOf(facts, index, ownFacts, corrected, position, world),
        ...supplierNumber(ownFacts.sequence, mix(position, slot)),
        rut: company.rut,
        direction: 'recibidos',
        fecha_emision: issuedText(facts.text, type, signedAt, world),
        fecha_firma: localText(signedAt) + fractionText(signedAt, hash),
        emisor: supplierOf(slot),
        receptor: namesRecipient(type, chance) ? recipient : null,
        estado: verdictAt(hash, arrivedAt, statusTime(now, world), world.statusFlipDays) ?? null,
        estado_receptor: null,
        estado_dgi: null,
        id_externo: null,
        sucursal: 1 + (mix(chance, SALT_BRANCH) % 4),
      };
    },
  };
}

/** The moment whose statuses are shown: if they don't change as time passes, that of the last ones. */
function statusTime(now: number, world: World): number {
  return world.rules().statusFlips ? now : Number.POSITIVE_INFINITY;
}

/** A date alone, or of a sale its time, which may be late in the evening. */
function issuedText(day: string, type: number, signedAt: number, world: World): string {
  const signed = localText(signedAt);
  const isTimed = world.rules().issueTimes && isTicket(type) && signed.startsWith(day);
  return isTimed ? signed : `${day}T00:00:00`;
}

/** What is drawn of a receipt before all else. */
interface Drawn {
  type: number;
  /** A note corrects a receipt of its branch. */
  branch: number;
  /** The issue day, `YYYY-MM-DD`. */
  day: string;
  serie: string;
  numero: number;
  chance: number;
  /** The receipt's number among all that this company issues or receives. */
  sequence: number;
}

/** A note corrects one of so many receipts, and days, before it. */
const RECEIPTS_BACK = 2000;
const DAYS_BACK = 90;

/** What was drawn before, the latest first. */
function* earlier(
  day: number,
  index: number,
  factsOf: (day: number) => DayFacts,
  drawn: (facts: DayFacts, index: number) => Drawn,
): Generator<Drawn> {
  let left = RECEIPTS_BACK;
  for (let back = 0; back <= DAYS_BACK; back++) {
    const facts = factsOf(day - back);
    for (let before = (back === 0 ? index : facts.count) - 1; before >= 0; before--) {
      if (left-- === 0) return;
      yield drawn(facts, before);
    }
  }
}

/**
 * What a note corrects: the latest sale before it that no note between them corrects, like brackets. So no sale is taken
 * back twice.
 */
function correctedBy(note: Drawn, before: Iterable<Drawn>): Drawn | undefined {
  if (!isNote(note.type)) return undefined;
  const wanted = correctedType(note.type);
  let notes = 0;
  for (const receipt of before) {
    if (receipt.branch !== note.branch) continue;
    if (
      isNote(receipt.type) &&
      correctedType(receipt.type) === wanted &&
      isCreditNote(receipt.type) === isCreditNote(note.type)
    )
      notes++;
    // A payment bills nothing that a note could take back.
    else if (receipt.type === wanted && !isPayment(receipt.type, receipt.chance) && notes-- === 0)
      return receipt;
  }
  return undefined;
}

/**
 * What follows from a receipt's type and chance, whoever issued it. A note has the currency of what it corrects, and a
 * credit note takes back some of it; one that corrects nothing, some of a sale like itself.
 */
function contentsOf(
  facts: DayFacts,
  index: number,
  { type, serie, numero, chance, sequence }: Drawn,
  corrected: Drawn | undefined,
  companyPosition: number,
  { hasLongAmounts }: World,
) {
  const sale = corrected ?? { type, chance };
  const moneda = currencyOf(sale.type, sale.chance, companyPosition);
  const amounts = isCreditNote(type)
    ? creditOf(amountsOf(sale.type, sale.chance, moneda, hasLongAmounts), chance)
    : amountsOf(type, chance, moneda, hasLongAmounts);
  return {
    id: facts.firstId + BigInt(index),
    day: facts.text,
    index,
    tipo_comprobante: type,
    serie,
    numero,
    forma_pago: paymentForm(type, chance),
    moneda,
    amounts,
    ...totalsOf(type, amounts),
    chance,
    sequence,
    // One note in ten does not say what it corrects, as it happens in reality.
    corrected: mix(chance, SALT_CORRECTED) % 10 === 0 ? undefined : corrected,
  };
}

function appearedOf(
  { day, count, seed }: DayFacts,
  now: number,
  appearsAt: (moment: Moment) => number,
): number {
  return appearedBy(now, day, count, (index) => appearsAt({ day, index, count, hash: mix(seed, index) }));
}

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
function recipientOf(
  { type, chance }: Pick<Drawn, 'type' | 'chance'>,
  customerOf: (slot: number) => Party,
): Party | null {
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
