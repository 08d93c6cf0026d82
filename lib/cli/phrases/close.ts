import { inBoth } from '../../text/language.ts';
import { plural } from '../../text/terminal.ts';

/** What `close` is told, and what it says of each company. */
const en = {
  month: () => 'the month, by issue date; it must be over',
  out: () => 'the folder of closes: each is FOLDER/RUT/YYYY-MM, a second one YYYY-MM-2',
  listsFolder: () =>
    "the tax authority's lists, in files whose names begin with the company's RUT; what reconcile says is kept",
  closeAgain: () =>
    'close companies again whose close says something else; one that is named by --rut always is',
  acceptNames: (names: string) => `open points to close with, apart by commas: ${names}`,
  noteFiles: () =>
    'A close has the report (informe.html), both VAT books, the position and resguardos (.xlsx), form 2181 (.txt), the same as answers (.parquet), what reconcile said, the rows of the month (.parquet), and cierre.json: what was read when, what was accepted, and the hashes of all files, which are read-only. It is there as a whole or not at all, and is never replaced.',
  noteAgain: () =>
    'No second close is made that would say the same. A company whose newest close says something else is closed again if it is named by --rut, or with --again; else it is told.',
  notePoints: () => 'A month with open points is refused unless each is accepted by its name:',
  whereTo: () => 'Where to? Give --out FOLDER.',
  notOver: (month: string, today: string) => `${month} is not over: today is ${today} in Uruguay.`,
  wrongPoints: (names: string) => `--accept takes ${names}, apart by commas.`,
  refusing: (company: string) => `${company}: refused`,

  forClientFolder: () => 'a folder for the client of each company that is closed: FOLDER/RUT/YYYY-MM',
  noteForClient: () =>
    'A folder for the client has, of the close, the report, the books, the position, resguardos and form 2181, under a cover (portada.html): the company, the month, when it was read, what is open. It has no command and no path. It is written of months that are closed already, too, and of none that is refused. A file there that a person changed is never written over.',
  failed: (company: string, why: string) => `${company}: failed. ${why}`,
  same: (company: string, folder: string) =>
    `${company}: nothing differs (igual al último cierre), ${folder}`,
  left: (company: string) => `${company}: not closed again; it is not as in its newest close`,
  refused: (company: string, points: string) => `${company}: refused. ${points}`,
  closed: (company: string, folder: string) => `${company}: closed, in ${folder}`,
  empty: () => 'it has no receipts of this month, issued or received',
  accepted: (names: string) => `accepted: ${names}`,
  form: (leftOut: string) => `form 2181: ${leftOut}`,
  noList: () => 'no list of the tax authority',
  noListOf: (direction: string) => `no list of ${direction} of the tax authority`,
  unusedLists: (files: string) =>
    `not used: ${files}. The name of a list begins with the RUT of a company of this close.`,
  unknownList: (file: string) =>
    `${file} does not say whether it is of recibidos or emitidos: write "CFE Recibidos" or "CFE Emitidos" into a row above its heading, or leave it out.`,
  manyLists: (count: number, most: number) =>
    `Its ${plural(count, 'list is', 'lists are')} too much: of a company at most ${most} are read, of 50 MB in all. Leave out those of other months.`,
  largeLists: () =>
    'What differs from its lists is too much to keep: 200 MB. Reconcile each list alone, and see whether it is of this company.',
  allRows: (hidden: number, command: string) =>
    `${hidden > 0 ? `${plural(hidden, 'more row', 'more rows')}; all` : 'All'} of it:  ${command}\n`,
  otherChanges: (since: string, changes: string) => `Not as in ${since}: ${changes}.`,
  accept: (names: string) => `To close with these points open: --accept ${names}`,
  again: () => 'To close these again: --again, or name a company by --rut RUT.',
  points: () => 'the open points',
  lists: () => 'what reconcile says of the lists',
  verdict: (then: string, now: string) => `the verdict (“${then}” Now: “${now}”)`,
  ui: () => 'the UI',
  forClient: (folder: string, count: number) =>
    `For ${count === 1 ? 'the client' : 'clients'}: ${plural(count, 'folder', 'folders')}, in ${folder}`,
  notForClient: (companies: string) => `Nothing for the client, as it is not closed: ${companies}`,
  notClosed: (open: number, companies: number) =>
    `${plural(open, 'company', 'companies')} of ${companies} not closed.`,
};
const es: typeof en = {
  month: () => 'el mes, por fecha de emisión; tiene que haber terminado',
  out: () => 'la carpeta de los cierres: cada uno es CARPETA/RUT/AAAA-MM, y el segundo AAAA-MM-2',
  listsFolder: () =>
    'las listas de la DGI, en archivos cuyo nombre empieza con el RUT de la empresa; se guarda la conciliación',
  closeAgain: () =>
    'cierra otra vez las empresas cuyo cierre dice otra cosa; la nombrada con --rut siempre se cierra',
  acceptNames: (names) => `puntos abiertos con los que se cierra, separados por comas: ${names}`,
  noteFiles: () =>
    'Un cierre tiene el informe (informe.html), los dos libros de IVA, la posición y los resguardos (.xlsx), el formulario 2181 (.txt), lo mismo como respuestas (.parquet), la conciliación, las filas del mes (.parquet) y cierre.json: qué se leyó cuándo, qué se aceptó y el hash de cada archivo. Los archivos son de solo lectura. Está entero o no está, y nunca se reemplaza.',
  noteAgain: () =>
    'No se hace un segundo cierre que diga lo mismo. Una empresa cuyo último cierre dice otra cosa se cierra otra vez si se la nombra con --rut, o con --again; si no, se avisa.',
  notePoints: () => 'Un mes con puntos abiertos no se cierra si no se acepta cada uno por su nombre:',
  whereTo: () => '¿Adónde? Dé --salida CARPETA.',
  notOver: (month, today) => `${month} no terminó: hoy es ${today} en Uruguay.`,
  wrongPoints: (names) => `--aceptar lleva ${names}, separados por comas.`,
  refusing: (company) => `${company}: no se cierra`,

  forClientFolder: () => 'una carpeta para el cliente de cada empresa cerrada: CARPETA/RUT/AAAA-MM',
  noteForClient: () =>
    'La carpeta para el cliente tiene, del cierre, el informe, los libros, la posición, los resguardos y el formulario 2181, con una portada (portada.html): la empresa, el mes, cuándo se leyó y qué queda abierto. No tiene comandos ni rutas. Se escribe también de un mes que ya estaba cerrado, y no de uno que no se cierra. Un archivo de ahí que alguien cambió no se pisa.',
  failed: (company, why) => `${company}: falló. ${why}`,
  same: (company, folder) => `${company}: igual al último cierre, ${folder}`,
  left: (company) => `${company}: no se cerró otra vez; no es como en su último cierre`,
  refused: (company, points) => `${company}: no se cerró. ${points}`,
  closed: (company, folder) => `${company}: cerrada, en ${folder}`,
  empty: () => 'no tiene comprobantes de este mes, emitidos ni recibidos',
  accepted: (names) => `se aceptó: ${names}`,
  form: (leftOut) => `formulario 2181: ${leftOut}`,
  noList: () => 'sin lista de la DGI',
  noListOf: (direction) => `sin lista de ${direction} de la DGI`,
  unusedLists: (files) =>
    `sin usar: ${files}. El nombre de una lista empieza con el RUT de una empresa de este cierre.`,
  unknownList: (file) =>
    `${file} no dice si es de recibidos o de emitidos: escriba "CFE Recibidos" o "CFE Emitidos" en una fila sobre su encabezado, o sáquela.`,
  manyLists: (count, most) =>
    `${count === 1 ? 'Su lista es demasiado' : `Sus ${count} listas son demasiado`}: de una empresa se leen ${most} a lo sumo, de 50 MB en total. Saque las de otros meses.`,
  largeLists: () =>
    'Lo que difiere de sus listas es demasiado para guardarlo: 200 MB. Concilie cada lista sola, y mire si es de esta empresa.',
  allRows: (hidden, command) =>
    `${hidden > 0 ? `${hidden === 1 ? 'Una fila' : `${hidden} filas`} más; todo` : 'Todo'}:  ${command}\n`,
  otherChanges: (since, changes) => `No es como en ${since}: ${changes}.`,
  accept: (names) => `Para cerrar con estos puntos abiertos: --aceptar ${names}`,
  again: () => 'Para cerrarlas otra vez: --again, o nombrar una empresa con --rut RUT.',
  points: () => 'los puntos abiertos',
  lists: () => 'la conciliación de las listas',
  verdict: (then, now) => `el veredicto («${then}» Ahora: «${now}»)`,
  ui: () => 'la UI',
  forClient: (folder, count) =>
    `Para ${count === 1 ? 'el cliente: una carpeta' : `los clientes: ${count} carpetas`}, en ${folder}`,
  notForClient: (companies) => `Sin carpeta para el cliente, porque no se cerró: ${companies}`,
  notClosed: (open, companies) =>
    `${open === 1 ? 'Una empresa' : `${open} empresas`} de ${companies} sin cerrar.`,
};
export const SAY = inBoth(en, es);
