/** Notes of named queries in Spanish, for the workbooks of those that are handed over. The others have English ones. */
const BOOK = [
  'Los importes no gravados, de exportación, netos e IVA a la tasa mínima (10 %) y a la básica (22 %), y otros, que es el resto del total. Primero en la moneda del comprobante; después en pesos, al tipo de cambio que declara el comprobante, redondeado línea por línea. Sin tipo de cambio no hay importe en pesos. Las notas de crédito restan. No se suman monedas distintas.',
  'Nota vacía: la línea está completa. «sin desglose»: no se leyó el detalle, o no trae montos por tasa. «detalle anterior»: el detalle es anterior a la lista. «monto ilegible»: un importe no es un número, y quedó vacío. «sin total»: la lista no trae total, o no entró en su columna. «mas de dos decimales»: se redondeó un importe.',
  'No están los rechazados (BE; un rechazo todavía puede revertirse), los que la API ya no muestra, los remitos, los resguardos ni las boletas de entrada. Un número que figura dos veces en la lista tiene dos líneas (numerados-dos-veces). Los nombres internos de los totales no están en el contrato de la API: hay que verificarlos con el servicio real.',
  'Es lo que declaran los comprobantes; no dice qué IVA se puede deducir.',
];

const NOTES: Readonly<Record<string, readonly string[]>> = {
  'libro-iva-ventas': ['Los comprobantes que emitió una empresa, línea por línea.', '', ...BOOK],
  'libro-iva-compras': ['Los comprobantes que recibió una empresa, línea por línea.', '', ...BOOK],
  'posicion-iva': [
    'IVA y retenciones por mes y moneda, y en pesos, como los declaran los comprobantes.',
    '',
    'Una fila por empresa, mes, concepto y moneda: IVA de ventas, de e-Facturas recibidas y sus notas (11x, 14x), de e-Tickets recibidos y las suyas (10x, 13x), de otros recibidos, y lo que retuvieron los resguardos a la empresa (sufridas) y ella a otros (efectuadas). Las notas de crédito restan. No se resta una cosa de otra, ni se dice qué se puede deducir.',
    'En pesos, al tipo de cambio que declara cada comprobante, redondeado comprobante por comprobante, como en los libros IVA. Una retención cuenta en el mes de su resguardo. Lo que las e-Facturas retienen en sus propias líneas no está.',
    'sin_detalle: comprobantes sin monto conocido, porque su detalle no se leyó o no lo trae. sin_cambio: con montos y sin tipo de cambio. por_revisar: con un monto que no es un número o tiene más de dos decimales, o con un detalle anterior a la lista. La nota dice cuáles hay; vacía, la fila está completa.',
    'No están los rechazados (BE), los que la API ya no muestra, los remitos ni las boletas de entrada. Los nombres internos de los detalles no están en el contrato de la API: hay que verificarlos con el servicio real.',
  ],
};

/** A query's notes, if there are any in this language that are not in the query itself. */
export function notesIn(language: 'es' | 'en', query: string): readonly string[] | undefined {
  return language === 'es' ? NOTES[query] : undefined;
}
