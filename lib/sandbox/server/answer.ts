import type { Direction } from '../../api/directions.ts';
import { isValidRut } from '../../companies/rut.ts';
import type { EndpointKind } from '../lists/query.ts';

/** What the sandbox does with a request, before it is put on the wire. */
export type Answer = BodyAnswer | StreamAnswer | { kind: 'reset' } | { kind: 'hang' };

export interface BodyAnswer {
  kind: 'body';
  status: number;
  body: string | Buffer;
  contentType: string;
  headers: Readonly<Record<string, string>>;
}

/** A JSON body too large to be held at once, made piece by piece as it is sent. */
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

/** 401, with `{"error": "…"}` or, as some answer, `{}`. */
export function unauthorized(error?: string): BodyAnswer {
  return jsonAnswer(401, JSON.stringify(error === undefined ? {} : { error }));
}

export function htmlAnswer(status: number, title: string): BodyAnswer {
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { kind: 'body', status, body, contentType: 'text/html; charset=utf-8', headers: NO_HEADERS };
}

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
