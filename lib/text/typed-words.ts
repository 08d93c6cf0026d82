/** How each JSON Web Token begins: `{"` in base64url. As long as the shortest header, so that no name is taken for one. */
const JSON_WEB_TOKEN = /eyJ[\w-]{14}/;

/** Whether the text has a JSON Web Token in it, whole or cut. No command takes one. */
export function holdsJsonWebToken(text: string): boolean {
  return JSON_WEB_TOKEN.test(text);
}

const DATE_TIME = /^[\dTZ:.+ /-]{1,32}$/;
const FILE_NAME = /\.(?:csv|html|json|parquet|sql|xlsx)$/i;
/** Names have shorter words; tokens that are no JSON Web Tokens are longer. */
const LONG_WORD = /[^\s/\\.]{17}/;
/** The only colon is that of a drive. */
const WITHOUT_PASSWORD = /^(?:[a-z]:(?=[\\/]))?[^:@]*$/i;

/**
 * Whether a message may repeat a text that was typed: it is neither a token in the wrong place nor an address with a
 * password.
 */
export function isRepeatable(text: string): boolean {
  if (DATE_TIME.test(text)) return true;
  if (!WITHOUT_PASSWORD.test(text) || text.includes('eyJ')) return false;
  return FILE_NAME.test(text) || !LONG_WORD.test(text);
}

/** The text, for a message; nothing of it if it may not be repeated. */
export function repeated(text: string): string {
  return isRepeatable(text) ? text : '…';
}
