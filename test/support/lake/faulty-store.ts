import type {
  LakeStore,
  ListedObject,
  ObjectBytes,
  ReplaceOptions,
  StoredObject,
} from '../../../lib/lake/store/store.ts';

/**
 * A fault of a step that changes the lake. refused: the step is not done, the next one works. lost: it is done, but its
 * answer is lost. killed: neither it nor any later step is done.
 */
export type Fault = 'refused' | 'lost' | 'killed';

/** A store in which one step has a fault. */
export class FaultyStore implements LakeStore {
  readonly address: string;
  private readonly store: LakeStore;
  private plan: { stepsLeft: number; fault: Fault } | undefined;
  private isKilled = false;

  constructor(store: LakeStore) {
    this.store = store;
    this.address = store.address;
  }

  /** Lets this many steps work, then one has the fault. */
  failAfter(steps: number, fault: Fault): void {
    this.plan = { stepsLeft: steps, fault };
  }

  /** Makes everything work again. Returns whether a step had failed. */
  mend(): boolean {
    const hasFailed = this.isKilled || (this.plan !== undefined && this.plan.stepsLeft < 0);
    this.plan = undefined;
    this.isKilled = false;
    return hasFailed;
  }

  find(key: string): Promise<StoredObject | undefined> {
    this.assertAlive();
    return this.store.find(key);
  }

  open(key: string): Promise<ObjectBytes> {
    this.assertAlive();
    return this.store.open(key);
  }

  replace(key: string, bytes: AsyncIterable<Uint8Array>, options: ReplaceOptions) {
    return this.step(() => this.store.replace(key, bytes, options));
  }

  list(folder: string): AsyncIterable<string> {
    this.assertAlive();
    return this.store.list(folder);
  }

  listTimes(folder: string) {
    this.assertAlive();
    return this.store.listTimes(folder);
  }

  listFingerprints(folder: string): AsyncIterable<ListedObject> {
    this.assertAlive();
    return this.store.listFingerprints(folder);
  }

  fingerprintOf(found: StoredObject): Promise<string> {
    this.assertAlive();
    return this.store.fingerprintOf(found);
  }

  remove(key: string): Promise<void> {
    return this.step(() => this.store.remove(key));
  }

  private async step<T>(work: () => Promise<T>): Promise<T> {
    this.assertAlive();
    const { plan } = this;
    if (plan !== undefined) plan.stepsLeft -= 1;
    if (plan?.stepsLeft !== -1) return await work();
    if (plan.fault === 'killed') this.isKilled = true;
    if (plan.fault === 'lost') await work();
    throw new Error(`the step was ${plan.fault}`);
  }

  private assertAlive(): void {
    if (this.isKilled) throw new Error('the process was killed');
  }
}
