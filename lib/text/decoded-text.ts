/**
 * The text of a file that a person wrote, without the byte order mark that editors on Windows put before it; undefined if
 * it is not UTF-8. A NUL is in no text: UTF-16 without a mark has one beside each letter.
 */
export function decodedText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What is wrong with a file that has no decodedText, and what to do, as the end of a sentence. */
export const NOT_UTF_8 = 'it is not UTF-8 text: save it again with the encoding UTF-8';
