import { inspect } from 'node:util';

const MASK = '[token]';

/** An access token that can't be printed by accident: only `reveal` gives it. */
export class Token {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The token itself, for the Authorization header only. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
