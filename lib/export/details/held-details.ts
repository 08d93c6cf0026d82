import { Semaphore } from '../../system/concurrency.ts';

/** The details of all units that are read at once: they are in memory until their objects are stored. */
export class HeldDetails {
  /** Of those that a unit has beyond its first few, or that are too many with the other units': one at a time. */
  readonly turn = new Semaphore(1);
  byteCount = 0;
}
