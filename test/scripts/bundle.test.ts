import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import { BUNDLE_FILE, bundleFile } from '../../scripts/bundle.ts';

const requests: IncomingMessage[] = [];
const server = createServer((request, response) => {
  requests.push(request);
  response.end(request.url === '/list' ? '{"items":[]}' : 'receipts');
});

const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
const file = join(folder, BUNDLE_FILE);
const bundled = await bundleFile(fileURLToPath(new URL('bundle-entry.ts', import.meta.url)), file);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
const endpoint: string = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

it('a bundle speaks HTTP and S3 with what was left in it', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'example');
  const { handler } = await import(pathToFileURL(file).href);

  expect(await handler({ endpoint })).toEqual({ statusCode: 200, list: { items: [] }, object: 'receipts' });
  expect(requests.map(({ url }) => url?.split('?')[0])).toEqual(['/list', '/lake/a.txt']);
  expect(requests[1]?.headers.authorization).toContain('Credential=AKIDEXAMPLE/');
  const leftOut = /\/undici\/|credential-provider-(node|sso|ini)/;
  expect(Object.keys(bundled.inputs).filter((input) => leftOut.test(input))).toEqual([]);
});
