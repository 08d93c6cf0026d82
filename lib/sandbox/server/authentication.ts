import type { SandboxBehaviour } from '../behaviour.ts';
import { type SandboxCompany, sandboxToken } from '../companies.ts';
import { type Answer, messageAnswer, rutOf, type SandboxRequest, unauthorized } from './answer.ts';

/** A company that a request may speak for, and its place among the sandbox's. */
export interface KnownCompany {
  company: SandboxCompany;
  position: number;
}

/** Tokens: whose each is, and which were renewed. */
export interface Authentication {
  /** The company that the request speaks for, or the refusal. An accepted request counts towards the renewal. */
  check(request: SandboxRequest): KnownCompany | { refusal: Answer };
  /** The companies with the tokens that are good now. */
  companies(): readonly SandboxCompany[];
  /** Counts accepted requests from none again; renewed tokens stay renewed. */
  restart(): void;
}

interface TokenState {
  known: KnownCompany;
  token: string;
  accepted: number;
  rotations: number;
}

export function authentication(
  companies: readonly SandboxCompany[],
  behaviour: () => Readonly<SandboxBehaviour>,
): Authentication {
  const states: TokenState[] = companies.map((company, position) => ({
    known: { company, position },
    token: company.token,
    accepted: 0,
    rotations: 0,
  }));
  const byRut = new Map(states.map((state) => [state.known.company.rut, state]));
  const byToken = new Map(states.map((state) => [state.token, state]));

  return {
    check(request) {
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
    companies: () => states.map(({ known, token }) => ({ ...known.company, token })),
    restart() {
      for (const state of states) state.accepted = 0;
    },
  };
}
