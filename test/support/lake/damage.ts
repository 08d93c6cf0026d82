import type { LakeStore } from '../../../lib/lake/store/store.ts';

/** Damages an object's bytes. By default, some of its pages become zeros. */
export async function damageObject(
  store: LakeStore,
  key: string,
  change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes.fill(0, 8, Math.min(1000, bytes.length / 2)),
): Promise<Uint8Array> {
  const expected = await store.find(key);
  const file = await store.open(key);
  const bytes = change(new Uint8Array(await file.slice(0)));
  await file.close();
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  await store.replace(key, parts(), { metadata: expected?.metadata ?? {}, expected });
  return bytes;
}
