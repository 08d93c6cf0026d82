import type {
  LakeStore,
  ListedObject,
  ObjectBytes,
  ReplaceOptions,
  StoredObject,
} from '../../../lib/lake/store/store.ts';

/** A store whose process dies at a step: that call, or the write under way, and all later calls throw. */
export class DyingStore implements LakeStore {
  readonly address: string;
  steps = 0;
  private readonly store: LakeStore;
  private readonly dieAtStep: number;

  constructor(store: LakeStore, dieAtStep = Number.POSITIVE_INFINITY) {
    this.store = store;
    this.address = store.address;
    this.dieAtStep = dieAtStep;
  }

  async find(key: string) {
    this.step();
    return await this.store.find(key);
  }

  async open(key: string): Promise<ObjectBytes> {
    this.step();
    return await this.store.open(key);
  }

  async replace(key: string, bytes: AsyncIterable<Uint8Array>, options: ReplaceOptions) {
    this.step();
    return await this.store.replace(key, this.steppedThrough(bytes), options);
  }

  async *list(folder: string): AsyncGenerator<string> {
    this.step();
    yield* this.store.list(folder);
  }

  async *listTimes(folder: string) {
    this.step();
    yield* this.store.listTimes(folder);
  }

  async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    this.step();
    yield* this.store.listFingerprints(folder);
  }

  async fingerprintOf(found: StoredObject) {
    this.step();
    return await this.store.fingerprintOf(found);
  }

  async remove(key: string): Promise<void> {
    this.step();
    await this.store.remove(key);
  }

  private async *steppedThrough(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      yield chunk;
      this.step();
    }
  }

  private step(): void {
    this.steps += 1;
    if (this.steps >= this.dieAtStep) throw new Error('killed');
  }
}
