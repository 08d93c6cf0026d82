/** Requests in flight of a whole process, whatever company they are for. Those who wait are served in turn. */
export class SharedPlaces {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(maxInFlight: number) {
    this.free = maxInFlight;
  }

  /** Takes a place if there is one. */
  tryTake(): boolean {
    if (this.free === 0) return false;
    this.free -= 1;
    return true;
  }

  giveBack(): void {
    this.free += 1;
    // Whoever is called and still wants a place takes it, or waits at the end of the line.
    for (const onFree of [...this.waiting]) {
      if (this.free === 0) return;
      this.waiting.delete(onFree);
      onFree();
    }
  }

  /** Calls once a place may be free. */
  whenFree(onFree: () => void): void {
    this.waiting.add(onFree);
  }
}
