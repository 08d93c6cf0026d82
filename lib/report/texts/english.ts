import { ENGLISH, type Several } from '../../coverage/texts.ts';
import type { WorkbookTexts } from '../../query/workbook.ts';
import { CHANGING_DAYS } from '../../time/days.ts';
import type { PartId, PartTexts } from '../parts.ts';

/** The texts that follow a number. */
interface CountedTexts {
  troubledDays: Readonly<Record<string, Several>>;
  concerns: Readonly<Record<string, Several>>;
  day: Several;
  receipt: Several;
  troubled: Several;
  [others: string]: unknown;
}

const PARTS: Readonly<Record<PartId, PartTexts>> = {
  ventas: {
    title: 'Sales by type',
    about:
      'Receipts issued and purchase slips (e-Boletas de entrada) received; credit notes subtract. Without rejected receipts, delivery notes (remitos) and withholding slips (resguardos). The currency of an issued receipt is in its detail: empty where that was not read. Currencies are not added together.',
    nothing: 'No sales.',
  },
  compras: {
    title: 'Purchases by type',
    about:
      'Receipts received and purchase slips (e-Boletas de entrada) issued; credit notes subtract. Without rejected receipts, delivery notes (remitos) and withholding slips (resguardos). Currencies are not added together.',
    nothing: 'No purchases.',
  },
  iva: {
    title: 'VAT',
    about:
      'From the details that were read, at the minimum rate (10 %) and the basic rate (22 %). “No breakdown” counts receipts whose detail was not read or has no amounts by rate: until it is 0, the sums are incomplete. “To check” counts those with unreadable amounts or a detail from before the last change.',
    nothing: 'No receipts with VAT.',
  },
  posicion: {
    title: 'VAT and withholdings',
    about:
      'As the receipts state them: VAT of sales, of received e-Facturas and their notes, of received e-Tickets apart, and what resguardos withheld, by currency and in pesos at the rate that each receipt states. Nothing is netted, and nothing says what may be deducted. The note says what is not known: receipts without a detail that was read or without a rate are in no sum of pesos.',
    nothing: 'No VAT and no withholdings.',
  },
  rechazados: {
    title: 'Rejected',
    about:
      'Issued receipts that the tax authority (DGI) rejected (BE) or whose recipient answered anything but ACEPTADO, and received ones in state BE. A rejection can be reversed for 60 days.',
    nothing: 'None rejected.',
    concern: ['rejected receipt', 'rejected receipts'],
  },
  'sin-respuesta': {
    title: 'Unanswered',
    about:
      'Issued receipts without an answer of the DGI or of a recipient with a RUT, who has 20 days to answer, and received ones without a state. e-Tickets below 5,000 UI net may stay so for ever, and need no look: whether one is below is known by its detail, in pesos, with the UI that docs/e-tickets.md quotes.',
    nothing: 'Everything is answered.',
  },
  numeracion: {
    title: 'Gaps in numbering',
    about:
      'Numbers of issued series that are missing or no longer listed. Rejected ones have a part of their own. A gap between two months is listed in the second. Not every gap is a fault: numbers may be voided, belong to another branch, or to days that were not read.',
    nothing: 'No gaps.',
    concern: ['gap in numbering', 'gaps in numbering'],
  },
  duplicados: {
    title: 'Possible duplicates',
    about:
      'Received receipts that repeat an earlier one: same supplier, type, currency and total, another number, at most 15 days apart. A suspicion, not a proof.',
    nothing: 'No possible duplicates.',
    concern: ['possibly duplicated invoice', 'possibly duplicated invoices'],
  },
  'dos-veces': {
    title: 'Numbered twice',
    about: 'Receipts listed more than once, under two ids or on two dates: the sums count them each time.',
    nothing: 'No receipt is listed twice.',
    concern: ['row of a receipt listed more than once', 'rows of receipts listed more than once'],
  },
  cambios: {
    title: 'Changes since the close',
    about:
      'What appeared, disappeared, or changed its date or data after the last day of the month: the net effect of what the readings saw. A day first read after the close is no change.',
    nothing: 'Nothing changed since the close.',
    concern: ['change since the close', 'changes since the close'],
  },
};

/** Headings by the column's Spanish name. */
const HEADINGS: Readonly<Record<string, string>> = {
  Antes: 'Before',
  Cambio: 'Change',
  Campo: 'Field',
  Cantidad: 'Count',
  Comprobante: 'Receipt',
  Comprobantes: 'Receipts',
  Concepto: 'Of what',
  Desde: 'From',
  Después: 'After',
  Documento: 'Document',
  'e-Ticket': 'e-Ticket group',
  Días: 'Days',
  Emisor: 'Issuer',
  Estado: 'State',
  Exportación: 'Export',
  Fecha: 'Date',
  'Fecha anterior': 'Earlier date',
  Hasta: 'To',
  'IVA básica': 'VAT, basic',
  'IVA básica en pesos': 'VAT, basic, in pesos',
  'IVA mínima': 'VAT, minimum',
  'IVA mínima en pesos': 'VAT, minimum, in pesos',
  Libro: 'Book',
  Lista: 'List',
  Moneda: 'Currency',
  'Neto básica': 'Net, basic',
  'Neto mínima': 'Net, minimum',
  'No gravado': 'Not taxed',
  Nombre: 'Name',
  Nota: 'Note',
  Número: 'Number',
  'Número anterior': 'Earlier number',
  'Pendiente de': 'Pending from',
  'Por revisar': 'To check',
  Primero: 'First',
  Proveedor: 'Supplier',
  Respuesta: 'Answer',
  Retenido: 'Withheld',
  'Retenido en pesos': 'Withheld, in pesos',
  RUT: 'RUT',
  Serie: 'Series',
  'Serie anterior': 'Earlier series',
  Signo: 'Sign',
  'Sin desglose': 'No breakdown',
  'Sin detalle': 'No detail',
  'Sin monto': 'No amount',
  'Sin tipo de cambio': 'No rate',
  Situación: 'Situation',
  Tipo: 'Type',
  Total: 'Total',
  Visto: 'Seen',
  id: 'id',
  Último: 'Last',
};

/** Translations of values, by column name and value. Other values stay as they are. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Libro: { Ventas: 'Sales', Compras: 'Purchases' },
  Concepto: {
    'IVA de ventas': 'VAT of sales',
    'IVA de e-Facturas recibidas': 'VAT of received e-Facturas',
    'IVA de e-Tickets recibidos': 'VAT of received e-Tickets',
    'IVA de otros recibidos': 'VAT of other received receipts',
    'Retenciones sufridas': 'Withholdings suffered',
    'Retenciones efectuadas': 'Withholdings made',
  },
  Nota: {
    'faltan detalles': 'details are missing',
    'falta tipo de cambio': 'no exchange rate',
    'hay que revisar': 'to check',
    'moneda desconocida': 'currency not known',
  },
  Días: { '0 a 20': '0 to 20', '21 a 60': '21 to 60', '61 o mayor': '61 or more' },
  'e-Ticket': {
    'bajo el limite': 'below the limit',
    'sobre el limite': 'above the limit',
    'sin leer el detalle': 'detail not read',
    'sin valor de UI': 'no UI value',
    ...Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `con la UI de ${2000 + index}`,
        `with the UI of ${2000 + index}`,
      ]),
    ),
  },
  'Pendiente de': { Receptor: 'Recipient', 'Estado del recibido': 'State of a received receipt' },
  Situación: { falta: 'missing', rechazado: 'rejected', desaparecido: 'no longer listed' },
  Cambio: {
    aparecio: 'appeared',
    reaparecio: 'reappeared',
    desaparecio: 'disappeared',
    movido: 'moved to another date',
    cambio: 'changed',
  },
};

/** Those that are not the workbook's own. */
const WORKBOOK: Partial<WorkbookTexts> = { notes: 'Notes' };

/**
 * All texts of the report. What another language lacks of them does not compile. Names of receipt types and the API's
 * own words (emitidos, recibidos) stay Spanish.
 */
export const ENGLISH_REPORT = {
  language: 'en',
  /** Language and country, for browsers. */
  locale: 'en',
  /** Its own name. */
  otherLanguage: 'Español',
  /** How days, months and amounts are written. */
  forms: ENGLISH,

  parts: PARTS,
  headings: HEADINGS,
  values: VALUES,

  states: { incomplete: 'Incomplete', open: 'May change', complete: 'Complete' },
  notOver: (to: string) => `The month is not over: it lasts until ${to}.`,
  daysLack: 'The month is not complete: some days are missing or have to be read again.',
  lacking: (reason: string) => `The month can't be called complete: ${reason}.`,
  reasons: {
    lagging: 'the tables lack some of what was exported',
    unknown: 'it is not known whether the tables are up to date',
  },
  mayChange: (settled: string) =>
    `The whole month has been read and may still change: its days are read again until ${settled}.`,
  readEarly: `The whole month has been read, but not all of it after its ${CHANGING_DAYS} days: days may have changed since.`,
  complete: `The month is complete: each day was read after its ${CHANGING_DAYS} days.`,
  lagging:
    'Some exported days are not in the tables yet: an export is under way, or was interrupted (the command publish brings the tables up to date)',
  lagUnknown: 'Whether the tables have all that was exported could not be found out',
  /** Days in a state that needs a look. */
  troubledDays: {
    missing: [
      'day of emitidos or recibidos is not in the lake',
      'days of emitidos or recibidos are not in the lake',
    ],
    failed: [
      'day of emitidos or recibidos failed at its last reading',
      'days of emitidos or recibidos failed at their last reading',
    ],
    unstable: [
      'day of emitidos or recibidos was not proved free of changes while it was read',
      'days of emitidos or recibidos were not proved free of changes while they were read',
    ],
    aged: [
      `day of emitidos or recibidos was last read before its ${CHANGING_DAYS} days were over`,
      `days of emitidos or recibidos were last read before their ${CHANGING_DAYS} days were over`,
    ],
  },
  concerns: {
    withoutVat: [
      'receipt without a VAT breakdown: the VAT sums are incomplete',
      'receipts without a VAT breakdown: the VAT sums are incomplete',
    ],
    vatToCheck: ['receipt whose VAT needs a check', 'receipts whose VAT needs a check'],
    withoutTotal: ['receipt without a total that can be added', 'receipts without a total that can be added'],
    unanswered: [
      'pending answer, of the DGI or of a recipient',
      'pending answers, of the DGI or of recipients',
    ],
    ticketsUnread: [
      'e-Ticket without an answer of the DGI whose detail was not read: it may be below the limit',
      'e-Tickets without an answer of the DGI whose details were not read: they may be below the limit',
    ],
  },
  nothingElse: 'Nothing else needs a look.',
  notClosed: 'The month is not closed yet.',

  /** A day's state, in a table. */
  dayStates: {
    missing: 'missing',
    failed: 'last reading failed',
    unstable: 'not proved free of changes',
    aged: `last read before its ${CHANGING_DAYS} days`,
    open: 'read, still re-read',
    exported: 'read, settled',
  },
  days: 'Days',
  troubledTitle: 'Days that are missing or have to be read again',
  noTroubledDay: 'No day is missing.',
  wholeDays: (all: string, whole: number) =>
    `Of ${all} (each issue date, emitidos and recibidos), ${whole} ${whole === 1 ? 'is' : 'are'} complete.`,
  readAgain: 'To read the others:',
  day: ['day', 'days'],
  workbook: WORKBOOK,

  /** Of several companies. */
  office: {
    title: 'Companies',
    about:
      'One row a company. Amounts by currency, credit notes subtracted; VAT as the details that were read state it. Nothing says what may be deducted.',
    amounts: 'Amounts',
    failed: 'Failed',
    progress: (done: number, all: number, name: string) => `${done}/${all} ${name}`,
    columns: {
      rut: 'RUT',
      name: 'Company',
      state: 'Month',
      sales: 'Sales',
      purchases: 'Purchases',
      salesVat: 'VAT of sales',
      invoicesVat: 'VAT of received e-Facturas',
      ticketsVat: 'VAT of received e-Tickets',
      otherVat: 'VAT of other received receipts',
      withoutVat: 'Without VAT breakdown',
      rejected: 'Rejected',
      pendingAnswers: 'Unanswered',
      changesSinceClose: 'Changes since the close',
      missing: 'What is missing',
    },
  },

  source: (lake: string, moment: string) => `from ${lake}, ${moment} (Uruguay)`,
  totals: 'Totals',
  plots: 'Plots',
  sales: 'Sales',
  purchases: 'Purchases',
  unknownCurrency: 'currency not known',
  readDetails: 'The currency is in the details. To read them:',
  unnamedCurrency: 'Neither the lists nor the details of issued receipts that were read name it.',
  receipt: ['receipt', 'receipts'],
  perDay: { emitidos: 'Issued by day', recibidos: 'Received by day' },
  unread: 'not read',
  atMost: (most: string) => `at most ${most} a day`,
  troubled: ['day is missing or has to be read again', 'days are missing or have to be read again'],
  byType: (title: string) => `${title}: how many receipts`,
  otherTypes: 'Other types',
  unknownType: 'unknown type',
  shownRows: (shown: number, all: string) =>
    `${shown} of ${all} rows are shown; the workbook (--xlsx) has all.`,
} satisfies CountedTexts;

export type ReportTexts = typeof ENGLISH_REPORT;
