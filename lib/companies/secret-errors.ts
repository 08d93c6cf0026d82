import { awsFaultOf } from '../aws-fault.ts';
import { CfeLakeError } from '../errors.ts';
import { type CompanyProblem, describeProblem } from './problem.ts';

/** Secrets Manager did not give what was asked for. Names the secret, never what it holds. */
export class SecretReadError extends CfeLakeError {
  override name = 'SecretReadError';
  readonly secretName: string;
  constructor(secretName: string, error: unknown) {
    const { code, advice = TRY_AGAIN } = awsFaultOf(error, 'secrets');
    super(`The secret ${secretName} could not be read (${code}).`, { advice });
    this.secretName = secretName;
  }
}

const TRY_AGAIN = 'Try again; if it stays so, look at the state of Secrets Manager in this region.';

/** Nothing under that name, so there is no company to export. */
export class SecretMissingError extends CfeLakeError {
  override name = 'SecretMissingError';
  constructor(baseName: string) {
    super(`There is no secret named ${baseName}.`, {
      advice:
        `Create it: aws secretsmanager create-secret --name ${baseName} ` +
        '--secret-string file://companies.json',
    });
  }
}

/** A company that the run knows has no token any more, or never had one where a worker looks for it. */
export class CompanyMissingError extends CfeLakeError {
  override name = 'CompanyMissingError';
  readonly rut: string;
  constructor(rut: string, baseName: string, problems: readonly CompanyProblem[]) {
    const reasons = problems.map(describeProblem).join('; ');
    super(
      `RUT ${rut} has no usable entry in the secret ${baseName} or in one whose name is ${baseName}/ and the ` +
        `RUT's first digits${reasons === '' ? '' : ` (${reasons})`}.`,
      { advice: 'Add it there, then export it again.' },
    );
    this.rut = rut;
  }
}
