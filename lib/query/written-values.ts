import type { Answer } from './answer.ts';

/** Columns of named queries as people read them. */
const HEADINGS: Readonly<Record<string, string>> = {
  fecha: 'Fecha',
  mes: 'Mes',
  tipo_comprobante: 'Tipo',
  tipo: 'Comprobante',
  serie: 'Serie',
  numero: 'Número',
  documento: 'RUT o documento',
  contraparte: 'Documento',
  nombre: 'Nombre',
  emisor_ruc: 'RUT',
  proveedor: 'Proveedor',
  emisor: 'Emisor',
  direccion: 'Lista',
  libro: 'Libro',
  moneda: 'Moneda',
  tipo_cambio: 'Tipo de cambio',
  signo: 'Signo',
  comprobantes: 'Cantidad',
  cantidad: 'Cantidad',
  total: 'Total',
  sin_monto: 'Sin monto',
  no_gravado: 'No gravado',
  exportacion: 'Exportación',
  neto_minima: 'Neto mínima',
  iva_minima: 'IVA mínima',
  neto_basica: 'Neto básica',
  iva_basica: 'IVA básica',
  otros: 'Otros',
  concepto: 'Concepto',
  nota: 'Nota',
  retenido: 'Retenido',
  sin_desglose: 'Sin desglose',
  cambio_de: 'Tipo de cambio según',
  con_cotizacion: 'Con cotización',
  motivo: 'Motivo',
  dias_para_contestar: 'Días para contestar',
  menor_antes: 'Menor antes',
  mayor_antes: 'Mayor antes',
  sin_detalle: 'Sin detalle',
  sin_cambio: 'Sin tipo de cambio',
  por_revisar: 'Por revisar',
  estado: 'Estado',
  estado_receptor: 'Respuesta',
  falta: 'Pendiente de',
  edad: 'Días',
  dias: 'Días',
  antigua: 'Desde',
  e_ticket: 'e-Ticket',
  situacion: 'Situación',
  desde: 'Primero',
  hasta: 'Último',
  fecha_desde: 'Desde',
  fecha_hasta: 'Hasta',
  fecha_anterior: 'Fecha anterior',
  serie_anterior: 'Serie anterior',
  numero_anterior: 'Número anterior',
  cambio: 'Cambio',
  campo: 'Campo',
  antes: 'Antes',
  despues: 'Después',
  momento: 'Visto',
  tabla: 'Tabla',
  linea: 'Línea',
  codigo: 'Código',
  tasa: 'Tasa',
  declarado: 'Declarado',
  actual: 'Actual',
  diferencia: 'Diferencia',
};

/** The heading of a column; a name without one stays. `headings`: those that differ here. */
export function headingOf(name: string, headings: Readonly<Record<string, string>> = {}): string {
  const base = name.replace(/_pesos$/, '');
  const heading = headings[base] ?? HEADINGS[base] ?? base;
  return base === name ? heading : `${heading} en pesos`;
}

/** Values of named queries that people read written otherwise, by column: SQL for Athena is ASCII alone. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nota: {
    'mas de dos decimales': 'más de dos decimales',
    'codigo o tasa ilegible': 'código o tasa ilegible',
    'sin numero': 'sin número',
  },
  concepto: {
    'Creditos fiscales de resguardos emitidos': 'Créditos fiscales de resguardos emitidos',
    'Creditos fiscales de resguardos recibidos': 'Créditos fiscales de resguardos recibidos',
  },
  e_ticket: { 'bajo el limite': 'por debajo del límite', 'sobre el limite': 'por encima del límite' },
  edad: { '61 o mayor': '61 o más' },
  situacion: { desaparecido: 'ya no figura' },
  cambio: {
    aparecio: 'apareció',
    reaparecio: 'reapareció',
    desaparecio: 'desapareció',
    movido: 'cambió de fecha',
    cambio: 'cambió',
    primera_lectura: 'primera lectura',
  },
};

/** The answer with its values as people read them. */
export function withWrittenValues({ columns, rows }: Answer): Answer {
  const known = columns.map(({ name }) => VALUES[name]);
  const written = (value: string | null, place: number) =>
    // A note may have several parts.
    value?.replace(/^[^,]+|(?<=, )[^,]+/g, (part) => known[place]?.[part] ?? part) ?? null;
  return { columns, rows: rows.map((row) => row.map(written)) };
}

/** The answer under headings. */
export function withHeadings({ columns, rows }: Answer): Answer {
  return { columns: columns.map((column) => ({ ...column, name: headingOf(column.name) })), rows };
}
