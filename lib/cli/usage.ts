import { rutProblem } from '../companies/rut.ts';
import { CfeLakeError, EXIT_WRONG_INPUT } from '../errors.ts';
import { namedRut, quoted } from './typed-word.ts';

export { PROGRAM } from '../program.ts';

/** What was typed can't be carried out; the message is one line that says what to type instead. */
export class UsageError extends CfeLakeError {
  override name = 'UsageError';
  override readonly exitCode = EXIT_WRONG_INPUT;
}

/** A whole number within bounds, from an option's text. Throws UsageError. */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    throw new UsageError(`--${option} takes a whole number from ${least} to ${most}, not ${quoted(text)}.`);
  }
  return number;
}

/** The text, which is a RUT. Throws UsageError. */
export function checkedRut(text: string): string {
  const problem = rutProblem(text);
  if (problem !== undefined) throw new UsageError(`${namedRut(text)}: ${problem}.`);
  return text;
}
