import { type Narrowing, narrowingText } from './named-queries.ts';

/** What named queries ask and mean, in Spanish: a sentence, then paragraphs that say what those of the SQL file say. */

const PERIOD = 'Doce meses enteros y el corriente; otro período, con --mes, o con --desde y --hasta.';
const NOT_MIXED = 'No se suman monedas distintas.';
const TWICE = 'Un número fiscal que figura dos veces en la lista cuenta dos veces (numerados-dos-veces).';

function unnamed(names: string): string {
  return `El contrato del servicio no dice los nombres internos de ${names}: hay que verificarlos con el servicio real.`;
}

function book(more: string): readonly string[] {
  return [
    `Los importes no gravados, de exportación, netos e IVA a la tasa mínima (10 %) y a la básica (22 %), y otros, que es el resto del total (otras tasas, otros impuestos). Primero en la moneda del comprobante; después en pesos, a tipo_cambio, redondeado línea por línea: el mayor que 0 que declara el comprobante (cambio_de dice comprobante) o, si no hay, el de cotizaciones que vale ese día: el del último día anterior, a lo sumo diez; la UI, la del día; la UR, la del mes (cambio_de dice de qué día es). Sin ninguno no hay importe en pesos. ${NOT_MIXED} Las sumas por mes y moneda son las de iva-por-mes. La primera hoja de la planilla es para imprimir: todo en pesos, el neto y el IVA de todas las tasas juntos.`,
    `Si nota está vacía, el comprobante tiene todos sus datos. «sin desglose»: no se conoce ningún monto por tasa, porque no se leyó el detalle o no los trae. «detalle anterior»: el detalle es anterior a la lista, como cuando tiene otro total, o uno que no es un número. «monto ilegible»: un importe no es un número de hasta 15 cifras antes de la coma, y quedó vacío. «falta IVA»: declara un neto a una tasa y no su IVA. «falta neto»: declara un IVA y ningún neto a su tasa. «importe negativo»: un importe o el total es menor que 0; el signo lo da el tipo, y se suma como vino. «no cierra»: los montos por tasa suman más que el total, por más de 1,00 en su moneda (los totales pueden estar redondeados). «sin total»: la lista no trae total, o no entró en su columna y está en otros. «más de dos decimales»: se redondeó un importe. «tipo desconocido»: no está en tipos_comprobante, y no se sabe su signo. «moneda desconocida»: no la trae, o no son tres letras mayúsculas, y no se le aplica ningún tipo de cambio. «sin tipo de cambio»: no hay ninguno. «tipo de cambio ilegible»: el comprobante declara uno que no es 0 ni un número mayor, y vale el de cotizaciones. «tipo de cambio dudoso»: declara uno que se aparta más de una quinta parte del de cotizaciones, y vale el que declara. «contraparte contradictoria» y «fecha contradictoria»: el detalle tiene otra contraparte (por letras y cifras) u otra fecha de emisión que la lista, o una que no se puede leer, y vale la de la lista. «estado desconocido»: no es un código conocido (AE, BE, CE, FE o NE) o no es un texto (y entonces el estado es ?), y no se sabe si está rechazado. «estado contradictorio»: el detalle tiene otro, y vale el de la lista. El IVA es el que declara el comprobante: no se dice si corresponde a la tasa. Un recibo de cobro tiene total 0 y no tiene IVA: lo que falta en el detalle de un total de 0 es 0. ${more} ${unnamed('totales, emisor y receptor (ruc, nro_doc)')}`,
    `No están los rechazados (BE; un rechazo todavía puede revertirse), los que el servicio ya no muestra, los remitos, los resguardos ni las boletas de entrada. Un número que figura dos veces en la lista tiene dos líneas (numerados-dos-veces). ${PERIOD}`,
  ];
}

const NOTES: Readonly<Record<string, readonly string[]>> = {
  'changes-since-close': [
    'Comprobantes de meses anteriores que aparecieron, desaparecieron, cambiaron de fecha o de valores desde el último cierre: el efecto neto.',
    'El cierre es el primer día de este mes: la respuesta es lo que notaron las corridas de este mes sobre comprobantes de antes. Con --mes, el cierre es el día siguiente al último de ese mes.',
    'A lo sumo una fila por comprobante y columna (campo), las veces que haya cambiado: antes es el valor al cierre, despues el de ahora, momento el del último cambio. No figura un valor que volvió a ser el que era, ni un comprobante que apareció y desapareció. Una fila sin campo es un comprobante que apareció (aparecio, o reaparecio si ya había estado) o desapareció (desaparecio), con su fila entera como JSON. Lo que cambió después de que apareció, o antes de que desapareció, tiene sus propias filas. movido: ahora tiene otra fecha de emisión; todas sus filas están en la fecha que tenía al cierre.',
    'Un comprobante con el que un día pasó a tener alguno, aunque una corrida que empezó después de ese día lo había leído vacío, es uno que apareció, en la primera lectura que lo tiene; su despues está vacío, y sus valores están en recibidos y emitidos. Los demás de los días que nadie había leído antes del cierre no son un cambio: no se sabe si son nuevos. Una fila por empresa y lista (direccion), primera_lectura, dice en despues cuántos son, sin los que el servicio ya no muestra, y en momento cuándo se leyó por primera vez el último de esos días. De los días leídos por primera vez desde el cierre se miran doce meses enteros.',
    'Solo se ven diferencias entre dos lecturas de las listas. Un cambio entre la última lectura anterior al cierre y el propio cierre cuenta como posterior. No se ven un cambio que está solo en el detalle, uno de un día que ya no se lee ni uno entre dos cambios de fecha del mismo comprobante (está en cambios). Si una columna cambió junto con la fecha de emisión, se ve solo si también cambió en otro momento, y si pasó a un día del que el lago no tenía comprobantes, despues es entonces el valor anterior: para lo demás hay que comparar las dos filas que el lago conserva del comprobante. Los importes son los de las listas: sin moneda en los emitidos, positivos en las notas de crédito, 0 en los recibos de cobro.',
  ],
  'credit-notes-without-reference': [
    'Notas de crédito, emitidas y recibidas, que no hacen referencia a ningún otro comprobante, una por fila.',
    'No están, porque pueden tener una referencia, las que no tienen el detalle leído como está ahora (no hay, o motivo no está vacío) ni aquellas cuyas referencias no son una lista (están en otros del detalle). total es positivo, como en las listas. El estado de las emitidas es el de la DGI; de las recibidas, el contrato no dice de quién es. Los dos pueden cambiar. Están las rechazadas (BE) y no las que el servicio ya no muestra.',
    `La moneda de las emitidas sale de su detalle. ${unnamed('totales (moneda)')} ${PERIOD}`,
  ],
  'daily-report': [
    'Emitidos por fecha de firma, tipo, fecha de emisión y sucursal, como en el reporte diario.',
    'comprobantes cuenta todos los que la API muestra; rechazados, los que rechazó la DGI (BE; todavía puede revertirse). total es la suma de los demás, y sin_monto cuenta los que le faltan: no tienen total, o no entró en su columna y está en otros. No tiene signo: el reporte tiene una línea por tipo, y las notas de crédito están aparte. Los remitos y los resguardos no tienen total; el de un recibo de cobro es 0.',
    `La sucursal y la moneda están solo en el detalle: sin él están vacías, y esa fila puede reunir varias. ${NOT_MIXED} ${unnamed('emisor (codigo_sucursal) y totales (moneda)')}`,
    'No están los que el servicio ya no muestra ni los que no tienen un momento de firma que entre en su columna. Los firmados desde el primer día del mes pasado, con fecha de emisión a lo sumo once meses antes; otro período, con --mes, o con --desde y --hasta.',
  ],
  'duplicate-supplier-invoices': [
    'Recibidos que repiten uno anterior: mismo proveedor y total, fechas cercanas, otro número.',
    'Coinciden la empresa, el proveedor, el tipo, la moneda y el total, y las fechas distan a lo sumo 15 días, para que una factura mensual no parezca repetida. Cada fila muestra un comprobante junto al último anterior (por fecha de emisión, después por id) que tiene otro número. Es una sospecha, no una prueba: un peaje o un pasaje cuestan lo mismo todos los días. Para un número con dos identificadores está numerados-dos-veces.',
    `Uno de contingencia (tipo más 100) puede repetir uno común. No están las notas de crédito, los que no tienen total o lo tienen en 0 (cobros), los remitos, los resguardos, las boletas de entrada, los que no tienen documento del proveedor, los de estado BE (que todavía puede revertirse) ni los que el servicio ya no muestra. Por la fecha de la repetición: ${PERIOD.charAt(0).toLowerCase()}${PERIOD.slice(1)}`,
  ],
  'e-tickets-sin-identificar': [
    'e-Tickets emitidos de más de 5.000 UI netas sin comprador identificado.',
    'Según una nota de auditores sobre una resolución de 2022, en un e-Ticket de más de 5.000 UI netas hay que identificar al comprador. El límite usa la UI del 31 de diciembre del año anterior (docs/e-tickets.md), y para otros años la de cotizaciones. Un año que no está usa la del último anterior que sí está, y nota lo dice (con la UI de 2026). Sin ninguno, el año no juzga nada, y no tiene filas. limite e importe están en pesos; moneda es la del comprobante. Para uno que documenta retenciones no hay límite (limite 0).',
    'El importe se conoce solo por el detalle: el neto (cuentan la exportación, lo no gravado y lo demás que no es IVA; si no declara nada, el total), al tipo de cambio mayor que 0 que declara o, si no hay, al de cotizaciones que vale ese día (cambio_de dice cuál; sin ninguno, nota dice falta tipo de cambio). No se conoce por un detalle dudoso: anterior a la lista o con otro total, con una moneda que no son tres letras mayúsculas, con un monto que no es un número, con un tipo de cambio que se aparta más de una quinta parte del de cotizaciones, o con montos que se contradicen. Los e-Tickets sin comprador identificado cuyo importe no se conoce así se cuentan en una fila por empresa y mes, con numero e importe vacíos y cuántos son en comprobantes: hay que leer sus detalles antes de concluir que no hay ninguno. El comprador está identificado si la lista o el detalle tienen algún documento suyo: uno con una letra, o una cifra que no es 0.',
    `Son e-Tickets el 101 y el 131, con sus notas de débito y los de contingencia. No están las notas de crédito, los rechazados (BE; todavía puede revertirse) ni los que el servicio ya no muestra. ${unnamed('totales y receptor')} ${PERIOD}`,
  ],
  'formulario-2181': [
    'Formulario 2181: IVA y compras exentas en pesos, por mes, contraparte y línea (502 a 506).',
    '502 y 503 son el IVA de las ventas a contribuyentes a la tasa básica (22 %) y a la mínima (10 %); 504, lo comprado en plaza sin IVA; 505 y 506, el IVA de las compras a las dos tasas. Las notas de crédito restan. Las otras monedas se pasan a pesos al tipo de cambio mayor que 0 que declara el comprobante o, si no hay, al de cotizaciones que vale ese día (con_cotizacion cuenta esos comprobantes), redondeado comprobante por comprobante, como en los libros IVA. de_e_tickets es la parte del importe que viene de e-Tickets (101 y 131, sus notas y los de contingencia): según una fuente, quien compra no deduce ese IVA.',
    'Una fila con linea vacía cuenta comprobantes de ese mes y RUT que no están en ninguna línea: su detalle no se leyó como está ahora la lista, o tiene otro total, o uno que no es un número, u otra moneda, contraparte (por letras y cifras) o fecha de emisión que ella, o una que no se puede leer, o no declara montos por tasa, o sus montos no son un número de centésimos o tienen más de 18 cifras en pesos, o declara un neto a una tasa y no su IVA, o un IVA y no su neto, o un importe menor que 0, o más que el total por más de 1,00 en su moneda, o un tipo de cambio que no es 0 ni un número mayor, o que se aparta más de una quinta parte del de cotizaciones, o no hay tipo de cambio (nota: falta tipo de cambio), o su moneda no son tres letras mayúsculas, o su tipo no está en tipos_comprobante, o no se puede leer el documento del otro lado (nota: documento ilegible), o su estado no es AE, BE, CE, FE ni NE, o no es un texto, y no se sabe si está aceptado o rechazado (nota: estado desconocido), o su detalle tiene otro estado que la lista, cualquiera que sea (nota: estado contradictorio). Mientras haya alguna, la declaración está incompleta.',
    `Están los emitidos que la DGI aceptó (AE; no los observados ni los que esperan respuesta) y los recibidos no rechazados (BE; el contrato no dice por quién, y todavía puede revertirse), con un RUT del otro lado: un documento con la forma de un RUT, o que el detalle llama así (tipo_documento 2; uno que no es un código del 1 al 7 no dice nada) y que tiene 11 o 12 cifras, no todas 0, y ninguna letra. contraparte tiene 12: a las 11 les falta el cero de adelante. No se puede leer el del emisor de un recibido si no tiene esa forma; el del receptor de una e-Factura emitida (11x o 14x, que es para un RUT: formato de los CFE de la DGI) si no hay, no es un RUT o es de otro tipo; el que el detalle llama RUT si no tiene esas cifras; ni el del receptor de otro emitido si tiene la forma salvo por lo que hay entre sus cifras, no es un texto, está solo en el detalle o su tipo no es uno de esos códigos. No están los otros documentos (de un consumidor), las exportaciones (12x), los remitos, los resguardos, las boletas de entrada ni los que el servicio ya no muestra. Un recibo de cobro no tiene IVA: lo que falta en el detalle de un total de 0 es 0. ${TWICE}`,
    `Cómo se completa el formulario surge de lo que publican terceros, no de la DGI: hay que verificar líneas e importes en el programa de la DGI. Las ventas por cuenta ajena (13x, 14x) cuentan como las propias. ${unnamed('totales, emisor (ruc, nro_doc) y receptor (tipo_documento, nro_doc, ruc)')} ${PERIOD}`,
  ],
  'items-sold': [
    'Artículos vendidos por empresa, artículo y moneda, los mayores primero (las notas de crédito restan).',
    `Los importes son los de las líneas: antes del IVA, y de los descuentos y recargos sobre el comprobante entero. No están las líneas no facturables (indicadores 6 y 7) ni los comprobantes cuyo detalle nunca se leyó o cuyos items no son una lista (están en otros). Un detalle desactualizado (motivo no está vacío) cuenta como se leyó la última vez. lineas_sin_monto cuenta las que no tienen un importe legible. lineas_por_revisar cuenta aquellas cuya cantidad o importe no es un número, y no está en la suma, o tiene más de 3 y 2 decimales: se suman exactos, y solo la suma se redondea. ${NOT_MIXED}`,
    unnamed(
      'items (codigo, nombre, unidad_medida, indicador_facturacion, cantidad, monto) y totales (moneda)',
    ),
    `No están los que rechazó la DGI (BE; todavía puede revertirse), los que el servicio ya no muestra, los remitos, los resguardos ni las boletas de entrada. ${PERIOD}`,
  ],
  'late-signed-and-future-dated': [
    'Comprobantes firmados en un día distinto del de emisión: tarde, o con fecha futura.',
    'situacion es «firmado tarde» (dias después de la fecha de emisión) o «fechado a futuro» (dias antes; se permiten 60). Una firma anterior a 2011, cuando no había CFE, no es un día: situacion es «firma anterior a 2011» y dias queda vacío. Los de contingencia (2xx) suelen enviarse tarde. pendiente es verdadero mientras la fecha de emisión está en el futuro.',
    `La moneda de los emitidos está vacía: su lista no la trae. El total de las notas de crédito es positivo. Los rechazados (BE) están, con su estado, que puede cambiar. No están los que el servicio ya no muestra. ${PERIOD}`,
  ],
  'libro-iva-compras': [
    'Libro IVA compras: los comprobantes que recibió una empresa, línea por línea (las notas de crédito restan).',
    ...book(
      '«moneda contradictoria»: junto a ella hay otra, o una que no es un texto, en la lista o en el detalle, y vale la de la lista. «documento ilegible»: el documento del emisor no tiene la forma de un RUT. El contrato no dice de quién es el estado, que puede cambiar. Según una fuente, se deduce el IVA de las e-Facturas (111 y sus notas) y no el de los e-Tickets: eso queda a criterio de quien lo use.',
    ),
  ],
  'libro-iva-ventas': [
    'Libro IVA ventas: los comprobantes que emitió una empresa, línea por línea (las notas de crédito restan).',
    ...book(
      'La moneda está solo en el detalle: si no se leyó, queda vacía. «moneda contradictoria»: hay otra, o una que no es un texto, fuera de los totales del detalle, y vale la de estos. El estado es el de la DGI, y puede cambiar.',
    ),
  ],
  'numbering-gaps': [
    'Números de series emitidas sin un comprobante válido: faltan, fueron rechazados o salieron de la lista.',
    'Una fila por cada tramo de números seguidos. situacion dice por qué: falta (ningún comprobante tiene el número), rechazado (la DGI rechazó su comprobante, BE; todavía puede revertirse) o desaparecido (el servicio ya no lo muestra, o lo muestra con una fecha que nunca se exportó o es anterior al período). fecha_desde y fecha_hasta son fechas de emisión actuales: de un tramo que falta, las de los números a cada lado; si no, las propias.',
    'No todo tramo es un error: también faltan números reservados para otra sucursal, anulados o todavía sin usar, los de un día que nunca se exportó (lo dice el comando faltan) y los de comprobantes con fecha anterior al período. Los importes y la moneda no cuentan. Doce meses enteros y el corriente, por fecha_hasta: un tramo entre dos meses es del segundo. Se leen también los tres meses anteriores, por el número que precede al tramo. Otro período, con --mes, o con --desde y --hasta.',
  ],
  'numbers-under-two-ids': [
    'Números fiscales que figuran más de una vez: con dos identificadores, o con uno y dos fechas de emisión.',
    'Una fila por cada vez que figura el número. Es el del emisor: RUT, tipo, serie y número, que la DGI da una sola vez. Las sumas cuentan cada fila, y por eso dos veces el mismo comprobante (también las notas de crédito). veces dice cuántas: las filas de estado BE (rechazado, que todavía puede revertirse) se muestran, pero las sumas no las cuentan. El estado de los emitidos es el de la DGI; de los recibidos, el contrato no dice de quién es.',
    'Dos filas con un mismo id son un comprobante cuya fecha de emisión cambió y cuyo día anterior no se volvió a leer: hay que exportar ese día. Por qué hay dos identificadores lo tiene que explicar quien opera el servicio. La moneda de los emitidos está vacía: su lista no la trae. El total de las notas de crédito es positivo.',
    `No están los que no tienen un número completo ni los que el servicio ya no muestra. No se ve un número que está una vez en el período y otra antes. ${PERIOD}`,
  ],
  'payables-by-supplier': [
    'Compras a crédito, por empresa, proveedor, mes y moneda (las notas de crédito restan).',
    `A crédito quiere decir que el comprobante declara forma_pago 2. La API no sabe qué se pagó ni cuándo vence un recibido. total es la suma de los propios comprobantes; a_pagar, la de lo que declaran a pagar, con lo que arrastran de anteriores. Un recibo de cobro (total 0, el dinero en total_pagar) no es una deuda, y no está. ${NOT_MIXED} sin_monto cuenta aquellos a los que les falta uno de los dos: no lo traen, o no entró en su columna y está en otros. A los proveedores sin documento los distingue el nombre.`,
    `Tampoco están los de estado BE (rechazados; el contrato no dice por quién, y todavía puede revertirse), los que el servicio ya no muestra ni las boletas de entrada recibidas (15x), que son ventas de la empresa. Las que ella emitió también son deudas, pero la lista de emitidos no trae forma_pago. ${PERIOD}`,
  ],
  'posicion-iva': [
    'IVA de ventas, de e-Facturas y de e-Tickets recibidos, y retenciones, por mes y moneda, y sus totales en pesos, como lo declaran los comprobantes.',
    'Una fila por empresa, mes, concepto y moneda: IVA de ventas, de e-Facturas recibidas y sus notas (11x, 14x), de e-Tickets recibidos y las suyas (10x, 13x), de otros recibidos, y lo que retuvieron los resguardos (182) a la empresa (sufridas) y ella a otros (efectuadas). Los créditos fiscales, que son líneas de resguardos cuyo código empieza con 2181 (formato de los CFE de la DGI, A-C125.1), no son retenciones: la columna retenido los tiene en filas aparte (créditos fiscales de resguardos recibidos y emitidos), y un resguardo con las dos cosas cuenta en dos filas. Las notas de crédito restan. Debajo, con la moneda «todas», están los totales en pesos de cada concepto y, al final, lo que el IVA de ventas supera al de e-Facturas recibidas: no hay que sumarlos con las otras filas. No se dice si todo eso se puede deducir, ni qué más: eso queda para quien firma la declaración.',
    `En pesos, al tipo de cambio mayor que 0 que declara cada comprobante o, si no hay, al de cotizaciones que vale ese día (con_cotizacion los cuenta), redondeado comprobante por comprobante, como en los libros IVA; total_pesos es la suma de los de una fila. ${NOT_MIXED} Una retención cuenta en el mes de su resguardo, con el signo con que vino, o con el otro si su ítem anula otro resguardo (indicador_facturacion 9: formato de los CFE de la DGI, B-C4). Lo que las e-Facturas retienen en sus propias líneas no está.`,
    'Todo esto sale de los detalles. sin_detalle: comprobantes sin monto conocido, porque su detalle no se leyó o no lo trae. sin_cambio: con montos y sin tipo de cambio. por_revisar: con un monto que no es un número de hasta 15 cifras antes de la coma (y no está en las sumas) o tiene más de dos decimales, con un neto a una tasa y sin su IVA, con un IVA y ningún neto a su tasa, con un importe o un total menor que 0 (se suma como vino), con montos por tasa que suman más que el total por más de 1,00 en su moneda, con líneas que retienen otra suma que la que declara el resguardo (sin los créditos fiscales), con un tipo de cambio declarado que no es 0 ni un número mayor (vale el de cotizaciones) o que se aparta más de una quinta parte del de cotizaciones (vale el declarado), de un tipo que no está en tipos_comprobante (no se sabe su signo), de un estado que no es AE, BE, CE, FE ni NE, o no es un texto (no se sabe si están rechazados), o con un detalle anterior a la lista, como cuando tiene otro total o uno que no es un número, o con otro estado u otra moneda, contraparte (por letras y cifras) o fecha de emisión, o una que no se puede leer (vale la de la lista). La nota dice cuáles hay (faltan detalles, falta tipo de cambio, hay que revisar), o «moneda desconocida» (no la trae, o no son tres letras mayúsculas), donde no se suma nada; si nota está vacía, los comprobantes de la fila tienen todos sus datos. El IVA es el que declaran los comprobantes: no se dice si corresponde a la tasa. El IVA a otra tasa, o sobre fictos (formato de los CFE de la DGI, A-C118 y A-C123), no está: los libros IVA lo tienen en otros, con su neto.',
    `${unnamed('totales (también mnt_total_retenido), items (indicador_facturacion, retenciones_percepciones: codigo, valor), emisor y receptor (ruc, nro_doc)')} Un recibo de cobro no tiene IVA: lo que falta en el detalle de un total de 0 es 0. No están los rechazados (BE; de los recibidos, el contrato no dice por quién, y todavía puede revertirse), los que el servicio ya no muestra, los remitos ni las boletas de entrada. ${TWICE} ${PERIOD}`,
  ],
  'purchases-by-month': [
    'Compras por empresa, mes, tipo y moneda (las notas de crédito restan).',
    `${NOT_MIXED} Un recibo de cobro tiene total 0 y no suma nada. La boleta de entrada (15x) la emite quien compra: las que emitió la empresa son compras suyas, las que recibió no. La moneda de un emitido está solo en su detalle: si no se leyó, queda vacía. ${unnamed('totales (moneda)')} sin_monto cuenta los que no tienen total, o cuyo total no entró en su columna y está en otros. ${TWICE}`,
    `No están los rechazados (BE; de los recibidos, el contrato no dice por quién), los que el servicio ya no muestra, los remitos (124, 181) ni los resguardos (182). Los recibidos pueden llegar días después de su fecha, y un rechazo todavía puede revertirse: un mes no es definitivo en su último día. ${PERIOD}`,
  ],
  'receivables-by-due-date': [
    'A cobrar por empresa, fecha de vencimiento y moneda (las notas de crédito restan).',
    `Lo que vence, según los emitidos que declaran un vencimiento. La API no sabe qué se cobró. a_cobrar es la suma de lo que declaran a pagar, con lo que arrastran de anteriores. Un recibo de cobro (total 0, el dinero en total_pagar) no es algo por cobrar. El vencimiento y la moneda están en el detalle: faltan los comprobantes cuyo detalle nunca se leyó. ${NOT_MIXED} Un vencimiento anterior a 2011, cuando no había CFE, no es ninguno, y vence queda vacío.`,
    `${unnamed('totales (moneda)')} Un detalle desactualizado (motivo no está vacío) cuenta como se leyó la última vez. sin_monto cuenta aquellos cuyo importe no entró en su columna y está en otros.`,
    `No están los que rechazó la DGI (BE; todavía puede revertirse), los que el servicio ya no muestra, los remitos, los resguardos ni las boletas de entrada. Por fecha de emisión: ${PERIOD.charAt(0).toLowerCase()}${PERIOD.slice(1)}`,
  ],
  'received-to-check': [
    'Recibidos por mirar: emisores nuevos, importes fuera de su rango, días para contestar, los que figuran dos veces.',
    'Una fila por comprobante con algún motivo: «emisor nuevo» (ninguno de ese emisor en los doce meses anteriores a su mes, aunque la empresa tiene otros), «fuera de rango» (el total es más del triple del mayor, o menos de un tercio del menor, de al menos cinco de ese emisor y moneda en meses anteriores: antes dice cuántos, menor_antes y mayor_antes cuáles), «por contestar» (sin estado o NE, y de los 20 días corridos para contestar, contados desde la fecha de emisión, quedan dias_para_contestar) o «dos veces» (su número figura más de una vez en la lista). Es un motivo para mirar, no una prueba. El mismo importe con otro número está en facturas-repetidas.',
    `Se comparan importes de una misma moneda, sin convertirlos, y los de notas de crédito solo entre sí. De los que no tienen documento del emisor no se sabe de quién son. El contrato no dice de quién es el estado. No están los rechazados (BE; un rechazo todavía puede revertirse), los que el servicio ya no muestra, los remitos, los resguardos ni las boletas de entrada. ${PERIOD}`,
  ],
  'rejected-by-age': [
    'Rechazados, emitidos y recibidos, uno por fila, los más antiguos primero.',
    'dias se cuenta desde el día de la firma, o de emisión si no hay una posterior a 2010. Un rechazo puede pasar a aceptación hasta 60 días después de la recepción, y una aceptación puede anularse: cambios tiene el momento de cada cambio.',
    'De los emitidos: los que rechazó la DGI (estado_dgi BE) y aquellos cuyo receptor contestó algo distinto de ACEPTADO. Los códigos de las respuestas no están documentados y se muestran como vinieron: también está una respuesta que solo observa, o que acepta con otra palabra. Una vacía no es una respuesta. De los recibidos: los de estado BE (el contrato no dice si es el de la DGI o el del receptor).',
    `La moneda de los emitidos está vacía: su lista no la trae. El total de las notas de crédito es positivo. No están los que el servicio ya no muestra. ${PERIOD}`,
  ],
  resguardos: [
    'Resguardos: lo que le retuvieron a una empresa (sufrida) y lo que ella retuvo (efectuada), por comprobante y código.',
    `Un resguardo (182) que recibió la empresa dice lo que le retuvieron; uno que emitió, lo que retuvo. Una fila por comprobante, código y tasa: monto_sujeto es el monto al que se aplica la tasa; valor, lo retenido (o acreditado, si el código empieza con 2181), en la moneda del comprobante; valor_pesos, lo mismo al tipo de cambio mayor que 0 que declara o, si no hay, al de cotizaciones que vale ese día (cambio_de dice cuál), y vacío sin ninguno. ${NOT_MIXED} Los importes conservan el signo con que vinieron; los de un ítem que anula otro resguardo (indicador_facturacion 9: formato de los CFE de la DGI, B-C4) restan.`,
    'Si nota está vacía, el comprobante tiene todos sus datos. «sin retenciones»: no se conoce ningún código, porque no se leyó el detalle o no los trae. «detalle anterior»: el detalle es anterior a la lista, como cuando tiene otro total, o uno que no es un número. «monto ilegible»: un importe no es un número de hasta 15 cifras antes de la coma, y no está en la suma, o lo retenido no es una lista, y codigo está vacío. «no cierra»: el comprobante declara otra suma de lo retenido que la de sus líneas, sin los créditos fiscales, cuyo código empieza con 2181 (formato de los CFE de la DGI, A-C125). «código o tasa ilegible»: no se conoce el código, o la tasa que declara no es un número. «más de dos decimales»: se redondeó solo la suma. «moneda desconocida»: no la trae, o no son tres letras mayúsculas, y no se le aplica ningún tipo de cambio. «moneda contradictoria»: junto a ella hay otra, o una que no es un texto, en la lista o en el detalle, y vale la de la lista; en los emitidos, la de los totales del detalle. «sin tipo de cambio»: no hay ninguno. «tipo de cambio ilegible»: el comprobante declara uno que no es 0 ni un número mayor, y vale el de cotizaciones. «tipo de cambio dudoso»: declara uno que se aparta más de una quinta parte del de cotizaciones, y vale el que declara. «contraparte contradictoria» y «fecha contradictoria»: el detalle tiene otra contraparte (por letras y cifras) u otra fecha de emisión que la lista, o una que no se puede leer, y vale la de la lista. «estado desconocido»: no es un código conocido (AE, BE, CE, FE o NE) o no es un texto (y entonces el estado es ?), y no se sabe si está rechazado. «estado contradictorio»: el detalle tiene otro, y vale el de la lista. Lo que las e-Facturas retienen en sus propias líneas no está.',
    `Todo esto sale de los detalles. ${unnamed('totales (moneda, tipo_cambio, mnt_total_retenido), items (indicador_facturacion, retenciones_percepciones: codigo, tasa, monto_sujeto, valor), emisor y receptor (ruc, nro_doc)')}`,
    `No están los rechazados (BE; de los recibidos, el contrato no dice por quién, y todavía puede revertirse) ni los que el servicio ya no muestra. ${TWICE} ${PERIOD}`,
  ],
  'sales-by-month': [
    'Ventas por empresa, mes, tipo y moneda (las notas de crédito restan).',
    `La moneda de un emitido está solo en su detalle: los que no la tienen están juntos, con la moneda vacía, aunque sean de varias. ${NOT_MIXED} ${unnamed('totales (moneda)')}`,
    `Un recibo de cobro tiene total 0 y no suma nada. La boleta de entrada (15x) la emite quien compra: las que recibió la empresa son ventas suyas, las que emitió no. Los tipos de contingencia son los comunes más 100. sin_monto cuenta los que no tienen total, o cuyo total no entró en su columna y está en otros. ${TWICE}`,
    `No están los rechazados (BE), los que el servicio ya no muestra, los remitos (124, 181) ni los resguardos (182). Un rechazo todavía puede revertirse. ${PERIOD}`,
  ],
  'unanswered-by-age': [
    'Comprobantes sin respuesta, según de quién se espera, antigüedad en días y tipo.',
    'falta dice de quién es la respuesta que falta: dgi (emitidos sin veredicto de la DGI, NE o ninguno), receptor (emitidos no rechazados (BE) a un RUT que no contestó; tiene 20 días) o estado (recibidos sin estado). Un comprobante puede estar en dos.',
    `e_ticket distingue los e-Tickets (101 y 131, sus notas y los de contingencia) a los que les falta la respuesta de la DGI: «por debajo del límite», «por encima del límite», «sin leer el detalle» (no se conoce su moneda o alguno de sus importes, o es dudoso) o «sin valor de UI». Según una nota de auditores sobre una resolución de 2022, los de menos de 5.000 UI netas se informan solo en el reporte diario y pueden quedar NE para siempre: los que están por debajo del límite no son algo por mirar (uno que documenta retenciones nunca lo está). El límite usa la UI del 31 de diciembre del año anterior (docs/e-tickets.md), y para otros años la de cotizaciones. Un año que no está usa la del último anterior que sí está, y nota lo dice (con la UI de 2026). Sin ninguno, el año no juzga nada. Que uno está por debajo del límite se sabe solo por su detalle, en pesos, por el neto (cuentan la exportación, lo no gravado y lo demás que no es IVA; si no declara nada, el total), al tipo de cambio mayor que 0 que declara o, si no hay, al de cotizaciones que vale ese día (con_cotizacion los cuenta). ${unnamed('totales')}`,
    'La antigüedad se cuenta desde el día de la firma, o de emisión si no hay una posterior a 2010; antigua es el primero de esos días. Un veredicto puede llegar segundos después o nunca. Un estado vacío cuenta como ninguno. Un rechazo puede revertirse dentro de los 60 días.',
    `Los receptores sin RUT no contestan, y no están en receptor. Si un documento es un RUT lo dice el detalle (tipo_documento 2, y entonces tiene 11 o 12 cifras). Donde no se leyó, se toman por uno 12 cifras con el dígito verificador correcto: no se distingue un documento extranjero que tenga esa forma por casualidad. No se sabe si el receptor recibe comprobantes electrónicos, y entonces contesta. ${unnamed('receptor (tipo_documento)')}`,
    `Sin importes, porque la lista de emitidos no trae moneda. No están los que el servicio ya no muestra. ${PERIOD}`,
  ],
  'vat-by-month': [
    'IVA a la tasa básica y a la mínima, por empresa, recibidos o emitidos, mes y moneda, como lo declaran los comprobantes (las notas de crédito restan).',
    `emitidos es el IVA facturado; recibidos, el pagado. Los importes están en la moneda del comprobante y no se convierten. ${NOT_MIXED} Netos e IVA a la tasa mínima (10 %) y a la básica (22 %), no gravados y de exportación. No se muestran otras tasas, el IVA en suspenso ni lo percibido.`,
    `Todo esto sale de los detalles. comprobantes cuenta los de las listas; sin_desglose, los que no tienen ningún monto por tasa conocido, porque su detalle no se leyó o no lo trae: mientras no sea 0, las sumas están incompletas. La moneda está vacía donde solo la tendría el detalle, y donde no son tres letras mayúsculas. ${unnamed('totales, emisor y receptor (ruc, nro_doc)')}`,
    `por_revisar cuenta los que tienen un monto que no es un número de hasta 15 cifras antes de la coma, y no está en las sumas, o con más de dos decimales (se suman exactos, y solo la suma se redondea), los que tienen un neto a una tasa y no su IVA, un IVA y ningún neto a su tasa, un importe o un total menor que 0 (se suma como vino) o montos por tasa que suman más que el total por más de 1,00 en su moneda, los de un tipo que no está en tipos_comprobante (no se sabe su signo) o de un estado que no es AE, BE, CE, FE ni NE, o no es un texto (no se sabe si están rechazados) y aquellos cuyo detalle es anterior a la lista (motivo no está vacío, o tiene otro total, o uno que no es un número) o tiene otro estado u otra moneda, contraparte (por letras y cifras) o fecha de emisión, o una que no se puede leer (vale la de la lista). ${TWICE}`,
    `Un recibo de cobro no tiene IVA: lo que falta en el detalle de un total de 0 es 0. No están los rechazados (BE; de los recibidos, el contrato no dice por quién, y todavía puede revertirse), los que el servicio ya no muestra, los remitos, los resguardos ni las boletas de entrada. ${PERIOD}`,
  ],
};

/** The last sheet of a query's workbook: what it asks, of whom and of when, and its notes. */
export function workbookNotes(query: string, narrowing: Narrowing): string[] {
  const { summary, notes } = spanishNotes(query);
  const text = narrowingText(narrowing, 'es');
  // Who reads it may have nothing but the workbook: no option, and no other question by its name.
  const plain = notes.map((note) =>
    note
      .replace(PERIOD, '')
      .replace(/ \([a-z]+(-[a-z]+)+\)/g, '')
      .trim(),
  );
  return [
    summary,
    ...(text === undefined ? [] : [text]),
    '',
    ...(narrowing.from === undefined ? notes : plain),
  ];
}

/** What the query asks, and its notes. */
export function spanishNotes(query: string): { summary: string; notes: readonly string[] } {
  const [summary, ...notes] = NOTES[query] ?? [];
  if (summary === undefined) throw new TypeError(`there are no Spanish notes of ${query}`);
  return { summary, notes };
}
