import type { Dispatcher } from 'undici';

/** The body is larger than anything the contract would give. */
export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/** The whole body as text. Throws BodyTooLargeError past `maxBytes`, without reading on. */
export async function readBodyText(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of body) {
    const bytes: Buffer = chunk;
    byteCount += bytes.length;
    if (byteCount > maxBytes) {
      body.destroy();
      throw new BodyTooLargeError(`the body is larger than ${maxBytes} bytes`);
    }
    chunks.push(bytes);
  }
  const [first] = chunks;
  return (chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)).toString('utf8');
}
