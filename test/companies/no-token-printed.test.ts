import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  describeProblem,
  type ParsedCompanies,
  parseCompanies,
  parseCompaniesText,
  readCompaniesFile,
} from '../../lib/companies/company.ts';
import { assertRut } from '../../lib/units/rut.ts';
import { campaign } from '../support/campaign.ts';
import { sharedFolder } from '../support/lake/lake-folder.ts';

/** Tokens consist of letters that none of our messages has in a row, so that any fragment is found. */
const FRAGMENT = /[QXZJKW]{3}/;
const token = fc.string({ unit: fc.constantFrom(...'QXZJKW'), minLength: 20, maxLength: 60 });
/** Includes tokens that no header can carry. */
const anyToken = fc.oneof(
  token,
  token.map((text) => `Bearer ${text}`),
  token.map((text) => `${text}\n`),
);

/** A token in every place where someone in a hurry might put one. */
const rut = fc.oneof(fc.constantFrom('211003420017', '219999830019', '210303670014', ''), anyToken);
/** Secrets in every member of a login, known or not. */
const login = fc.oneof(
  fc.record(
    Object.fromEntries(
      [
        'tokenUrl',
        'username',
        'password',
        'passwordFrom',
        'refreshToken',
        'clientId',
        'clientSecret',
        'body',
        'scope',
        'pasword',
        'QXZJKWQXZJKWQXZJKWQXZJKW',
      ].map((name) => [name, fc.oneof(anyToken, fc.constant('https://login.example/token'))]),
    ),
    { requiredKeys: [] },
  ),
  fc.record({ tokenUrl: fc.constant('https://login.example/token'), username: anyToken, password: anyToken }),
  anyToken,
);
const entry = fc.oneof(
  fc.record({ rut, login }),
  fc.record({ rut, token: anyToken, name: fc.constantFrom('Ñandú', 5) }, { requiredKeys: [] }),
  fc.record({ rut, token: fc.oneof(fc.array(anyToken), fc.record({ value: anyToken })) }),
  anyToken,
  fc.array(anyToken, { maxLength: 3 }),
);
const document = fc.oneof(
  fc.record({ companies: fc.array(entry, { maxLength: 4 }), login }),
  fc.record({ companies: fc.array(entry, { maxLength: 4 }) }),
  fc.record({ companies: fc.oneof(anyToken, fc.dictionary(anyToken, anyToken)) }),
  fc.dictionary(rut, anyToken, { maxKeys: 4 }),
  fc.dictionary(rut, entry, { maxKeys: 4 }),
  fc.tuple(fc.array(entry), anyToken).map(([companies, key]) => ({ companies, [key]: key })),
  fc.array(entry),
  anyToken,
);
/** JSON with a piece removed or inserted: the message of JSON.parse itself would quote the text around it. */
const brokenText = fc
  .tuple(document, fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', '"', ',', '}', ' ', 'x', '\n'))
  .map(([json, position, length, put]) => {
    const text = JSON.stringify(json);
    const start = position % text.length;
    return text.slice(0, start) + put + text.slice(start + length);
  });

function printed({ companies, problems }: ParsedCompanies): string {
  const options = { depth: null, showHidden: true };
  return [
    inspect({ companies, problems }, options),
    JSON.stringify({ companies, problems }),
    `${companies.map((company) => company.token)}`,
    ...problems.map(describeProblem),
  ].join('\n');
}

describe('no token is printed', () => {
  let folder: string;
  beforeAll(async () => {
    folder = sharedFolder();
  });

  it('from any document', () => {
    fc.assert(
      fc.property(document, (json) => {
        expect(printed(parseCompanies(json, 'companies.json'))).not.toMatch(FRAGMENT);
      }),
      { numRuns: campaign({ quick: 50, long: 500 }) },
    );
  });

  it('from any broken text', () => {
    fc.assert(
      fc.property(brokenText, (text) => {
        expect(printed(parseCompaniesText(text, 'companies.json'))).not.toMatch(FRAGMENT);
      }),
      { numRuns: campaign({ quick: 50, long: 500 }) },
    );
  });

  it('by the error of a file, its stack or its cause', async () => {
    const path = join(folder, 'companies.json');
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          brokenText,
          document.map((json) => JSON.stringify(json)),
        ),
        async (text) => {
          await writeFile(path, text);
          const outcome = await readCompaniesFile(path).catch((error: unknown) => error);
          const shown = inspect(outcome, { depth: null, showHidden: true }).replaceAll(folder, '');
          expect(shown).not.toMatch(FRAGMENT);
        },
      ),
    );
  });

  it('by the error of a RUT', () => {
    fc.assert(
      fc.property(anyToken, (text) => {
        expect(() => assertRut(text)).toThrow(
          expect.not.objectContaining({ stack: expect.stringMatching(FRAGMENT) }),
        );
      }),
    );
  });
});
