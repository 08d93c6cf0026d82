import { isValidRut, type Rut } from '../lib/units/rut.ts';
import type { Direction } from '../lib/units/unit.ts';
import type { EndpointKind } from './lists/query.ts';

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

/** The sandbox's answer to a request, before it is sent; or none: the connection is reset, or nothing comes. */
export type Answer = BodyAnswer | 'reset' | 'hang';

export interface BodyAnswer {
  status: number;
  body: string;
  /** JSON, unless they say otherwise. */
  headers?: Readonly<Record<string, string>>;
}

/** 400 and its like: `{"message": "…"}`. */
export function messageAnswer(status: number, message: string): BodyAnswer {
  return { status, body: JSON.stringify({ message }) };
}

/** 401, with `{"error": "…"}`, or with `{}`, as some services do. */
export function unauthorized(error?: string): BodyAnswer {
  return { status: 401, body: JSON.stringify({ error }) };
}
