import { type LakeStore, ObjectMissingError, type StoredObject } from './store.ts';

/** Small documents of a lake beside its tables, such as its mark. */

/** The text of an object; undefined where there is none. */
export async function readText(store: LakeStore, key: string): Promise<string | undefined> {
  try {
    const file = await store.open(key);
    try {
      return Buffer.from(await file.slice(0)).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined;
    throw error;
  }
}

/** Puts a text in the place of the object that was found. Throws StaleObjectError when another stands there by now. */
export async function replaceText(
  store: LakeStore,
  key: string,
  text: string,
  expected: StoredObject | undefined,
  metadata: StoredObject['metadata'] = {},
): Promise<void> {
  await store.replace(key, onePiece(text), { metadata, expected });
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
