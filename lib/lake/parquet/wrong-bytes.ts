import { CfeLakeError } from '../../system/errors.ts';

/** The bytes are not a valid file of the lake. The message says what is wrong, and shows nothing of the rows. */
export class WrongBytesError extends CfeLakeError {
  override name = 'WrongBytesError';
}

/** Throws WrongBytesError unless `isSo`. */
export function expectThat(isSo: boolean, whatIsWrong: string): asserts isSo {
  if (!isSo) throw new WrongBytesError(whatIsWrong);
}
