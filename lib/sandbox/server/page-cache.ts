/** Rendered pages, the oldest forgotten first, so that a benchmark measures its client and not the rendering. */
export interface PageCache {
  get(key: string, stamp: string): Buffer | undefined;
  set(key: string, stamp: string, page: Buffer): void;
}

/** @param maxBytes 0: keep nothing */
export function pageCache(maxBytes: number): PageCache {
  const pages = new Map<string, { stamp: string; page: Buffer }>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= pages.get(key)?.page.length ?? 0;
    pages.delete(key);
  };
  return {
    get(key, stamp) {
      const known = pages.get(key);
      return known?.stamp === stamp ? known.page : undefined;
    },
    set(key, stamp, page) {
      if (page.length > maxBytes) return;
      forget(key);
      pages.set(key, { stamp, page });
      bytes += page.length;
      for (const oldest of pages.keys()) {
        if (bytes <= maxBytes) break;
        forget(oldest);
      }
    },
  };
}
