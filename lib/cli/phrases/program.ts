import { inBoth } from '../../text/language.ts';

const en = {
  about: () => 'Every CFE that your companies issue or receive, as Parquet, ready for SQL.',
  version: () => 'show the version',
  help: () => 'explain the program, or a command',
  debug: () => 'show where an error came from',
  lang: () => 'en or es (default: the language of your session)',
  exitCodes: (program: string) =>
    `\nHelp for a command:  ${program} export --help\n` +
    'Exit codes: 0 done; 1 failed, wholly or in part; 2 wrong input or set-up; 130 interrupted.',
  examples: () => 'Examples:',
  usage: () => 'Usage:',
  command: () => 'COMMAND',
  anyOptions: () => '[options]',
  options: () => 'Options:',
  commands: () => 'Commands:',
  arguments: () => 'Arguments:',
  repeated: () => 'may be repeated',
  json: () => 'print one JSON document; progress goes to stderr',

  unknownLanguage: () => '--lang takes en or es.',
  warning: () => 'Warning:',
  interrupted: () => 'Interrupted:',
  unfinished: () => 'unfinished work is as it was before.',
  goOn: () => ' Run the command again to go on.',
  loginAwaited: () => 'A login was asked for, and its answer is waited for, a minute or so at most.',
  notRead: (names: string, count: number, more: number) =>
    `Not read, because this program did not write ${count === 1 ? 'it' : 'them'} (a copy that a synchroniser made, ` +
    `a link, another name): ${names}${more > 0 ? `, and ${more} more` : ''}. Move ${count === 1 ? 'it' : 'them'} out of the lake.`,
  tokenAmongWords: () =>
    'There is a token among the words. Tokens belong only in the file that --companies names: others on this ' +
    'machine may have seen this one, so renew it.',
  inputEnded: () => 'The input ended before an answer.',
  runAgain: () => 'Run the command again.',
  unexpected: (what: string) =>
    `Unexpected error: ${what}. Unfinished work is as it was before. Run the command again; ` +
    'with --debug it shows where it failed.',
  noReason: () => 'no reason was given',

  missingCommand: () => 'missing command.',
  see: (problem: string, help: string) => `${problem} See: ${help}`,
  givenBefore: () => 'Another was given before it: keep one of them.',
  tildeLeft: () =>
    'The shell left ~ as it is: write it after a space and without quotes, or give the whole path.',
  allowed: (choices: readonly string[]) => `Allowed choices are ${choices.join(', ')}.`,
  wholeNumber: (least: number, most: number) => `It takes a whole number from ${least} to ${most}.`,
  noFolder: (option: string, folder: string) =>
    `--${option}: there is no folder ${folder}. Create it, or name another file.`,
  workbookName: (option: string) => `--${option}: give the file a name that ends with .xlsx.`,
  tokensOpen: (path: string, command: string) =>
    `${path} holds tokens, and other users of this machine may read it. Run: ${command}`,
  nobodyAsks: (settings: string) =>
    'mcp speaks with an assistant, which starts it; nobody does here. Write into the settings of your assistant: ' +
    settings,
  assistantBroke: () =>
    "The assistant's connection broke: it sent a message of more than 256 KB, or what is no message. Start mcp again.",
  secretAgain: (rut: string | undefined, secret: string) =>
    `\nThe login${rut === undefined ? '' : ` of ${rut}`} was refused. ${secret} (not shown; Enter: leave it): `,
};

const es: typeof en = {
  about: () => 'Cada CFE que sus empresas emiten o reciben, en Parquet, listo para SQL.',
  version: () => 'muestra la versión',
  help: () => 'explica el programa, o un comando',
  debug: () => 'muestra dónde se produjo un error',
  lang: () => 'en o es (si falta: el idioma de su sesión)',
  exitCodes: (program) =>
    `\nAyuda de un comando:  ${program} informe --ayuda\n` +
    'Códigos de salida: 0 hecho; 1 falló, del todo o en parte; 2 datos o preparación equivocados; 130 interrumpido.',
  examples: () => 'Ejemplos:',
  usage: () => 'Uso:',
  command: () => 'COMANDO',
  anyOptions: () => '[opciones]',
  options: () => 'Opciones:',
  commands: () => 'Comandos:',
  arguments: () => 'Argumentos:',
  repeated: () => 'puede repetirse',
  json: () => 'escribe un documento JSON; el progreso va a stderr',

  unknownLanguage: () => '--lang acepta en o es.',
  warning: () => 'Aviso:',
  interrupted: () => 'Interrumpido:',
  unfinished: () => 'lo que no terminó quedó como estaba antes.',
  goOn: () => ' Ejecute el comando otra vez para seguir.',
  loginAwaited: () =>
    'Se pidió un inicio de sesión y se espera la respuesta, un minuto o poco más como máximo.',
  notRead: (names, count, more) =>
    `${count === 1 ? 'No se leyó, porque este programa no lo escribió' : 'No se leyeron, porque este programa no los escribió'} ` +
    `(una copia de un sincronizador, un enlace, otro nombre): ${names}${more > 0 ? `, y ${more} más` : ''}. ` +
    `${count === 1 ? 'Sáquelo' : 'Sáquelos'} del lago.`,
  tokenAmongWords: () =>
    'Hay un token entre las palabras. Los tokens van solo en el archivo que nombra --companies: otros usuarios de ' +
    'esta máquina pueden haber visto este, así que renuévelo.',
  inputEnded: () => 'La entrada terminó antes de una respuesta.',
  runAgain: () => 'Ejecute el comando otra vez.',
  unexpected: (what) =>
    `Error inesperado: ${what}. Lo que no terminó quedó como estaba antes. Ejecute el comando otra vez; ` +
    'con --debug muestra dónde falló.',
  noReason: () => 'sin motivo',

  missingCommand: () => 'falta el comando.',
  see: (problem, help) => `${problem} Vea: ${help}`,
  givenBefore: () => 'Ya se dio otro antes: deje uno solo.',
  tildeLeft: () =>
    'La terminal dejó ~ tal cual: escríbalo después de un espacio y sin comillas, o dé la ruta entera.',
  allowed: (choices) => `Los valores son ${choices.join(', ')}.`,
  wholeNumber: (least, most) => `Lleva un número entero de ${least} a ${most}.`,
  noFolder: (option, folder) => `--${option}: no existe la carpeta ${folder}. Créela, o nombre otro archivo.`,
  workbookName: (option) => `--${option}: dé al archivo un nombre que termine en .xlsx.`,
  tokensOpen: (path, command) =>
    `${path} tiene tokens, y otros usuarios de esta máquina pueden leerlo. Ejecute: ${command}`,
  nobodyAsks: (settings) =>
    'mcp habla con un asistente, que lo arranca; acá no hay ninguno. Escriba en la configuración de su asistente: ' +
    settings,
  assistantBroke: () =>
    'Se cortó la conexión del asistente: envió un mensaje de más de 256 KB, o algo que no es un mensaje. Vuelva a arrancar mcp.',
  secretAgain: (rut, secret) =>
    `\nSe rechazó el ingreso${rut === undefined ? '' : ` de ${rut}`}. ${secret} (no se muestra; Enter: queda como está): `,
};

export const SAY = inBoth(en, es);

/** How Commander words what is wrong with the words of a command line, and what it comes to in Spanish. */
export const COMMANDER_IN_SPANISH: readonly [words: RegExp, spanish: string][] = [
  [/^unknown option '(.*)'$/s, "no existe la opción '$1'."],
  [/^unknown command '(.*)'$/s, "no existe el comando '$1'."],
  [/^option '(.*)' argument missing$/s, "falta el valor de la opción '$1'."],
  [/^missing required argument '(.*)'$/s, "falta '$1'."],
  [/^too many arguments.*?got \d+: (.*?)\.?$/s, 'sobran palabras: $1.'],
  [/^option '(.*)' argument '(.*)' is invalid\. (.*)$/s, "la opción '$1' no acepta '$2'. $3"],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)$/s,
    "'$2' no acepta '$1'. Los valores son $3",
  ],
];
