import { type CompanyProblem, describeProblem } from './problem.ts';

/** Secrets Manager did not give what was asked for. Names the secret, never what it holds. */
export class SecretReadError extends Error {
  override name = 'SecretReadError';
  readonly secretName: string;
  constructor(secretName: string, error: unknown) {
    const code = error instanceof Error ? error.name : String(error);
    super(`The secret ${secretName} could not be read (${code}). ${ADVICE[code] ?? TRY_AGAIN}`);
    this.secretName = secretName;
  }
}

const TRY_AGAIN = 'Try again; if it stays so, look at the state of Secrets Manager in this region.';

const ADVICE: Readonly<Record<string, string>> = {
  AccessDeniedException:
    'Is there such a secret? Then allow secretsmanager:GetSecretValue on it, BatchGetSecretValue and ListSecrets.',
  DecryptionFailure: 'Allow kms:Decrypt on the key that encrypts it.',
  InvalidRequestException: 'It may be marked for deletion: restore it, or take its companies into another.',
  ThrottlingException: 'Too many requests at once: export fewer companies at a time.',
};

/** Nothing under that name, so there is no company to export. */
export class SecretMissingError extends Error {
  override name = 'SecretMissingError';
  constructor(baseName: string) {
    super(
      `There is no secret named ${baseName}. Create it: aws secretsmanager create-secret --name ${baseName} ` +
        '--secret-string file://companies.json',
    );
  }
}

/** A company that the run knows has no token any more, or never had one where a worker looks for it. */
export class CompanyMissingError extends Error {
  override name = 'CompanyMissingError';
  readonly rut: string;
  constructor(rut: string, baseName: string, problems: readonly CompanyProblem[]) {
    const reasons = problems.map(describeProblem).join('; ');
    super(
      `RUT ${rut} has no usable entry in the secret ${baseName} or in one whose name is ${baseName}/ and the ` +
        `RUT's first digits${reasons === '' ? '' : ` (${reasons})`}. Add it there, then export it again.`,
    );
    this.rut = rut;
  }
}
