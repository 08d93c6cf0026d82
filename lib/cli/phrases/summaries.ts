import { inBoth } from '../../text/language.ts';

/** What each command does, in the order of the help. */
const en = {
  export: () => 'Export receipts from the API to the lake.',
  missing: () => 'List company-days that were never exported or failed last time; --export exports them.',
  coverage: () => 'Show which days were read: a calendar for each company and direction.',
  verify: () => 'Read the API again and compare it with the lake, receipt by receipt; writes nothing.',
  probe: () =>
    'Find out how the API behaves where its contract is silent, in a few requests for one company.',
  query: () => 'Query the lake in SQL (DuckDB), with the table names that it has in Athena.',
  publish: () => 'Bring the tables up to date with their units, after an export that was interrupted.',
  forget: () => "Remove a company's receipts from the lake.",
  report: () =>
    'Report on a month before its books are closed, of a company or of all: a page, a workbook or text.',
  close: () =>
    'Close a month: the report, the VAT books, form 2181 and the rows of each company in a folder that never changes.',
  reconcile: () => 'Compare a list of receipts downloaded from the tax authority with the lake.',
  rates: () =>
    'Read exchange rates from a file or the central bank into the lake, for receipts that state none.',
  mcp: () => 'Let an assistant read the lake, over standard input and output; it changes nothing.',
  list: () => 'List receipts straight from the API, by any of its filters; stores nothing.',
  show: () => 'Show one receipt in full, straight from the API; stores nothing.',
  check: () =>
    "Check, in a minute, whether tonight's run of the deployed stack would succeed; exports nothing.",
  backfill: () => 'Export a range of issue dates with the deployed stack, and follow the run to its end.',
  runs: () => 'List the recent runs of the deployed stack.',
  sandbox: () =>
    "Run a local server for the whole query API, which can imitate the real service's quirks and faults.",
  companies: () => 'Check which tokens work, and when each expires.',
  init: () =>
    'Begin with your own companies: asks for what it needs, exports three days, and does so every night.',
  demo: () => 'Export the last month of a company of the sandbox, write it as a page, and ask one question.',
};

const es: typeof en = {
  export: () => 'Trae comprobantes de la API al lago.',
  missing: () => 'Lista los días que nunca se trajeron o que fallaron la última vez; --export los trae.',
  coverage: () => 'Muestra qué días se leyeron: un calendario por empresa y lista.',
  verify: () => 'Lee la API otra vez y la compara con el lago, comprobante por comprobante; no escribe nada.',
  probe: () => 'Averigua cómo se porta la API donde su contrato calla, con pocos pedidos y para una empresa.',
  query: () => 'Pregunta al lago en SQL (DuckDB), con los nombres de tablas que tiene en Athena.',
  publish: () => 'Pone al día las tablas después de una exportación interrumpida.',
  forget: () => 'Quita del lago los comprobantes de una empresa.',
  report: () =>
    'Informa sobre un mes antes de cerrarlo, de una empresa o de todas: una página, una planilla o texto.',
  close: () =>
    'Cierra un mes: el informe, los libros de IVA, el formulario 2181 y las filas de cada empresa, en una carpeta que no cambia.',
  reconcile: () => 'Compara con el lago una lista de comprobantes bajada del sitio de la DGI.',
  rates: () =>
    'Lee cotizaciones de un archivo o del Banco Central, para los comprobantes que no traen la suya.',
  mcp: () => 'Deja que un asistente lea el lago, por entrada y salida estándar; no cambia nada.',
  list: () => 'Lista comprobantes directo de la API, con cualquiera de sus filtros; no guarda nada.',
  show: () => 'Muestra un comprobante entero, directo de la API; no guarda nada.',
  check: () => 'Revisa en un minuto si la corrida de esta noche saldría bien en la nube; no exporta nada.',
  backfill: () => 'Trae un rango de fechas con lo instalado en la nube, y sigue la corrida hasta el final.',
  runs: () => 'Lista las últimas corridas de lo instalado en la nube.',
  sandbox: () =>
    'Abre un servidor local con la API entera, que puede imitar las mañas y fallas del servicio real.',
  companies: () => 'Revisa qué tokens sirven y cuándo vence cada uno.',
  init: () =>
    'Empieza con sus empresas: pregunta lo necesario, trae tres días, y lo repite cada noche si se le pide.',
  demo: () =>
    'Muestra todo con una empresa inventada: trae su último mes, escribe el informe y hace una pregunta.',
};

export const SUMMARIES = inBoth(en, es);
export type CommandName = keyof typeof en;
export const COMMAND_NAMES = Object.keys(en) as readonly CommandName[];
