import type { Language } from './language.ts';

/** What commands and options are called in Spanish. */
const COMMANDS: Readonly<Record<string, string>> = {
  export: 'exportar',
  missing: 'faltan',
  query: 'consultar',
  verify: 'verificar',
  report: 'informe',
  close: 'cerrar',
  reconcile: 'conciliar',
  rates: 'cotizaciones',
  companies: 'empresas',
};
const OPTIONS: Readonly<Record<string, string>> = {
  month: 'mes',
  from: 'desde',
  to: 'hasta',
  out: 'salida',
  date: 'fecha',
  companies: 'empresas',
  lists: 'listas',
  accept: 'aceptar',
  close: 'cierre',
  help: 'ayuda',
  'for-client': 'para-el-cliente',
};

export function spanishCommand(name: string): string | undefined {
  return COMMANDS[name];
}

/** The word, or the option that it is the Spanish name of. */
export function englishOption(word: string): string {
  const [, name = '', value = ''] = /^--([a-z-]+)(=.*)?$/s.exec(word) ?? [];
  const [option] = Object.entries(OPTIONS).find(([, spanish]) => spanish === name) ?? [];
  return option === undefined ? word : `--${option}${value}`;
}

/** In help a command has both of its names. */
const COMMAND = new RegExp(
  `(\\bcfe-lake (?:-- )?)(${Object.keys(COMMANDS).join('|')})(?:\\|\\w+)?(?![\\w-])`,
  'g',
);
const OPTION = new RegExp(`(?<![\\w-])--(${Object.keys(OPTIONS).join('|')})(?![\\w-])`, 'g');

/** The text with the names that commands and options have in the language of its reader. */
export function withNamesOf(language: Language, text: string): string {
  if (language === 'en') return text;
  return text
    .replace(COMMAND, (_all, program: string, name: string) => `${program}${COMMANDS[name]}`)
    .replace(OPTION, (_all, name: string) => `--${OPTIONS[name]}`);
}
