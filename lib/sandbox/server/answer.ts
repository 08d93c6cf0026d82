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
