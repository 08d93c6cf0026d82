import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SOURCE_KEY } from '../../lib/lake/layout.ts';
import {
  apiSource,
  checkSource,
  claimLake,
  type LakeSource,
  OtherSourceError,
  readAgainCommand,
  readMark,
  UnmarkedLakeError,
} from '../../lib/lake/source.ts';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import { type LakeStore, readText, replaceText } from '../../lib/lake/store/store.ts';
import { WrongInputError } from '../../lib/system/errors.ts';
import { parseApiAddress } from '../../lib/text/api-address.ts';
import { newFolder } from '../support/lake/lake-folder.ts';
import { MemoryStore } from '../support/lake/memory-store.ts';

const ONE = apiSource(parseApiAddress('https://one.example'));
const TWO = apiSource(parseApiAddress('https://two.example'));
const SANDBOX: LakeSource = { sandbox: { seed: '1' } };

function memory(): MemoryStore {
  return new MemoryStore(() => 0);
}

/** A lake whose mark was lost. */
async function unmarked(): Promise<MemoryStore> {
  const store = memory();
  await replaceText(store, 'unidades/recibidos/fecha=2026-11-19/219999830019.parquet', 'x', undefined);
  return store;
}

async function sourceOf(store: LakeStore): Promise<LakeSource | undefined> {
  return (await readMark(store))?.source;
}

describe('a source', () => {
  it.each([
    ['https://API.example.com', 'https://api.example.com'],
    ['https://api.example.com:443/', 'https://api.example.com'],
    ['https://api.example.com:8443/base//', 'https://api.example.com:8443/base'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
  ])('%s is %s', (address, api) => {
    expect(apiSource(parseApiAddress(address))).toEqual({ api });
  });

  it('is a different one with another scheme, host, port, path or seed', async () => {
    const sources: LakeSource[] = [
      ...[
        'https://localhost',
        'http://localhost',
        'https://localhost:444',
        'https://localhost/a',
        'https://a',
      ].map((address) => apiSource(parseApiAddress(address))),
      SANDBOX,
      { sandbox: { seed: '2' } },
    ];
    for (const marked of sources) {
      const store = memory();
      await claimLake(store, marked);
      expect(await sourceOf(store)).toEqual(marked);
      for (const asked of sources) {
        const checked = checkSource(store, asked);
        if (asked === marked) expect(await checked).toMatchObject({ source: marked });
        else await expect(checked).rejects.toThrow(OtherSourceError);
      }
    }
  });
});

describe('claiming a lake', () => {
  it.each([
    ['in memory', memory],
    ['in a folder', () => new FolderStore(newFolder())],
  ])('marks an empty one by itself, once: %s', async (_where, open) => {
    const store = open();
    await claimLake(store, ONE);
    const first = await readMark(store);
    await claimLake(store, ONE);
    await claimLake(store, ONE, 'moved');
    await claimLake(store, ONE, 'adopted');
    expect(await readMark(store)).toEqual(first);
    await expect(claimLake(store, TWO)).rejects.toThrow(OtherSourceError);
    await expect(claimLake(store, TWO, 'adopted')).rejects.toThrow(OtherSourceError);
    await claimLake(store, TWO, 'moved');
    expect(await sourceOf(store)).toEqual(TWO);
  });

  it('of a sandbox is never that of a service, whatever is said', async () => {
    for (const [marked, asked] of [
      [SANDBOX, ONE],
      [ONE, SANDBOX],
      [SANDBOX, { sandbox: { seed: '2' } }],
    ] as const) {
      const store = memory();
      await claimLake(store, marked);
      for (const claim of ['moved', 'adopted'] as const)
        await expect(claimLake(store, asked, claim)).rejects.toThrow(/never mixed/);
      expect(await sourceOf(store)).toEqual(marked);
    }
  });

  it('with receipts and no mark can be adopted, and only by a service', async () => {
    const store = await unmarked();
    for (const claim of [undefined, 'moved'] as const)
      await expect(claimLake(store, ONE, claim)).rejects.toThrow(UnmarkedLakeError);
    for (const claim of [undefined, 'moved', 'adopted'] as const)
      await expect(claimLake(store, SANDBOX, claim)).rejects.toThrow(UnmarkedLakeError);
    await expect(checkSource(store, SANDBOX)).rejects.toThrow(UnmarkedLakeError);
    expect(await checkSource(store, ONE)).toBeUndefined();
    expect(await sourceOf(store)).toBeUndefined();
    await claimLake(store, ONE, 'adopted');
    expect(await sourceOf(store)).toEqual(ONE);
  });

  it('lets one of several win, and refuses those of another source', async () => {
    for (const open of [memory, () => new FolderStore(newFolder())]) {
      const store = open();
      const claims = await Promise.allSettled(
        [ONE, TWO, ONE, TWO, ONE].map((source) => claimLake(store, source)),
      );
      const marked = await sourceOf(store);
      for (const [index, { status }] of claims.entries()) {
        const isOfMarked = isDeepStrictEqual(marked, index % 2 === 0 ? ONE : TWO);
        expect(status).toBe(isOfMarked ? 'fulfilled' : 'rejected');
      }
    }
  });

  it('does not take an adoption for one that somebody else has marked meanwhile', async () => {
    const store = await unmarked();
    store.replace = async (...write) => {
      store.replace = MemoryStore.prototype.replace;
      await claimLake(store, TWO, 'adopted');
      return await store.replace(...write);
    };
    await expect(claimLake(store, ONE, 'adopted')).rejects.toThrow(OtherSourceError);
    expect(await sourceOf(store)).toEqual(TWO);
  });
});

it('a lake with the audit of exports that read nothing is still to be marked', async () => {
  const store = memory();
  await replaceText(store, 'exportaciones/fecha_corrida=2026-11-20/of-a-failed-run.parquet', 'x', undefined);
  expect(await checkSource(store, SANDBOX)).toBeUndefined();
  await claimLake(store, ONE);
  expect(await readText(store, SOURCE_KEY)).toBe(`${JSON.stringify({ version: 1, ...ONE })}\n`);
});

it.each([
  '',
  'null',
  '[]',
  '{"version":1}',
  '{"version":2,"api":"https://one.example"}',
  '{"version":1,"api":"https://one.example","more":1}',
  '{"version":1,"api":"https://user:secret@one.example"}',
  '{"version":1,"api":"https://one.example/?token=secret"}',
  '{"version":1,"api":"http://one.example"}',
  '{"version":1,"api":"https://one.example\\u001b[31m"}',
  '{"version":1,"api":"https://ONE.example/"}',
  '{"version":1,"sandbox":{"seed":"a b"}}',
  `{"version":1,"api":"https://one.example/${'x'.repeat(5000)}"}`,
])('a mark that is not exactly right stops everything, and is not repeated: %j', async (text) => {
  for (const store of [memory(), new FolderStore(newFolder())]) {
    await replaceText(store, SOURCE_KEY, text, undefined);
    for (const claim of [undefined, 'moved', 'adopted'] as const) {
      const error = await claimLake(store, ONE, claim).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WrongInputError);
      expect(String(error)).toMatch(/move the mark away, and confirm once with --adopt-lake/);
      expect(String(error)).not.toMatch(/secret|\[31m/);
    }
    await expect(checkSource(store, ONE)).rejects.toThrow("can't read the mark of the lake");
  }
});

it.each([
  ['s3://bucket/lake', undefined, 'backfill'],
  // A lake from outside may name any address, and the reader's tokens would go there.
  ['./lake', ONE, 'export --lake ./lake --companies companies.json'],
  // Nobody's tokens go to a service on this machine where there is no file of them.
  ['./lake', { api: 'http://127.0.0.1:8787' }, 'export --lake ./lake --api http://127.0.0.1:8787'],
  ['/data/the lake', TWO, "export --lake '/data/the lake' --companies companies.json"],
  ['./lake-sandbox', SANDBOX, 'export --lake ./lake-sandbox --sandbox'],
  ['./lake', undefined, 'export --lake ./lake --companies companies.json'],
  ['./lake', 'unreadable', 'export --lake ./lake --companies companies.json'],
] as const)(
  'days of %s, of %j, are read again by the command that fills it',
  async (address, source, command) => {
    const store = Object.assign(memory(), { address });
    if (source === 'unreadable') await replaceText(store, SOURCE_KEY, source, undefined);
    else if (source !== undefined) await claimLake(store, source);
    expect(await readAgainCommand('cfe-lake', store)).toBe(`cfe-lake ${command}`);
  },
);
