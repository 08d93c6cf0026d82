import * as v from 'valibot';
import { messageOf, systemFaultOf, WrongInputError } from '../system/errors.ts';
import { readOwnFile } from '../system/private-files.ts';
import { addressFault } from '../text/api-address.ts';
import { decodedText, NOT_UTF_8 } from '../text/decoded-text.ts';
import { nearest } from '../text/typed-words.ts';
import { isValidRut, type Rut, rutProblem, showableRut } from '../units/rut.ts';
import { type Login, readLogin } from './login.ts';
import { COMPANIES_FILE } from './phrases.ts';
import { Token, TokenTextSchema } from './token.ts';

export interface Company {
  /** 12 digits, the check digit verified. */
  rut: Rut;
  /** A company without one has its token from a login. */
  token?: Token;
  /** Its own, which goes before the one that companies share. */
  login?: Login;
  /** A name to be shown, and nothing else. */
  name?: string;
}

type Named = Pick<Company, 'rut' | 'name'>;

/** The names of those companies that have one, by RUT. */
export function namesOf(companies: readonly Named[]): ReadonlyMap<string, string> {
  return new Map(companies.flatMap(({ rut, name }) => (name === undefined ? [] : [[rut, name]])));
}

/** Looks up companies' names, for display; '' for a company without one. */
export function nameLookup(companies: readonly Named[]): (rut: string) => string {
  const names = namesOf(companies);
  return (rut) => names.get(rut) ?? '';
}

/** A problem in a companies file or secret that a person has to fix. Never holds a token. */
export interface CompanyProblem {
  /** The file or secret. */
  source: string;
  /** Position of the entry in the source, from 1; absent when the source as a whole is wrong. */
  entry?: number;
  /** The entry's RUT as written, if it looks like one. */
  rut?: string;
  /** What is wrong and what to do. */
  reason: string;
}

/** One line: the source, the entry, its RUT and what is wrong. */
export function describeProblem(problem: CompanyProblem): string {
  const { source, entry, rut, reason } = problem;
  const place = entry === undefined ? '' : COMPANIES_FILE.entry(entry)('en');
  return `${source}${place}${rut === undefined ? '' : `, RUT ${rut}`}: ${reason}`;
}

/** The same of many: one line for companies that a secret's entries lack the same for. */
export function describeProblems(problems: readonly CompanyProblem[]): string[] {
  const alike = Map.groupBy(problems, (problem) =>
    problem.entry === undefined && problem.rut !== undefined
      ? `${problem.source}: ${problem.reason}`
      : problem,
  );
  return [...alike.values()].flatMap((group) => {
    const [first, ...repeats] = group;
    if (first === undefined || repeats.length === 0) return group.map(describeProblem);
    return [describeProblem({ ...first, rut: `${first.rut} and ${repeats.length} more` })];
  });
}

export interface ParsedCompanies {
  companies: Company[];
  /** The address of the API that the tokens are for, if the source gives it. */
  api?: URL;
  /** The login of companies that have neither a token nor a login of their own. */
  login?: Login;
  /** Position of each company's entry in the source, from 1, by RUT. */
  entryByRut: ReadonlyMap<string, number>;
  problems: CompanyProblem[];
}

const SHAPES = COMPANIES_FILE.shapes()('en');

const OwnLoginSchema = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
    const { login, reasons } = readLogin(value);
    if (login !== undefined) return login;
    for (const reason of reasons) addIssue({ message: `its login ${reason}` });
    return NEVER;
  }),
);

// Every message is our own: a library's would quote what it found, and that may be a token.
const EntrySchema = v.object(
  {
    rut: v.pipe(
      v.string(COMPANIES_FILE.rutIsText()('en')),
      v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
        if (isValidRut(value)) return value;
        addIssue({ message: COMPANIES_FILE.notARut(rutProblem(value)?.('en') ?? '')('en') });
        return NEVER;
      }),
    ),
    token: v.optional(TokenTextSchema),
    login: v.optional(OwnLoginSchema),
    name: v.optional(
      v.pipe(
        v.string('the name must be text'),
        // Names are printed, and stored in the audit.
        v.check((name) => !/\S{40}/.test(name), 'the name has 40 characters without a space: is it a token?'),
      ),
    ),
    // If it were ignored, the token would be sent to another address than the one beside it.
    api: v.optional(
      v.never(
        '"api" belongs beside "companies" and applies to all of them: give another API a file of its own',
      ),
    ),
  },
  ({ expected }) =>
    expected === 'Object' ? 'the entry must be an object' : COMPANIES_FILE.lacks(expected)('en'),
);

const FieldsSchema = v.record(v.string(), v.unknown());
const WithRutSchema = v.object({ rut: v.union([v.string(), v.number()]) });

/** The RUT of an entry, to name it in a message whatever else is wrong with it. */
function rutToShow(entry: unknown): string | undefined {
  const parsed = v.safeParse(WithRutSchema, entry);
  return parsed.success ? showableRut(String(parsed.output.rut)) : undefined;
}

interface Entries {
  entries: readonly unknown[];
  api?: URL;
  login?: Login;
  /** The source says in some form that its tokens are for an API, but not which: none of them may be sent. */
  isApiFaulty?: boolean;
  /** What is wrong with the source as a whole. */
  reasons: string[];
}

/** Both shapes as one list of entries. */
function entriesOf(json: unknown): Entries {
  const isObject = v.is(FieldsSchema, json) && !Array.isArray(json);
  if (!isObject) return { entries: [], reasons: [`${COMPANIES_FILE.noCompanies()('en')}: ${SHAPES}`] };
  if (!Object.hasOwn(json, 'companies')) return entriesByRut(json);
  const { companies, api: apiText, login: shared, $schema: _, ...unknownMembers } = json;
  if (!Array.isArray(companies)) return { entries: [], reasons: ['"companies" must be a list'] };
  const { api, reasons } = apiOf(apiText);
  const read = shared === undefined ? undefined : readLogin(shared);
  reasons.push(...(read?.reasons ?? []).map((reason) => `its "login" ${reason}`));
  if (companies.length === 0) reasons.push(COMPANIES_FILE.isEmpty()('en'));
  const names = Object.keys(unknownMembers);
  if (names.length > 0)
    reasons.push(
      `it has keys beside "companies", "api" and "login" (${names.length}): move them into the list`,
    );
  const isApiFaulty =
    (apiText !== undefined && api === undefined) ||
    Object.entries(unknownMembers).some(isMeantAsApi) ||
    companies.some((entry) => v.is(FieldsSchema, entry) && Object.hasOwn(entry, 'api'));
  return { entries: companies, api, isApiFaulty, login: read?.login, reasons };
}

/** The entries of `{"<rut>": "<token>"}`, where nothing else is a RUT: neither an address nor a list under another name. */
function entriesByRut(json: Readonly<Record<string, unknown>>): Entries {
  const members = Object.entries(json);
  if (members.length === 0)
    return { entries: [], reasons: [`${COMPANIES_FILE.noCompanies()('en')}: ${SHAPES}`] };
  const [misnamed] = members.find(([name, value]) => isMeantAsCompanies(name, value)) ?? [];
  if (misnamed !== undefined) {
    // A name that is like none may be a token in the wrong place.
    const isNear = nearest(misnamed, NAMES_OF_COMPANIES) !== undefined;
    const what = isNear ? `, but "${misnamed}"` : ', but another name';
    return { entries: [], reasons: [`it has no "companies"${what}. Did you mean companies?`] };
  }
  const entries = members.map(([rut, token]) => ({ rut, token }));
  if (!members.some(isMeantAsApi)) return { entries, reasons: [] };
  return { entries, isApiFaulty: true, reasons: [`an "api" needs a list beside it: ${SHAPES}`] };
}

const NAMES_OF_COMPANIES = ['companies', 'company', 'empresas', 'compañías'];

function isMeantAsCompanies(name: string, value: unknown): boolean {
  if (/^[\d ]+$/.test(name)) return false;
  return (typeof value === 'object' && value !== null) || nearest(name, NAMES_OF_COMPANIES) !== undefined;
}

/** An address under another name is one all the same: its tokens would go to the address that somebody else gave. */
function isMeantAsApi([name, value]: readonly [string, unknown]): boolean {
  return /^\W*api/i.test(name) || (typeof value === 'string' && value.includes('://'));
}

function apiOf(text: unknown): Pick<Entries, 'api' | 'reasons'> {
  if (text === undefined) return { reasons: [] };
  if (typeof text !== 'string') return { reasons: ['its "api" must be text: "https://…"'] };
  const fault = addressFault(text);
  if (fault !== undefined) return { reasons: [`its "api" is not the address of an API: ${fault('en')}`] };
  return { api: new URL(text), reasons: [] };
}

/** What an entry must have. In AWS the login is a secret of its own: `elsewhere`, and none in these secrets. */
export type LoginIs = 'here' | 'elsewhere';

/**
 * Companies of a parsed JSON document, `{"companies": [{"rut", "token"?, "login"?, "name"?}], "api"?, "login"?}` or
 * `{"<rut>": "<token>"}`. Valid companies are returned even if others are invalid. If a RUT occurs twice, the first
 * entry is returned. None is returned if an "api" is in the wrong place or is no address: nobody knows then where its
 * tokens may go. `source` is the file or secret, for the problems.
 */
export function parseCompanies(json: unknown, source: string, loginIs: LoginIs = 'here'): ParsedCompanies {
  const { entries, api, isApiFaulty = false, login: shared, reasons } = entriesOf(json);
  if (loginIs === 'elsewhere' && shared !== undefined) reasons.push(LOGIN_ELSEWHERE);
  const companies: Company[] = [];
  const problems: CompanyProblem[] = reasons.map((reason) => ({ source, reason }));
  const entryByRut = new Map<string, number>();

  for (const [index, raw] of entries.entries()) {
    const entry = index + 1;
    const parsed = v.safeParse(EntrySchema, raw);
    if (!parsed.success) {
      const rut = rutToShow(raw);
      const reason = parsed.issues.map((issue) => issue.message).join('; ');
      problems.push({ source, entry, ...(rut !== undefined && { rut }), reason });
      continue;
    }
    const { rut, token, login, name } = parsed.output;
    const reason = lackOf(parsed.output, shared, loginIs);
    if (reason !== undefined) {
      problems.push({ source, entry, rut, reason });
      continue;
    }
    const earlier = entryByRut.get(rut);
    if (earlier !== undefined) {
      problems.push({ source, entry, rut, reason: COMPANIES_FILE.sameRut(earlier)('en') });
      continue;
    }
    entryByRut.set(rut, entry);
    companies.push({
      rut,
      ...(token !== undefined && { token: new Token(token) }),
      ...(login !== undefined && { login }),
      ...(name !== undefined && { name }),
    });
  }
  return {
    companies: isApiFaulty ? [] : companies,
    ...(api !== undefined && { api }),
    ...(shared !== undefined && { login: shared }),
    entryByRut,
    problems,
  };
}

const LOGIN_ELSEWHERE =
  'the login belongs into a secret of its own, which the setting "login" names, never beside the companies';

function lackOf(
  { token, login }: v.InferOutput<typeof EntrySchema>,
  shared: Login | undefined,
  loginIs: LoginIs,
): string | undefined {
  if (token !== undefined && login !== undefined)
    return 'the entry has a token and a login: keep one of them';
  if (loginIs === 'elsewhere') return login === undefined ? undefined : LOGIN_ELSEWHERE;
  const hasNone = token === undefined && login === undefined && shared === undefined;
  return hasNone ? COMPANIES_FILE.noToken()('en') : undefined;
}

/**
 * Parses the JSON text of a companies file or secret. If it is not JSON, the problem gives line and column, and never
 * quotes the text: it holds tokens.
 */
export function parseCompaniesText(text: string, source: string, loginIs?: LoginIs): ParsedCompanies {
  const json = text.replace(/^\uFEFF/, '');
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch (error) {
    return unusable(source, `${COMPANIES_FILE.notJson()('en')}${placeOf(error)}: ${SHAPES}`);
  }
  const parsed = parseCompanies(document, source, loginIs);
  const repeated = repeatedNames(json);
  const problems = [...parsed.problems, ...repeated.map((name) => repetition(name, source))];
  // Which of the two addresses was meant, nobody knows.
  if (repeated.some(({ name }) => name === 'api')) return { companies: [], entryByRut: new Map(), problems };
  return { ...parsed, problems };
}

/** A file or secret without any company that can be used. */
export function unusable(source: string, reason: string): ParsedCompanies {
  return { companies: [], entryByRut: new Map(), problems: [{ source, reason }] };
}

/** Line and column from the end of JSON.parse's message, if it gives them. */
function placeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [, line, column] = / \(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  return line === undefined ? '' : COMPANIES_FILE.place(Number(line), Number(column))('en');
}

interface RepeatedName {
  name: string;
  count: number;
}

/** The names that a source may use; any other is left out of messages. */
const KNOWN_NAME =
  /^(?:\d{12}|companies|api|rut|token|name|login|tokenUrl|username|password\w*|refreshToken|client\w*|body|scope)$/;

/**
 * The known names that one object of a valid JSON text has several times. JSON.parse silently keeps the last of them.
 * That would drop a company, or use the wrong token or address.
 */
function repeatedNames(json: string): RepeatedName[] {
  const open: Map<string, number>[] = [];
  const repeated: RepeatedName[] = [];
  for (const [piece, text] of json.matchAll(/("(?:[^"\\]+|\\.)*")(?:\s*:)?|[{}]/g)) {
    const counts = open.at(-1);
    if (piece === '{') open.push(new Map());
    else if (piece === '}') {
      for (const [name, count] of open.pop() ?? []) if (count > 1) repeated.push({ name, count });
    } else if (text !== undefined && piece.endsWith(':')) {
      const name = String(JSON.parse(text));
      if (KNOWN_NAME.test(name)) counts?.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return repeated;
}

function repetition({ name, count }: RepeatedName, source: string): CompanyProblem {
  return {
    source,
    ...(/^\d/.test(name) && { rut: name }),
    reason: COMPANIES_FILE.repeated(name, count)('en'),
  };
}

/** The error of companies that can't be used: a line for each problem, never a token. */
export function companiesError(problems: readonly CompanyProblem[]): WrongInputError {
  return new WrongInputError(problems.map(describeProblem).join('\n'), { isMultiline: true });
}

export interface CompaniesFile {
  companies: readonly Company[];
  api: URL | undefined;
  login: Login | undefined;
}

/** The size of a file of a hundred thousand companies with tokens of a kilobyte. */
const MOST_BYTES = 128 * 1024 * 1024;

/** What readCompaniesFile reads. Throws a WrongInputError. */
export async function readCompaniesBytes(path: string): Promise<Buffer> {
  try {
    return await readOwnFile(path, MOST_BYTES);
  } catch (error) {
    if (error instanceof WrongInputError) throw error;
    const { code, reason = messageOf(error) } = systemFaultOf(error) ?? {};
    const remedy = code === 'ENOENT' ? `: ${COMPANIES_FILE.checkName()('en')}${SHAPES}` : '';
    throw companiesError([
      { source: `--companies ${path}`, reason: COMPANIES_FILE.cannotBeRead(reason + remedy)('en') },
    ]);
  }
}

/** A file of companies, in its order. Throws a WrongInputError that lists all problems if there is any. */
export async function readCompaniesFile(path: string): Promise<CompaniesFile> {
  return companiesIn(await readCompaniesBytes(path), path);
}

/** The same of its bytes. */
export function companiesIn(bytes: Uint8Array, path: string): CompaniesFile {
  const text = decodedText(bytes);
  const { companies, api, login, problems } =
    text === undefined ? unusable(path, NOT_UTF_8) : parseCompaniesText(text, path);
  if (problems.length > 0) throw companiesError(problems);
  return { companies, api, login };
}
