/** Values that hold while their stamp stands. The oldest are dropped when the lengths add up to more than `most`. */
export class StampedCache<Value extends { readonly length: number }> {
  private readonly most: number;
  private readonly kept = new Map<string, { stamp: string; value: Value }>();
  private length = 0;

  constructor(most: number) {
    this.most = most;
  }

  get(key: string, stamp: string): Value | undefined {
    const known = this.kept.get(key);
    return known?.stamp === stamp ? known.value : undefined;
  }

  set(key: string, stamp: string, value: Value): void {
    this.forget(key);
    this.kept.set(key, { stamp, value });
    this.length += value.length;
    for (const oldest of this.kept.keys()) {
      if (this.length <= this.most || oldest === key) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.length -= this.kept.get(key)?.value.length ?? 0;
    this.kept.delete(key);
  }
}
