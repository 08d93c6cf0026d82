/**
 * How companies are spread over secrets, so that a worker finds its own without reading them all: a secret
 * holds companies whose RUT begins with the digits that end its name. `cfe-lake/companies` itself may hold any,
 * `cfe-lake/companies/2140` those that begin with 2140, `cfe-lake/companies/214000010019` that one.
 */

const RUT_LENGTH = 12;

/** Every name that a company's secret may have, the most specific one first. */
export function namesFor(baseName: string, rut: string): string[] {
  const specific = Array.from({ length: RUT_LENGTH }, (_, index) => `${baseName}/${rut.slice(0, index + 1)}`);
  return [baseName, ...specific].reverse();
}

/**
 * The digits with which every RUT of this secret begins: '' for the base name. 'unusable' when the name is
 * below the base name but doesn't end in digits; undefined when it is another secret altogether.
 */
export function beginningOfRuts(baseName: string, secretName: string): string | undefined {
  if (secretName === baseName) return '';
  if (!secretName.startsWith(`${baseName}/`)) return undefined;
  const digits = secretName.slice(baseName.length + 1);
  return /^\d{1,12}$/.test(digits) ? digits : 'unusable';
}

/** The name in what Secrets Manager calls a secret's id: it may be the whole ARN, which ends in a dash and six characters. */
export function nameOfSecret(secretId: string): string {
  return /^arn:[\w-]+:secretsmanager:[\w-]*:\d*:secret:(.+)-\w{6}$/.exec(secretId)?.[1] ?? secretId;
}
