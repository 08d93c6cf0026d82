import type {
  LakeStore,
  ListedObject,
  ObjectBytes,
  ReplaceOptions,
  StoredObject,
} from '../../lib/lake/store/store.ts';

/**
 * What becomes of a step that changes the lake. refused: nothing is done, and the next works. lost: it is done, and
 * its answer is lost. killed: nothing is done, nor anything after it.
 */
export type Fault = 'refused' | 'lost' | 'killed';

/** A lake whose n-th step from now on goes wrong. */
export class FaultyStore implements LakeStore {
  readonly address: string;
  private readonly store: LakeStore;
  private plan: { stepsLeft: number; fault: Fault } | undefined;
  private isKilled = false;

  constructor(store: LakeStore) {
    this.store = store;
    this.address = store.address;
  }

  /** How many steps work before one doesn't. */
  failAfter(steps: number, fault: Fault): void {
    this.plan = { stepsLeft: steps, fault };
  }

  /** All works from now on. Whether anything had gone wrong. */
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

  listFingerprints(folder: string): AsyncIterable<ListedObject> {
    this.assertAlive();
    return this.store.listFingerprints(folder);
  }

  copy(from: string, to: string): Promise<void> {
    return this.step(() => this.store.copy(from, to));
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
