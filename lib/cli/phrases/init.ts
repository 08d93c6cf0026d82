import { inBoth } from '../../text/language.ts';
import { counted } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

/** What `init` asks and says. */
const en = {
  schedule: () => 'have it run every night: by crontab, systemd or Task Scheduler, whichever there is',
  undo: () => 'take out what --schedule put in for this folder, and do nothing else',
  writes: (file: string) => `Writes ${file} for your user alone. What is secret is not shown as you type it.`,
  either: () => 'Give either --schedule or --undo-schedule.',
  noScheduler: () => 'Neither crontab nor systemd nor the Task Scheduler can be used here.',
  printsCommands: () => 'Without --schedule, init prints the commands for another one.',
  takenOut: (name: string) => `Taken out of ${name}.`,
  nothingScheduled: (folder: string) => `Nothing is scheduled for ${folder}.`,
  noTerminal: (file: string, shape: string) =>
    `There is no terminal to ask at. Write ${file} for your user alone: ${shape}`,
  thenRun: (command: string) => `Then run: ${command}`,
  wrote: (file: string) => `Wrote ${file}, for your user alone.`,
  goOn: () => '\nGo on with those that work? (y, or Enter): ',
  correct: (file: string) => `Correct ${file} and run init again: it goes on with that file.`,
  lastDays: (lake: string) => `\nThe last days, into ${lake}:\n`,
  nights: (log: string) => `Every night the last 3 days, on Sundays the last 65; ${log} has what it prints.`,
  putInto: (scheduler: string, command: string) => `Put into ${scheduler}. To take it out: ${command}`,
  wouldWrite: (scheduler: string) => `With --schedule, init writes this into ${scheduler}:`,
  isThere: (file: string) => `There is a ${file}. Enter goes on with it, "new" writes another: `,

  asks: (question: string, isHidden: boolean) => `${question}${isHidden ? ' (not shown)' : ''}: `,
  thisAddress: () => 'This address',
  api: () => 'Address of the API (https://…)',
  way: () => 'How do you log in: user, refresh, client or tokens? (Enter: user)',
  wayNames: () => 'user, refresh, client, tokens',
  tokenUrl: () => 'Address of the login (https://…)',
  username: () => 'User name',
  password: () => 'Password',
  refreshToken: () => 'Refresh token',
  clientId: () => 'Client id',
  clientSecret: () => 'Client secret',
  body: () => 'Does the login take json or form? (Enter: json)',
  token: (rut: string, isSame: boolean) => `Token of ${rut}${isSame ? ' (Enter: the same as before)' : ''}`,
  oneOf: (choices: string) => `Answer one of these: ${choices}.`,
  empty: () => 'The answer is empty.',
  ruts: () => 'The RUTs of your companies: type or paste them, then press Enter.',
  isAll: () => 'Is that all? (y, or more RUTs): ',
  rut: (number: number) => `RUT ${number}: `,
  leftOut: (problem: string) => `Left out: ${problem}`,
  companies: (count: number, ruts: string) => `${plural(count, 'company', 'companies')}: ${ruts}`,
  aWord: () => 'a word',
  notARut: (word: string, why: string) => `${word} is not a RUT: ${why}.`,
};

const es: typeof en = {
  schedule: () => 'lo repite cada noche: por crontab, systemd o el Programador de tareas, el que haya',
  undo: () => 'saca lo que --schedule puso para esta carpeta, y no hace nada más',
  writes: (file) => `Escribe ${file} solo para su usuario. Lo secreto no se muestra mientras lo escribe.`,
  either: () => 'Dé --schedule o bien --undo-schedule.',
  noScheduler: () => 'Aquí no se puede usar crontab, systemd ni el Programador de tareas.',
  printsCommands: () => 'Sin --schedule, init muestra los comandos para otro.',
  takenOut: (name) => `Se sacó de ${inSpanish(name)}.`,
  nothingScheduled: (folder) => `No hay nada programado para ${folder}.`,
  noTerminal: (file, shape) =>
    `No hay una terminal donde preguntar. Escriba ${file} solo para su usuario: ${shape}`,
  thenRun: (command) => `Después ejecute: ${command}`,
  wrote: (file) => `Se escribió ${file}, solo para su usuario.`,
  goOn: () => '\n¿Seguir con los que sirven? (s, o Enter): ',
  correct: (file) => `Corrija ${file} y ejecute init otra vez: sigue con ese archivo.`,
  lastDays: (lake) => `\nLos últimos días, a ${lake}:\n`,
  nights: (log) => `Cada noche los últimos 3 días, los domingos los últimos 65; ${log} tiene lo que muestra.`,
  putInto: (scheduler, command) => `Quedó en ${inSpanish(scheduler)}. Para sacarlo: ${command}`,
  wouldWrite: (scheduler) => `Con --schedule, init escribe esto en ${inSpanish(scheduler)}:`,
  isThere: (file) => `Ya hay un ${file}. Enter sigue con él, "nuevo" escribe otro: `,

  asks: (question, isHidden) => `${question}${isHidden ? ' (no se muestra)' : ''}: `,
  thisAddress: () => 'Esta dirección',
  api: () => 'Dirección de la API (https://…)',
  way: () => '¿Cómo inicia sesión: usuario, renovación, cliente o tokens? (Enter: usuario)',
  wayNames: () => 'usuario, renovación, cliente, tokens',
  tokenUrl: () => 'Dirección del inicio de sesión (https://…)',
  username: () => 'Usuario',
  password: () => 'Contraseña',
  refreshToken: () => 'Token de renovación',
  clientId: () => 'Id de cliente',
  clientSecret: () => 'Secreto de cliente',
  body: () => '¿El inicio de sesión lleva json o form? (Enter: json)',
  token: (rut, isSame) => `Token de ${rut}${isSame ? ' (Enter: el mismo de antes)' : ''}`,
  oneOf: (choices) => `Responda con uno de estos: ${choices}.`,
  empty: () => 'La respuesta está vacía.',
  ruts: () => 'Los RUT de sus empresas: escríbalos o péguelos, y pulse Enter.',
  isAll: () => '¿Son todos? (s, o más RUT): ',
  rut: (number) => `RUT ${number}: `,
  leftOut: (problem) => `Se deja afuera: ${problem}`,
  companies: (count, ruts) => `${counted(count, ['empresa', 'empresas'])}: ${ruts}`,
  aWord: () => 'una palabra',
  notARut: (word, why) => `${word} no es un RUT: ${why}.`,
};

/** What the schedulers are called. */
const SCHEDULERS: Readonly<Record<string, string>> = {
  'your crontab': 'su crontab',
  "your user's timers of systemd": 'los temporizadores de systemd de su usuario',
  'the Task Scheduler': 'el Programador de tareas',
};

function inSpanish(scheduler: string): string {
  return SCHEDULERS[scheduler] ?? scheduler;
}

export const INIT = { en, es };
export const SAY = inBoth(en, es);
