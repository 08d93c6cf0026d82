/** Shorter ones may stand in a body by chance. */
const LEAST_CHARACTERS = 8;

const ESCAPED = /\\(?:u([0-9a-fA-F]{4})|(.))/g;

/** Whether a body holds the token that its request was sent with, as it is or escaped as JSON may be. */
export function holdsToken(body: string, token: string): boolean {
  if (token.length < LEAST_CHARACTERS) return false;
  if (body.includes(token)) return true;
  if (!body.includes('\\')) return false;
  return body
    .replace(ESCAPED, (_escape, code: string | undefined, character: string) =>
      code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16)),
    )
    .includes(token);
}
