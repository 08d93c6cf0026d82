import type { ReplaceOptions } from '../../../lib/lake/store/store.ts';
import { RECIBIDOS } from '../../../lib/lake/tables.ts';
import { MemoryStore } from './memory-store.ts';

/** Tells when the first day of `recibidos` is published. */
export class WatchedStore extends MemoryStore {
  readonly published = Promise.withResolvers<string>();

  override async replace(key: string, source: AsyncIterable<Uint8Array>, options: ReplaceOptions) {
    const done = await super.replace(key, source, options);
    if (key.startsWith(RECIBIDOS.name)) this.published.resolve(key);
    return done;
  }
}
