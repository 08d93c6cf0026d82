import { createHash } from 'node:crypto';
import {
  type LakeStore,
  type ListedObject,
  type ObjectBytes,
  ObjectMissingError,
  type ReplaceOptions,
  StaleObjectError,
  type StoredObject,
} from '../../../lib/lake/store/store.ts';

interface MemoryObject {
  bytes: Uint8Array<ArrayBuffer>;
  found: StoredObject;
}

/** A lake in memory, on the test's clock. Keeps the keys that were replaced, in order. */
export class MemoryStore implements LakeStore {
  readonly address = 'memory';
  readonly objects = new Map<string, MemoryObject>();
  readonly replaced: string[] = [];
  private readonly now: () => number;
  private versions = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Another lake with the same objects. */
  copied(): MemoryStore {
    const copy = new MemoryStore(this.now);
    for (const [key, object] of this.objects) copy.objects.set(key, object);
    copy.versions = this.versions;
    return copy;
  }

  async find(key: string): Promise<StoredObject | undefined> {
    return this.objects.get(key)?.found;
  }

  async open(key: string): Promise<ObjectBytes> {
    const object = this.objects.get(key);
    if (object === undefined) throw new ObjectMissingError(key, this.address);
    const { bytes } = object;
    return {
      name: `${key} in ${this.address}`,
      byteLength: bytes.length,
      version: object.found.version,
      slice: async (start, end) => bytes.buffer.slice(start, end),
      close: async () => undefined,
    };
  }

  async replace(
    key: string,
    source: AsyncIterable<Uint8Array>,
    { metadata, expected }: ReplaceOptions,
  ): Promise<{ byteCount: number }> {
    const chunks = await Array.fromAsync(source);
    if (this.objects.get(key)?.found.version !== expected?.version) throw new StaleObjectError(key);
    const bytes = new Uint8Array(Buffer.concat(chunks));
    this.versions += 1;
    const version = `v${this.versions}`;
    const found = { key, byteCount: bytes.length, version, storedAtMs: this.now(), metadata };
    this.objects.set(key, { bytes, found });
    this.replaced.push(key);
    return { byteCount: bytes.length };
  }

  async *list(folder: string): AsyncGenerator<string> {
    yield* [...this.objects.keys()].filter((key) => key.startsWith(`${folder}/`)).sort();
  }

  listTimes(folder: string): AsyncGenerator<ListedObject> {
    return this.listFingerprints(folder);
  }

  async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    for await (const key of this.list(folder)) {
      const object = this.objects.get(key);
      if (object === undefined) continue;
      const { bytes, found } = object;
      const fingerprint = createHash('sha256').update(bytes).digest('hex');
      const { version, storedAtMs } = found;
      yield { key, byteCount: bytes.length, storedAtMs, version, fingerprint };
    }
  }

  async fingerprintOf({ key }: StoredObject): Promise<string> {
    const { bytes } = this.objects.get(key) ?? {};
    if (bytes === undefined) throw new ObjectMissingError(key, this.address);
    return createHash('sha256').update(bytes).digest('hex');
  }

  async remove(key: string): Promise<void> {
    this.objects.delete(key);
  }
}
