import {
  type LakeStore,
  type ListedObject,
  type ObjectBytes,
  type ReplaceOptions,
  StaleObjectError,
  type StoredObject,
} from '../../../lib/lake/store/store.ts';

/** A store in which every call, and every chunk written, waits for its turn. */
export class TurnStore implements LakeStore {
  readonly address: string;
  /** Replacements that came too late. */
  refusals = 0;
  private readonly store: LakeStore;
  private readonly turn: () => Promise<void>;

  constructor(store: LakeStore, turn: () => Promise<void>) {
    this.address = store.address;
    this.store = store;
    this.turn = turn;
  }

  async find(key: string): Promise<StoredObject | undefined> {
    await this.turn();
    return await this.store.find(key);
  }

  async open(key: string): Promise<ObjectBytes> {
    await this.turn();
    return await this.store.open(key);
  }

  async replace(key: string, bytes: AsyncIterable<Uint8Array>, options: ReplaceOptions) {
    await this.turn();
    try {
      return await this.store.replace(key, this.inTurn(bytes), options);
    } catch (error) {
      if (error instanceof StaleObjectError) this.refusals += 1;
      throw error;
    }
  }

  async *list(folder: string): AsyncGenerator<string> {
    await this.turn();
    yield* this.store.list(folder);
  }

  async *listTimes(folder: string) {
    await this.turn();
    yield* this.store.listTimes(folder);
  }

  async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    await this.turn();
    yield* this.store.listFingerprints(folder);
  }

  async fingerprintOf(found: StoredObject): Promise<string> {
    await this.turn();
    return await this.store.fingerprintOf(found);
  }

  async remove(key: string): Promise<void> {
    await this.turn();
    await this.store.remove(key);
  }

  private async *inTurn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      await this.turn();
      yield chunk;
    }
  }
}
