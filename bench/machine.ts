import { availableParallelism, totalmem } from 'node:os';

/** The kind of machine, without its name. */
export function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${process.arch}), ${gigabytes} GB of memory, Node ${process.versions.node}`;
}
