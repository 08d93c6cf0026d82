import { CfeLakeError } from '../errors.ts';
import type { OptionTable, Parsed } from './option.ts';
import type { Printer } from './printer.ts';

/** Where a command reads from and writes to. */
export interface Terminal {
  stdout: Printer;
  stderr: Printer;
  /** Standard input, opened when it is asked for. */
  stdin?: () => AsyncIterable<Uint8Array | string>;
  /** Asks a person, and gives the answer; absent where nobody is there to answer. */
  ask?: (question: string) => Promise<string>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** Ctrl-C ended the command, which has said how to go on. */
export class ToldInterruption extends CfeLakeError {
  override name = 'ToldInterruption';
}

export interface Command<Options extends OptionTable = OptionTable> {
  /** The words after the name, as Commander has them: `<check>`, `[SQL...]`. */
  words?: string;
  /** All values of the first word, if there are few. */
  choices?: readonly string[];
  options: Options;
  examples: readonly string[];
  /** Lines below the examples in the help. */
  notes?: readonly string[];
  /** Returns the exit code. Throws UsageError. */
  run(options: Parsed<Options>, words: readonly string[], terminal: Terminal): Promise<number>;
}

/** The command, with the types of its options' values. */
export function defineCommand<Options extends OptionTable>(command: Command<Options>): Command<Options> {
  return command;
}
