import { inBoth } from '../../text/language.ts';
import { counted } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

const en = {
  refusedInAws: (problem: string) =>
    `On this machine the login has no such limit; a stack in AWS would refuse it: it ${problem}.`,
  company: () => 'company',
  expires: () => 'expires (Uruguay)',
  works: () => 'works',
  refused: () => 'refused: renew it',
  refusedLogin: () => 'refused',
  unknown: () => 'not tried',
  unknownEnd: () => 'unknown',
  companiesFile: () => 'the companies file',
  allWork: () => 'All tokens work. To export the receipts of yesterday:',
  thenCheck: () => 'Then check again:',
  loginsToken: (ruts: string) =>
    `The API refused the login's token for ${ruts}: ask its provider whether this user may read them.`,
  token: (ruts: string, place: string) =>
    `The API refused the token of ${ruts}: get a new one and write it into ${place}.`,
  notTried: (ruts: string) => `The token of ${ruts} could not be tried.`,
  soon: (ruts: string, days: number) => `Renew soon: the token of ${ruts} expires within ${days} days.`,
  loginWorks: (end: string, answered: number, companies: number) =>
    `The login works; its token is valid until ${end} (Uruguay), and the API answered for ` +
    `${answered} of ${plural(companies, 'company', 'companies')}.`,
};

const es: typeof en = {
  refusedInAws: (problem) =>
    `En esta máquina el inicio de sesión no tiene ese límite; una instalación en AWS lo rechazaría: ${problem}.`,
  company: () => 'empresa',
  expires: () => 'vence (Uruguay)',
  works: () => 'sirve',
  refused: () => 'rechazado: renuévelo',
  refusedLogin: () => 'rechazado',
  unknown: () => 'sin probar',
  unknownEnd: () => 'no se sabe',
  companiesFile: () => 'el archivo de empresas',
  allWork: () => 'Todos los tokens sirven. Para traer los comprobantes de ayer:',
  thenCheck: () => 'Después, para revisar otra vez:',
  loginsToken: (ruts) =>
    `La API rechazó el token del usuario para ${ruts}: pregunte a su proveedor si este usuario puede leerlas.`,
  token: (ruts, place) => `La API rechazó el token de ${ruts}: consiga uno nuevo y escríbalo en ${place}.`,
  notTried: (ruts) => `No se pudo probar el token de ${ruts}.`,
  soon: (ruts, days) => `Renuévelo pronto: el token de ${ruts} vence dentro de ${days} días.`,
  loginWorks: (end, answered, companies) =>
    `El inicio de sesión sirve; su token vale hasta ${end} (Uruguay), y la API respondió por ` +
    `${answered} de ${counted(companies, ['empresa', 'empresas'])}.`,
};

export const COMPANIES = { en, es };
export const SAY = inBoth(en, es);
