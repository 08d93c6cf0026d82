import { setTimeout as sleep } from 'node:timers/promises';
import { FolderStore } from '../../lib/lake/store/folder.ts';
import type { ListedObject } from '../../lib/lake/store/store.ts';

/** A folder that answers as late as a bucket: once for an object that is opened, a listing and a write. */
export class SlowFolder extends FolderStore {
  private readonly latencyMs: number;
  private readonly folder: FolderStore;

  constructor(folder: string, latencyMs: number) {
    super(folder);
    this.latencyMs = latencyMs;
    this.folder = new FolderStore(folder);
  }

  override async open(key: string) {
    await sleep(this.latencyMs);
    return await super.open(key);
  }

  override async replace(...given: Parameters<FolderStore['replace']>) {
    await sleep(this.latencyMs);
    return await super.replace(...given);
  }

  override async *listFingerprints(folder: string): AsyncGenerator<ListedObject> {
    await sleep(this.latencyMs);
    yield* this.folder.listFingerprints(folder);
  }
}
