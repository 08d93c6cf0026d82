import { inBoth, type Localized } from '../../text/language.ts';

/** Why the central bank's service gave no rates. */
const en = {
  noRates: (currency: string, fault: Localized) =>
    `The central bank gave no rates of ${currency}: ${fault('en')}.`,
  tryLater: () => 'Try again later, or read a file of its rates: rates FILE.',
  status: (status: number) => `it answered status ${status}`,
  notText: () => 'its answer is not UTF-8 text',
  notItsAnswer: () => 'its answer is not that of its service',
  says: (message: string, code: string) => `it says ${message} (code ${code})`,
  strangeRow: (from: string, to: string) => `one of its rows is no rate of it between ${from} and ${to}`,
  connection: (fault: string) => fault,
};

const es: typeof en = {
  noRates: (currency, fault) => `El Banco Central no dio cotizaciones de ${currency}: ${fault('es')}.`,
  tryLater: () => 'Pruebe más tarde, o lea un archivo suyo: rates ARCHIVO.',
  status: (status) => `respondió con el estado ${status}`,
  notText: () => 'su respuesta no es texto UTF-8',
  notItsAnswer: () => 'su respuesta no es la de su servicio',
  says: (message, code) => `dice ${message} (código ${code})`,
  strangeRow: (from, to) => `una de sus filas no es una cotización de esa moneda entre el ${from} y el ${to}`,
  connection: (fault) => `no se pudo preguntar (${fault})`,
};

export const BANK = inBoth(en, es);
