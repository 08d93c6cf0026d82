import { createHash } from 'node:crypto';
import { assertRut, type Rut, rutCheckDigit } from '../../lib/units/rut.ts';
import { hashText, mix, pick } from './hash.ts';

/** Document types of the tax authority: 1 NIE, 2 RUC, 3 CI, 4 other, 5 passport, 6 DNI, 7 NIFE. */
export type DocumentType = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** An issuer or a recipient. */
export interface Party {
  documentType: DocumentType;
  document: string;
  name: string;
  /** ISO 3166 code of the country. */
  country: string;
  address: string;
  city: string;
  department: string;
  /** The name as a JSON string with its quotes, made once for thousands of rows. See latinJson. */
  nameJson: string;
  /** The text that filters by emisor and receptor search: name and document, in lower case. */
  searchText: string;
}

export const SUPPLIERS = 48;
export const CUSTOMERS = 64;
export const PEOPLE = 512;
export const FOREIGNERS = 24;

/** Draws the other side of a receipt. */
export const SALT_PARTY = 51;

/** Serial numbers of RUTs: every company has a block of suppliers and one of customers. */
const PARTIES_PER_COMPANY = 128;
/** Serial numbers from here on are the sandbox's own companies. */
const COMPANY_SERIALS = 2_000_000;

/** A company's suppliers, by slot, and after them its business customers. No two companies share one. */
export function partiesOf(companyPosition: number, firstSlot = 0): (slot: number) => Party {
  return madeOnce((slot) => {
    const serial = companyPosition * PARTIES_PER_COMPANY + firstSlot + slot;
    return localCompany(inventedRut(serial), companyName(mix(serial, 1)));
  });
}

/** People as customers: most with an identity card, some with a passport or a foreign document. */
export const personOf = madeOnce((slot) => {
  const chance = mix(slot, 2);
  const name = personName(chance);
  if (slot % 40 === 1) return party(5, `AB${100_000 + (chance % 900_000)}`, name, 'BR', chance);
  if (slot % 40 === 2) return party(6, String(20_000_000 + (chance % 20_000_000)), name, 'AR', chance);
  if (slot % 40 === 3) return party(1, String(100_000 + (chance % 900_000)), name, 'UY', chance);
  return party(3, String(10_000_000 + (chance % 45_000_000)), name, 'UY', chance);
});

/** Foreign companies, the customers of exports. */
export const foreignerOf = madeOnce((slot) => {
  const chance = mix(slot, 3);
  const document = `DE${100_000_000 + (chance % 900_000_000)}`;
  return party(slot % 5 === 0 ? 7 : 4, document, foreignName(slot), 'DE', chance);
});

export function localCompany(rut: string, name: string): Party {
  return party(2, rut, name, 'UY', hashText(rut));
}

function party(
  documentType: DocumentType,
  document: string,
  name: string,
  country: string,
  hash: number,
): Party {
  return {
    documentType,
    document,
    name,
    country,
    ...addressOf(hash),
    nameJson: latinJson(name),
    searchText: `${name}\n${document}`.toLowerCase(),
  };
}

function madeOnce(make: (slot: number) => Party): (slot: number) => Party {
  const known: Party[] = [];
  return (slot) => {
    const party = known[slot] ?? make(slot);
    known[slot] = party;
    return party;
  };
}

/**
 * A JSON string in which characters beyond Latin-1 are escaped. Clients must read both forms, and strings of one byte
 * per character are joined and encoded several times as fast.
 */
function latinJson(text: string): string {
  const escaped = JSON.stringify(text).replace(
    /[\u0100-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  // V8 keeps a string made from two-byte text in two bytes; decoding it again gives a one-byte string.
  return Buffer.from(escaped, 'latin1').toString('latin1');
}

/** RUTs of invented companies: unique, with valid check digits. */

const PREFIXES = 22;
const BODIES = 499_999;
const SPACE = PREFIXES * BODIES;
/** A prime larger than SPACE: multiplying by it scatters neighbours, and no two collide. */
const SCATTER = 15_485_863;

/** The RUT with this serial number, 0 to some ten million; different serials give different RUTs. */
function inventedRut(serial: number): Rut {
  const scattered = Number((BigInt(serial) * BigInt(SCATTER)) % BigInt(SPACE));
  const prefix = String(1 + (scattered % PREFIXES)).padStart(2, '0');
  const body = 2 * (1 + Math.floor(scattered / PREFIXES));
  const even = `${prefix}${String(body).padStart(6, '0')}001`;
  const checkDigit = rutCheckDigit(even);
  if (checkDigit !== undefined) return checked(`${even}${checkDigit}`);
  // The neighbour's sum differs by 5 modulo 11, so it has a check digit when this one has none.
  const odd = `${prefix}${String(body + 1).padStart(6, '0')}001`;
  return checked(`${odd}${rutCheckDigit(odd)}`);
}

function checked(rut: string): Rut {
  assertRut(rut);
  return rut;
}

/** A company of the sandbox, and the token that it accepts for it. */
export interface SandboxCompany {
  rut: Rut;
  token: string;
  name: string;
}

/** A company's position takes 13 bits of an id. */
const SANDBOX_COMPANIES_MAX = 2 ** 13;

const FIRST_COMPANIES: readonly (readonly [rut: Rut, name: string])[] = [
  ['219999830019', 'Supermercados La Ñandubaysera S.A.'],
  ['214844360018', 'Ferretería “El Tornillo Flojo” S.R.L.'],
  ['218617380010', 'Tambos y Lácteos Güemes Ltda.'],
  ['214198620015', 'Estudio Contable Ibáñez & Asoc.'],
  ['210475730011', 'Librería Páginas del Sur S.A.S.'],
  ['217832560011', 'Transportes Cuchilla Alta S.A.'],
  ['211406340011', 'Óptica Mar Dulce y Cía.'],
];

/** 2100-01-01T00:00:00Z: the sandbox's tokens don't expire by the clock. */
const TOKEN_EXPIRY_SECONDS = 4_102_444_800;
const TOKEN_ISSUED_SECONDS = 1_767_225_600;

/**
 * The first `count` companies of the sandbox. They don't depend on the seed, so that a sandbox and an exporter started
 * separately agree. RUTs are valid; names are invented.
 */
export function sandboxCompanies(count = 4): SandboxCompany[] {
  if (!Number.isInteger(count) || count < 0 || count > SANDBOX_COMPANIES_MAX)
    throw new RangeError(`a sandbox has 0 to ${SANDBOX_COMPANIES_MAX} companies, not ${count}`);
  return Array.from({ length: count }, (_, position) => {
    const first = FIRST_COMPANIES[position];
    const rut = first?.[0] ?? inventedRut(COMPANY_SERIALS + position);
    return { rut, token: sandboxToken(rut), name: first?.[1] ?? companyName(hashText(rut)) };
  });
}

/** A token like the service's (an RS256 JWT) with an invented signature. */
function sandboxToken(rut: string): string {
  const [iat, exp] = [TOKEN_ISSUED_SECONDS, TOKEN_EXPIRY_SECONDS];
  return signedToken({ sub: rut, iss: 'cfe-lake-sandbox', iat, exp });
}

export function signedToken(claims: object): string {
  const header = base64url(JSON.stringify({ alg: 'RS256', typ: 'JWT' }));
  const payload = base64url(JSON.stringify(claims));
  const signature = createHash('shake256', { outputLength: 256 }).update(`${header}.${payload}`).digest();
  return `${header}.${payload}.${signature.toString('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Invented names of companies, people and places, with the accents, quotes and scripts that real ones have. */

function list(text: string): string[] {
  return text.split(';').map((name) => name.trim());
}

const TRADES = list(`
  Almacén; Panadería; Ferretería; Farmacia; Librería; Distribuidora; Importadora; Transportes;
  Estancia; Barraca; Carnicería; Óptica; Tambo; Viñedos; Imprenta; Textil; Lácteos; Curtiembre;
  Agropecuaria; Servicios
`);

const PROPER = list(`
  Ñandubay; El Ombú; La Coronilla; Arazatí; Cuchilla Alta; Tacuarembó Chico; Yaguarí; Los Ceibos;
  Piedra Sola; Güemes; del Cerro; San Fructuoso; “La Esquina”; O'Neill; Mar Dulce; Río Negro;
  Zapicán; Tres Árboles; Pão de Açúcar; Sauce Solo; Hnos. Etchegaray; Peñarol Viejo; Costa Azul;
  Yí & Cía.
`);

const FORMS = ['S.A.', 'S.R.L.', 'Ltda.', 'S.A.S.', 'y Cía.', ''] as const;

const FOREIGN = list(`
  Kraus & Söhne GmbH; Łódzkie Zakłady Sp. z o.o.; Comércio de Grãos São João Ltda; 東京食品株式会社;
  Naturprodukte Zürich AG; Smith "Northern" Imports\\Exports Inc.; Société Générale du Bœuf;
  Müşteri Gıda A.Ş. 🐄
`);

const FIRST_NAMES = list(`
  Ana; José; María Belén; Íñigo; Lucía; Ramón; Begoña; Martín; Zoë; Raúl
`);
const LAST_NAMES = list(`
  Núñez; Peña; Ibáñez; da Silva; Güida; Etcheverry; Olivera; Bálsamo; D'Andrea; Yáñez
`);

const STREETS = list(`
  18 de Julio; Av. Artigas; Bvar. España; Camino de los Álamos; Ruta 5 km; Zorrilla
`);
const TOWNS = [
  ['Montevideo', 'Montevideo'],
  ['Paysandú', 'Paysandú'],
  ['Salto', 'Salto'],
  ['San José de Mayo', 'San José'],
  ['Young', 'Río Negro'],
  ['Treinta y Tres', 'Treinta y Tres'],
  ['Melo', 'Cerro Largo'],
] as const;

function companyName(hash: number): string {
  return `${pick(TRADES, hash)} ${pick(PROPER, mix(hash, 1))} ${pick(FORMS, mix(hash, 2))}`.trimEnd();
}

function foreignName(hash: number): string {
  return pick(FOREIGN, hash);
}

function personName(hash: number): string {
  return `${pick(FIRST_NAMES, hash)} ${pick(LAST_NAMES, mix(hash, 1))} ${pick(LAST_NAMES, mix(hash, 2))}`;
}

function addressOf(hash: number): { address: string; city: string; department: string } {
  const [city, department] = pick(TOWNS, mix(hash, 4));
  return { address: `${pick(STREETS, mix(hash, 3))} ${100 + (hash % 4900)}`, city, department };
}
