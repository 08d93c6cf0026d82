import { WrongInputError } from './errors.ts';

/** Throws WrongInputError if Node was told not to check certificates. */
export function assertCertificatesChecked(
  { NODE_TLS_REJECT_UNAUTHORIZED: check }: NodeJS.ProcessEnv = process.env,
): void {
  if (check !== '0') return;
  throw new WrongInputError(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 lets anybody pose as the API or AWS and take the tokens: unset it.',
    { advice: "For a certificate of your own authority, name that authority's file in NODE_EXTRA_CA_CERTS." },
  );
}
