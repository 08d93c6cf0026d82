import type { Direction } from '../../api/directions.ts';
import { isValidRut } from '../../companies/rut.ts';
import type { EndpointKind } from '../lists/parameters.ts';

/** A request as it came, before anything in it is believed. */
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

/** The X-Emisor of a request as 12 digits (an Int64 loses a leading zero), or undefined when it is no RUT. */
export function rutOf(request: SandboxRequest): string | undefined {
  const rut = request.emisor?.padStart(12, '0') ?? '';
  return isValidRut(rut) ? rut : undefined;
}
