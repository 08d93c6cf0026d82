import { inBoth } from '../../text/language.ts';

/** What `npm start` says between its steps. */
const en = {
  month: (lake: string) => `The last month of a company of the sandbox, over HTTP, into ${lake}:\n`,
  page: () => '\nThat month, as a page to look at before its books are closed:\n',
  question: () => '\nWho sent most receipts in pesos, and for how much (credit notes count negative):\n',
  next: () => 'Ask the next one yourself:',
};
const es: typeof en = {
  month: (lake) => `El último mes de una empresa inventada, por HTTP, a ${lake}:\n`,
  page: () => '\nEse mes, como página para mirar antes de cerrarlo:\n',
  question: () => '\nQuién mandó más comprobantes en pesos, y por cuánto (las notas de crédito restan):\n',
  next: () => 'La próxima la pregunta usted:',
};
export const SAY = inBoth(en, es);
