import { createHash } from 'node:crypto';
import type { Rut } from '../companies/company.ts';
import { hashText } from './generator/hash.ts';
import { companyName } from './generator/names.ts';
import { COMPANY_SERIALS, inventedRut } from './generator/parties.ts';

/** A company of the sandbox, and the token that it accepts for it. */
export interface SandboxCompany {
  rut: Rut;
  token: string;
  name: string;
}

/** A company's position takes 13 bits of an id. */
export const SANDBOX_COMPANIES_MAX = 2 ** 13;

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

/** A token like the service's (an RS256 JWT) with an invented signature. `rotation` counts renewals. */
export function sandboxToken(rut: string, rotation = 0): string {
  const header = base64url(JSON.stringify({ alg: 'RS256', typ: 'JWT' }));
  const payload = base64url(
    JSON.stringify({
      sub: rut,
      iss: 'cfe-lake-sandbox',
      iat: TOKEN_ISSUED_SECONDS + rotation,
      exp: TOKEN_EXPIRY_SECONDS,
    }),
  );
  const signature = createHash('shake256', { outputLength: 256 }).update(`${header}.${payload}`).digest();
  return `${header}.${payload}.${signature.toString('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
