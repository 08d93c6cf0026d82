/** A number of permits that callers share. Whoever waits for one is called in order of arrival. */
export class Semaphore {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(permits: number) {
    this.free = permits;
  }

  /** Takes a permit if one is free. */
  tryAcquire(): boolean {
    if (this.free === 0) return false;
    this.free -= 1;
    return true;
  }

  release(): void {
    this.free += 1;
    // Whoever is called and still wants a permit takes it, or waits at the end of the line.
    for (const onFree of [...this.waiting]) {
      if (this.free === 0) return;
      this.waiting.delete(onFree);
      onFree();
    }
  }

  /** Calls once a permit may be free. */
  whenFree(onFree: () => void): void {
    this.waiting.add(onFree);
  }
}
