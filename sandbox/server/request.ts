import type { Direction } from '../../lib/api/directions.ts';
import { isValidRut, type Rut } from '../../lib/companies/company.ts';
import type { SandboxBehaviour } from '../behaviour.ts';
import { type SandboxCompany, sandboxToken } from '../generator/parties.ts';
import type { ListOwner } from '../generator/receipt-list.ts';
import type { EndpointKind } from '../lists/query.ts';

/** The sandbox's answer to a request, before it is sent. */
export type Answer = BodyAnswer | StreamAnswer | { kind: 'reset' } | { kind: 'hang' };

export interface BodyAnswer {
  kind: 'body';
  status: number;
  body: string | Buffer;
  contentType: string;
  headers: Readonly<Record<string, string>>;
}

/** A JSON body that is too large for memory: made in pieces while it is sent. */
export interface StreamAnswer {
  kind: 'stream';
  chunks: Iterable<string>;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_HEADERS = {};

export function jsonAnswer(
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = NO_HEADERS,
): BodyAnswer {
  return { kind: 'body', status, body, contentType: JSON_TYPE, headers };
}

/** 400 and its like: `{"message": "…"}`. */
export function messageAnswer(status: number, message: string): BodyAnswer {
  return jsonAnswer(status, JSON.stringify({ message }));
}

/** 401, with `{"error": "…"}`, or with `{}`, as some services do. */
function unauthorized(error?: string): BodyAnswer {
  return jsonAnswer(401, JSON.stringify(error === undefined ? {} : { error }));
}

export function htmlAnswer(status: number, title: string): BodyAnswer {
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { kind: 'body', status, body, contentType: 'text/html; charset=utf-8', headers: NO_HEADERS };
}

/** A request as it came, unchecked. */
export interface SandboxRequest {
  endpoint: EndpointKind;
  direction: Direction;
  /** Path and query, as sent. */
  address: string;
  search: URLSearchParams;
  /** The id in a detail's path, as text. */
  id: string | undefined;
  authorization: string | undefined;
  emisor: string | undefined;
}

/** The X-Emisor of a request as 12 digits (an Int64 loses a leading zero); undefined if it is not a RUT. */
export function rutOf(request: SandboxRequest): Rut | undefined {
  const rut = request.emisor?.padStart(12, '0') ?? '';
  return isValidRut(rut) ? rut : undefined;
}

/** The companies' tokens, and which were renewed. */
export function authentication(
  companies: readonly SandboxCompany[],
  behaviour: () => Readonly<SandboxBehaviour>,
) {
  const states = companies.map((company, position) => ({
    known: { company, position },
    token: company.token,
    accepted: 0,
    rotations: 0,
  }));
  const byRut = new Map(states.map((state) => [state.known.company.rut, state]));
  const byToken = new Map(states.map((state) => [state.token, state]));

  return {
    /** The company of the request, or the refusal. Accepted requests are counted, for the renewal of tokens. */
    check(request: SandboxRequest): ListOwner | { refusal: Answer } {
      const { rotateTokenAfter, unauthorizedRut } = behaviour();
      const token = /^Bearer +(\S+)$/.exec(request.authorization ?? '')?.[1];
      if (token === undefined) return { refusal: unauthorized() };
      const owner = byToken.get(token);
      if (owner === undefined) return { refusal: unauthorized('token inválido') };
      const rut = rutOf(request);
      if (rut === undefined) return { refusal: messageAnswer(400, 'X-Emisor must be a RUT of 12 digits') };
      if (rut === unauthorizedRut) return { refusal: unauthorized() };
      if (byRut.get(rut) !== owner) return { refusal: unauthorized('el token no es de esta empresa') };
      if (token !== owner.token) return { refusal: unauthorized('token expirado') };
      owner.accepted++;
      if (owner.accepted === rotateTokenAfter) {
        owner.rotations++;
        owner.token = sandboxToken(rut, owner.rotations);
        byToken.set(owner.token, owner);
      }
      return owner.known;
    },
    /** The companies, with the tokens that are valid now. */
    companies: (): SandboxCompany[] => states.map(({ known, token }) => ({ ...known.company, token })),
    /** Resets the count of accepted requests. Renewed tokens stay renewed. */
    restart(): void {
      for (const state of states) state.accepted = 0;
    },
  };
}
