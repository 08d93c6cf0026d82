import type { Language } from '../../text/language.ts';

/**
 * What rooms say in English alone, above all what is stored, such as why a day failed, and what it comes to in Spanish: a
 * text is replaced part by part, in this order. A test makes the mistakes that lead to them.
 */
const SPANISH: Readonly<Record<string, string>> = {
  'Renew the token of this company, then export the missing days again.':
    'Renueve el token de esta empresa y traiga otra vez los días que faltan.',
  'Export this day again when the API has recovered.':
    'Traiga este día otra vez cuando la API se haya recuperado.',
  'Check the API address and the network, then export this day again.':
    'Revise la dirección de la API y la red, y traiga este día otra vez.',
  'Check the API address, then export this day again; if it keeps failing, the API has changed.':
    'Revise la dirección de la API y traiga este día otra vez; si sigue fallando, la API cambió.',
  'Check that the token may read this company, and that the API may be asked from here.':
    'Revise que el token pueda leer esta empresa, y que se pueda llamar a la API desde aquí.',
  'asked once': 'se preguntó una vez',
  'the API refused the token (status 401)': 'la API rechazó el token (estado 401)',
  'not asked, because the API refuses all requests':
    'no se preguntó, porque la API rechaza todos los pedidos',
  'not asked, because the API is down': 'no se preguntó, porque la API no responde',
  'not asked, because the API has answered nothing so far':
    'no se preguntó, porque la API todavía no respondió nada',
  'nothing listens at that address and port': 'nadie atiende en esa dirección y puerto',
  'there is no host of that name': 'no hay un servidor con ese nombre',
  'the time limit passed': 'pasó el tiempo de espera',

  'Check its user and password, or get a new refresh token, and write them where they were read from.':
    'Revise el usuario y la contraseña, o consiga otro token de renovación, y escríbalos donde estaban.',
  'the login could not be asked': 'no se pudo iniciar la sesión',
  'the login answered what could not be read': 'no se pudo leer la respuesta del inicio de sesión',
  'Check its tokenUrl and the network.': 'Revise su tokenUrl y la red.',
  'Check its tokenUrl, and whether it takes': 'Revise su tokenUrl, y si lleva',
  'The login\'s "passwordFrom" gives no password': 'La "passwordFrom" del usuario no da una contraseña',
  'the variable is not set': 'la variable no está definida',
  'in a variable or an ordinary file. Set it, then try again.':
    'en una variable o un archivo común. Escríbala y pruebe otra vez.',

  ": it can't be read: ": ': no se puede leer: ',
  ': check its name, or write {': ': revise su nombre, o escriba {',
  ': write {': ': escriba {',
  '} or {': '} o {',
  'there is no such file or folder': 'no existe ese archivo o carpeta',
  'it is a folder, not a file': 'es una carpeta, no un archivo',
  'it is not JSON': 'no es JSON',
  'it holds no companies': 'no tiene empresas',
  '"companies" is empty': '"companies" está vacía',
  ' has the same RUT: keep one of them': ' tiene el mismo RUT: deje una sola',
  'the entry has no "token", and there is no "login"': 'a la entrada le falta "token", y no hay "login"',
  'the entry has no ': 'a la entrada le falta ',
  'the RUT must be text: put it in quotes': 'el RUT tiene que ser un texto: póngalo entre comillas',
  'the RUT is not valid': 'el RUT no es válido',
  'it must be 12 digits, without dots, dashes or spaces': 'lleva 12 dígitos, sin puntos, guiones ni espacios',
  'its check digit is wrong; look for a typing error':
    'el dígito verificador está mal; busque un error de tecleo',

  'Try again when it has ended, or wait longer with --wait MINUTES. End it if it hangs.':
    'Pruebe cuando haya terminado, o espere más con --wait MINUTOS. Termínelo si quedó colgado.',
  'The command coverage shows the companies that are. Another lake is named with --lake.':
    'El comando coverage muestra las que están. Otro lago se nombra con --lake.',
  'Export something first, or name another with --lake.': 'Traiga algo primero, o nombre otro con --lake.',
  'Choose another place. No object was left half-written.': 'Elija otro lugar. Nada quedó a medio escribir.',
  'There is no statement in this SQL.': 'No hay ninguna consulta en este SQL.',
  "The lake's tables: ": 'Tablas del lago: ',
};

/** The same of texts with values in them. */
const WITH_VALUES: readonly [english: RegExp, spanish: string][] = [
  [/asked (\d+) times/g, 'se preguntó $1 veces'],
  [/the API answered status (\d+)/g, 'la API respondió con el estado $1'],
  [/ and asks to wait (\d+) minutes/g, ' y pide esperar $1 minutos'],
  [/no answer from the API: (.*?) \((se preguntó.*?)\)/g, 'la API no respondió ($2): $1'],
  [/the API's answer (?:could not be read|is none): (.*?) \((se .*?)\)/g, 'la respuesta no sirve ($2): $1'],
  [/the (?:connection (?:was closed|failed)|(?:host|network) cannot be reached)/g, 'falló la conexión'],
  [/the login was refused \(status (\d+)\)/g, 'se rechazó el inicio de sesión (estado $1)'],
  [/the login answered (?:in an unknown way )?\(?status (\d+)\)?/g, 'el inicio de sesión dio el estado $1'],
  [/A password is one line of at most (\d+) bytes/g, 'Una contraseña es una línea de hasta $1 bytes'],
  [/\(line (\d+), column (\d+)\)/g, '(línea $1, columna $2)'],
  [/([:,]) entry (\d+)/g, '$1 entrada $2'],
  [/the key "(.*?)" appears (\d+) times: keep one of them/g, 'la clave "$1" está $2 veces: deje una sola'],
  [/^(.*) is writing the lake (.*), so nothing was done/g, '$1 escribe el lago $2, así que no se hizo nada'],
  [/^RUT (\d+) is not in the lake (.*): .* recorded there\./g, 'El RUT $1 no está en el lago $2.'],
  [/^There is nothing in the lake (.*) yet\./g, 'Todavía no hay nada en el lago $1.'],
  [/^The lake (.*?): .* failed: a file stands .* should/g, 'El lago $1: hay un archivo en vez de la carpeta'],
  [
    /^query changes nothing: give it a SELECT \(or (.*?)\).*/g,
    'consultar no cambia nada: lleva un SELECT (o $1).',
  ],
  [/row (\d+), "/g, 'la fila $1, "'],
  [/^(\w+ Error: )/g, 'DuckDB dice: $1'],
  [/^These are (\d+) statements; run one at a time\./g, 'Son $1 consultas; haga una por vez.'],
];

/** The text in the language of whoever reads it. */
export function retold(text: string, language: Language): string {
  if (language === 'en') return text;
  const parts = [...Object.entries(SPANISH), ...WITH_VALUES];
  return parts.reduce((said, [english, spanish]) => said.replaceAll(english, spanish), text);
}
