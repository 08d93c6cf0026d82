import type {
  LakeStore,
  ListedObject,
  ObjectBytes,
  ReplaceOptions,
  StoredObject,
} from '../../lib/lake/store/store.ts';
import type { Clock } from '../../lib/time/clock.ts';

/** A store as slow as S3 that counts the calls that S3 charges for. */
export class CountingStore implements LakeStore {
  reads = 0;
  writes = 0;
  /** Bytes written into the tables of details. */
  detailBytes = 0;
  private readonly store: LakeStore;
  private readonly latencyMs: number;
  private readonly clock: Clock;

  constructor(store: LakeStore, latencyMs: number, clock: Clock) {
    this.store = store;
    this.latencyMs = latencyMs;
    this.clock = clock;
  }

  get address(): string {
    return this.store.address;
  }

  async find(key: string): Promise<StoredObject | undefined> {
    await this.read();
    return await this.store.find(key);
  }

  async open(key: string): Promise<ObjectBytes> {
    await this.read();
    const bytes = await this.store.open(key);
    return {
      name: bytes.name,
      byteLength: bytes.byteLength,
      version: bytes.version,
      slice: async (start, end) => {
        await this.read();
        return await bytes.slice(start, end);
      },
      close: () => bytes.close(),
    };
  }

  async replace(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    options: ReplaceOptions,
  ): Promise<{ byteCount: number }> {
    await this.write();
    const written = await this.store.replace(key, bytes, options);
    if (/^unidades\/(recibidos|emitidos)_detalle\//.test(key)) this.detailBytes += written.byteCount;
    return written;
  }

  async *list(folder: string): AsyncIterable<string> {
    await this.write();
    yield* this.store.list(folder);
  }

  async *listFingerprints(folder: string): AsyncIterable<ListedObject> {
    await this.write();
    yield* this.store.listFingerprints(folder);
  }

  async remove(key: string): Promise<void> {
    await this.clock.sleep(this.latencyMs);
    await this.store.remove(key);
  }

  private async read(): Promise<void> {
    this.reads += 1;
    await this.clock.sleep(this.latencyMs);
  }

  private async write(): Promise<void> {
    this.writes += 1;
    await this.clock.sleep(this.latencyMs);
  }
}
