import { FolderStore } from './folder.ts';
import type { LakeStore } from './store.ts';

/** The lake at an address: a folder. */
export async function openStore(address: string): Promise<LakeStore> {
  return new FolderStore(address);
}
