import { inBoth } from '../text/language.ts';

/** What starts programs at night is called, and asks of a person. */
const en = {
  crontab: () => 'your crontab',
  timers: () => "your user's timers of systemd",
  tasks: () => 'the Task Scheduler',
  linger: () =>
    'These timers run while you are logged in. To have them run always, once: loginctl enable-linger',
  taskProperties: () =>
    'In the properties of both tasks, choose to run them whether or not you are logged on, and after a missed start.',
  failed: (program: string, why: string) => `${program} failed${why}.`,
  byHand: () => 'Correct that, or write by hand what init prints without --schedule.',
  controlCharacter: () =>
    'A folder here has a control character in its name, such as a line break, which no line can hold: rename it.',
};
const es: typeof en = {
  crontab: () => 'su crontab',
  timers: () => 'los temporizadores de systemd de su usuario',
  tasks: () => 'el Programador de tareas',
  linger: () =>
    'Corren mientras su sesión está abierta. Para que corran siempre, una sola vez: loginctl enable-linger',
  taskProperties: () =>
    'En las propiedades de las dos tareas, elija que se ejecuten haya o no una sesión abierta, y también si se perdió la hora.',
  failed: (program, why) => `Falló ${program}${why}.`,
  byHand: () => 'Corríjalo, o escriba a mano lo que init muestra sin --schedule.',
  controlCharacter: () =>
    'Una carpeta tiene un carácter de control en su nombre, como un salto de línea, y ninguna línea lo admite: cámbieselo.',
};
export const SCHEDULER = inBoth(en, es);
