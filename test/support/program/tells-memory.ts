import { mostMegabytes } from './most-memory.ts';

/** Imported before a program, it prints at the end the most memory that it had, in MB. */
process.on('exit', () => console.error(mostMegabytes()));
