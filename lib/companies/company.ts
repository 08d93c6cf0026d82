import type { Token } from './token.ts';

export interface Company {
  /** 12 digits, the check digit verified. */
  rut: string;
  token: Token;
  /** For people to read; nothing depends on it. */
  name?: string;
}
