import { inBoth } from '../text/language.ts';

/** Why a login gives no token, and what to do next. */
const loginEn = {
  refused: (status: number) => `the login was refused (status ${status}).`,
  refusedRut: (rut: string, status: number) => `the login gives no token for RUT ${rut} (status ${status}).`,
  checkRights: () => 'Check that its user may read this company.',
  checkScope: () => 'Check its "scope".',
  checkSecrets: () =>
    'Check its user and password, or get a new refresh token, and write them where they were read from.',
  notAsked: (fault: string) => `the login could not be asked: ${fault}.`,
  unreadable: (fault: string) => `the login answered what could not be read: ${fault}.`,
  status: (status: number) => `the login answered status ${status}.`,
  redirected: (status: number) =>
    `the login answered with a redirect, which is never followed (status ${status}).`,
  unknown: (status: number) => `the login answered in an unknown way (status ${status}).`,
  checkAddress: () => 'Check its tokenUrl and the network.',
  askLess: () => 'It asks for fewer requests: ask again later.',
  changed: () => 'Check its tokenUrl; if it keeps failing, the service has changed.',
  finalAddress: () => 'Give its final address as tokenUrl.',
  checkBody: () => 'Check its tokenUrl, and whether it takes "body": "json" or "form".',
  noPassword: (what: string) => `The login's "passwordFrom" gives no password: ${what}.`,
  variableMissing: () => 'the variable is not set',
  passwordShape: (bytes: number) =>
    `A password is one line of at most ${bytes} bytes, in a variable or an ordinary file. Set it, then try again.`,
};
const loginEs: typeof loginEn = {
  refused: (status) => `se rechazó el inicio de sesión (estado ${status}).`,
  refusedRut: (rut, status) => `el inicio de sesión no da un token para el RUT ${rut} (estado ${status}).`,
  checkRights: () => 'Revise que el usuario pueda leer esta empresa.',
  checkScope: () => 'Revise su "scope".',
  checkSecrets: () =>
    'Revise el usuario y la contraseña, o consiga otro token de renovación, y escríbalos donde estaban.',
  notAsked: (fault) => `no se pudo iniciar la sesión: ${fault}.`,
  unreadable: (fault) => `no se pudo leer la respuesta del inicio de sesión: ${fault}.`,
  status: (status) => `el inicio de sesión dio el estado ${status}.`,
  redirected: (status) =>
    `el inicio de sesión manda a otra dirección, adonde no se sigue (estado ${status}).`,
  unknown: (status) => `el inicio de sesión respondió algo que no se conoce (estado ${status}).`,
  checkAddress: () => 'Revise su tokenUrl y la red.',
  askLess: () => 'Pide menos solicitudes: pruebe más tarde.',
  changed: () => 'Revise su tokenUrl; si sigue fallando, el servicio cambió.',
  finalAddress: () => 'Dé la dirección final como tokenUrl.',
  checkBody: () => 'Revise su tokenUrl, y si lleva "body": "json" o "form".',
  noPassword: (what) => `La "passwordFrom" del usuario no da una contraseña: ${what}.`,
  variableMissing: () => 'la variable no está definida',
  passwordShape: (bytes) =>
    `Una contraseña es una línea de hasta ${bytes} bytes, en una variable o un archivo común. Escríbala y pruebe otra vez.`,
};
export const LOGIN = inBoth(loginEn, loginEs);

/** What is wrong with a companies file, and what to do: the ends of sentences. */
const fileEn = {
  shapes: () => 'write {"companies": [{"rut": "...", "token": "..."}]} or {"<rut>": "<token>"}',
  cannotBeRead: (why: string) => `it can't be read: ${why}`,
  checkName: () => 'check its name, or ',
  notJson: () => 'it is not JSON',
  place: (line: number, column: number) => ` (line ${line}, column ${column})`,
  noCompanies: () => 'it holds no companies',
  isEmpty: () => '"companies" is empty',
  sameRut: (entry: number) => `entry ${entry} has the same RUT: keep one of them`,
  noToken: () => 'the entry has no "token", and there is no "login"',
  lacks: (name: string) => `the entry has no ${name}`,
  rutIsText: () => 'the RUT must be text: put it in quotes',
  notARut: (why: string) => `the RUT is not valid: ${why}`,
  repeated: (name: string, count: number) => `the key "${name}" appears ${count} times: keep one of them`,
  entry: (entry: number) => `, entry ${entry}`,
};
const fileEs: typeof fileEn = {
  shapes: () => 'escriba {"companies": [{"rut": "...", "token": "..."}]} o {"<rut>": "<token>"}',
  cannotBeRead: (why) => `no se puede leer: ${why}`,
  checkName: () => 'revise su nombre, o ',
  notJson: () => 'no es JSON',
  place: (line, column) => ` (línea ${line}, columna ${column})`,
  noCompanies: () => 'no tiene empresas',
  isEmpty: () => '"companies" está vacía',
  sameRut: (entry) => `la entrada ${entry} tiene el mismo RUT: deje una sola`,
  noToken: () => 'a la entrada le falta "token", y no hay "login"',
  lacks: (name) => `a la entrada le falta ${name}`,
  rutIsText: () => 'el RUT tiene que ser un texto: póngalo entre comillas',
  notARut: (why) => `el RUT no es válido: ${why}`,
  repeated: (name, count) => `la clave "${name}" está ${count} veces: deje una sola`,
  entry: (entry) => `, entrada ${entry}`,
};
export const COMPANIES_FILE = inBoth(fileEn, fileEs);
