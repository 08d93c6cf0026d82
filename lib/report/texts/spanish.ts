import { SPANISH } from '../../coverage/texts.ts';
import { CHANGING_DAYS } from '../../time/days.ts';
import type { ReportTexts } from './english.ts';

/** As in Uruguay. */
export const SPANISH_REPORT: ReportTexts = {
  language: 'es',
  locale: 'es-UY',
  otherLanguage: 'English',
  forms: SPANISH,

  parts: {
    ventas: {
      title: 'Ventas por tipo',
      about:
        'Comprobantes emitidos y e-Boletas de entrada recibidas; las notas de crédito restan. No incluye rechazados, remitos ni resguardos. La moneda de un comprobante emitido está en su detalle: si no se leyó, queda vacía. No se suman monedas distintas.',
      nothing: 'No hay ventas.',
    },
    compras: {
      title: 'Compras por tipo',
      about:
        'Comprobantes recibidos y e-Boletas de entrada emitidas; las notas de crédito restan. No incluye rechazados, remitos ni resguardos. No se suman monedas distintas.',
      nothing: 'No hay compras.',
    },
    iva: {
      title: 'IVA',
      about:
        'Según los detalles leídos, a la tasa mínima (10 %) y a la básica (22 %). «Sin desglose» cuenta los comprobantes cuyo detalle no se leyó o no trae los montos por tasa: mientras no sea 0, las sumas están incompletas. «Por revisar» cuenta los que tienen montos ilegibles o un detalle anterior al último cambio.',
      nothing: 'No hay comprobantes con IVA.',
    },
    posicion: {
      title: 'IVA y retenciones',
      about:
        'Como lo declaran los comprobantes: IVA de ventas, de e-Facturas recibidas y sus notas, de e-Tickets recibidos aparte, y lo que retuvieron los resguardos, por moneda y en pesos al tipo de cambio que declara cada comprobante. No se resta nada de nada, ni se dice qué se puede deducir. La nota dice qué no se sabe: los comprobantes sin detalle leído o sin tipo de cambio no están en ninguna suma en pesos.',
      nothing: 'No hay IVA ni retenciones.',
    },
    rechazados: {
      title: 'Rechazados',
      about:
        'Emitidos que la DGI rechazó (BE) o cuyo receptor contestó algo distinto de ACEPTADO, y recibidos en estado BE. Un rechazo puede revertirse hasta 60 días después.',
      nothing: 'No hay rechazados.',
      concern: ['comprobante rechazado', 'comprobantes rechazados'],
    },
    'sin-respuesta': {
      title: 'Sin respuesta',
      about:
        'Emitidos sin respuesta de la DGI o de un receptor con RUT, que tiene 20 días corridos para contestar, y recibidos sin estado. Los e-Tickets de menos de 5.000 UI netas pueden quedar así para siempre, y no son algo por mirar: si uno lo es se sabe por su detalle, en pesos, con la UI que cita docs/e-tickets.md.',
      nothing: 'Todo tiene respuesta.',
    },
    numeracion: {
      title: 'Saltos de numeración',
      about:
        'Números de series emitidas que faltan o dejaron de aparecer en la lista. Los rechazados están en su propia parte. Un salto entre dos meses figura en el segundo. No todo salto es un error: hay números anulados, de otra sucursal o de días que no se leyeron.',
      nothing: 'No hay saltos.',
      concern: ['salto de numeración', 'saltos de numeración'],
    },
    duplicados: {
      title: 'Posibles duplicados',
      about:
        'Recibidos que repiten uno anterior: mismo proveedor, tipo, moneda y total, con otro número y a lo sumo 15 días de diferencia. Es una sospecha, no una prueba.',
      nothing: 'No hay posibles duplicados.',
      concern: ['posible factura duplicada', 'posibles facturas duplicadas'],
    },
    'dos-veces': {
      title: 'Numerados dos veces',
      about:
        'Comprobantes que figuran más de una vez en la lista, con dos identificadores o con dos fechas: las sumas los cuentan cada vez.',
      nothing: 'Ningún comprobante figura dos veces.',
      concern: [
        'fila de un comprobante que figura más de una vez',
        'filas de comprobantes que figuran más de una vez',
      ],
    },
    cambios: {
      title: 'Cambios desde el cierre',
      about:
        'Lo que apareció, desapareció o cambió de fecha o de datos después del último día del mes: el efecto neto de lo que vieron las lecturas. Un día leído por primera vez después del cierre no es un cambio.',
      nothing: 'Nada cambió desde el cierre.',
      concern: ['cambio desde el cierre', 'cambios desde el cierre'],
    },
  },
  headings: {},
  values: {
    Días: { '61 o mayor': '61 o más' },
    'e-Ticket': { 'bajo el limite': 'bajo el límite', 'sobre el limite': 'sobre el límite' },
    Situación: { desaparecido: 'ya no figura' },
    Cambio: {
      aparecio: 'apareció',
      reaparecio: 'reapareció',
      desaparecio: 'desapareció',
      movido: 'cambió de fecha',
    },
  },

  states: { incomplete: 'Incompleto', open: 'Puede cambiar', complete: 'Completo' },
  notOver: (to) => `El mes no terminó: va hasta el ${to}.`,
  daysLack: 'El mes no está completo: hay días que faltan o que hay que volver a leer.',
  lacking: (reason) => `No se puede afirmar que el mes esté completo: ${reason}.`,
  reasons: {
    lagging: 'las tablas no tienen todo lo exportado',
    unknown: 'no se sabe si las tablas están al día',
  },
  mayChange: (settled) =>
    `El mes está leído por completo y todavía puede cambiar: sus días se vuelven a leer hasta el ${settled}.`,
  readEarly: `El mes está leído por completo, pero no todo después de cumplir ${CHANGING_DAYS} días: puede haber cambiado desde entonces.`,
  complete: `El mes está completo: cada día se leyó cuando ya habían pasado ${CHANGING_DAYS} días.`,
  lagging:
    'Hay días exportados que las tablas todavía no tienen: una exportación está en marcha, o se interrumpió (el comando publish las pone al día)',
  lagUnknown: 'No se pudo saber si las tablas tienen todo lo exportado',
  troubledDays: {
    missing: [
      'día de emitidos o recibidos no está en el lago',
      'días de emitidos o recibidos no están en el lago',
    ],
    failed: [
      'día de emitidos o recibidos falló en su última lectura',
      'días de emitidos o recibidos fallaron en su última lectura',
    ],
    unstable: [
      'día de emitidos o recibidos no se probó libre de cambios al leerlo',
      'días de emitidos o recibidos no se probaron libres de cambios al leerlos',
    ],
    aged: [
      `día de emitidos o recibidos se leyó por última vez antes de cumplir ${CHANGING_DAYS} días`,
      `días de emitidos o recibidos se leyeron por última vez antes de cumplir ${CHANGING_DAYS} días`,
    ],
  },
  concerns: {
    withoutVat: [
      'comprobante sin desglose de IVA: las sumas de IVA están incompletas',
      'comprobantes sin desglose de IVA: las sumas de IVA están incompletas',
    ],
    vatToCheck: ['comprobante con IVA por revisar', 'comprobantes con IVA por revisar'],
    withoutTotal: [
      'comprobante sin un total que se pueda sumar',
      'comprobantes sin un total que se pueda sumar',
    ],
    unanswered: [
      'respuesta pendiente, de la DGI o de un receptor',
      'respuestas pendientes, de la DGI o de receptores',
    ],
    ticketsUnread: [
      'e-Ticket sin respuesta de la DGI y sin leer el detalle: no se sabe si está bajo el límite',
      'e-Tickets sin respuesta de la DGI y sin leer el detalle: no se sabe cuáles están bajo el límite',
    ],
  },
  nothingElse: 'No hay nada más que mirar.',
  notClosed: 'El mes no está cerrado todavía.',

  dayStates: {
    missing: 'falta',
    failed: 'falló la última lectura',
    unstable: 'no se probó libre de cambios',
    aged: `leído antes de cumplir ${CHANGING_DAYS} días`,
    open: 'leído, se vuelve a leer',
    exported: 'leído, definitivo',
  },
  days: 'Días',
  troubledTitle: 'Días que faltan o que hay que volver a leer',
  noTroubledDay: 'No falta ningún día.',
  wholeDays: (all, whole) =>
    `De ${all} (cada fecha de emisión, emitidos y recibidos), ${whole} ${whole === 1 ? 'está completo' : 'están completos'}.`,
  readAgain: 'Para leer los otros:',
  day: ['día', 'días'],
  workbook: {
    notes: 'Notas',
    month: '[$-380A]mmmm yyyy',
    longNumbers: (count, mostDigits) =>
      `En naranja: ${count} ${count === 1 ? 'número' : 'números'} de más de ${mostDigits} cifras, como texto. Excel los redondearía, y sus sumas no cuentan los textos.`,
    longTexts: (count, mostCharacters) =>
      `En naranja: ${count} ${count === 1 ? 'texto cortado' : 'textos cortados'} a los ${mostCharacters} caracteres, que es lo que cabe en una celda. CSV, JSON y Parquet los tienen enteros.`,
  },

  office: {
    title: 'Empresas',
    about:
      'Una fila por empresa. Importes por moneda, las notas de crédito restan; el IVA, según los detalles leídos, sin decir qué se puede deducir.',
    amounts: 'Importes',
    failed: 'Falló',
    progress: (done, all, name) => `${done}/${all} ${name}`,
    columns: {
      rut: 'RUT',
      name: 'Empresa',
      state: 'Mes',
      sales: 'Ventas',
      purchases: 'Compras',
      salesVat: 'IVA de ventas',
      invoicesVat: 'IVA de e-Facturas recibidas',
      ticketsVat: 'IVA de e-Tickets recibidos',
      otherVat: 'IVA de otros recibidos',
      withoutVat: 'Sin desglose de IVA',
      rejected: 'Rechazados',
      pendingAnswers: 'Sin respuesta',
      changesSinceClose: 'Cambios desde el cierre',
      missing: 'Qué falta',
    },
  },

  source: (lake, moment) => `según ${lake}, ${moment} (Uruguay)`,
  totals: 'Totales',
  plots: 'Gráficas',
  sales: 'Ventas',
  purchases: 'Compras',
  unknownCurrency: 'moneda desconocida',
  readDetails: 'La moneda está en los detalles. Para leerlos:',
  unnamedCurrency: 'Ni las listas ni los detalles leídos de los emitidos la nombran.',
  receipt: ['comprobante', 'comprobantes'],
  perDay: { emitidos: 'Emitidos por día', recibidos: 'Recibidos por día' },
  unread: 'sin leer',
  atMost: (most) => `a lo sumo ${most} en un día`,
  troubled: ['día falta o hay que volver a leerlo', 'días faltan o hay que volver a leerlos'],
  byType: (title) => `${title}: cuántos comprobantes`,
  otherTypes: 'Otros tipos',
  unknownType: 'tipo desconocido',
  shownRows: (shown, all) => `Se muestran ${shown} de ${all} filas; la planilla (--xlsx) las tiene todas.`,
};
