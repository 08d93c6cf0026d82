/** Who is new, and what else of received receipts to look at: a part of the report. */
export const RECEIVED_PART = {
  id: 'recibidos-por-mirar',
  title: 'Recibidos por mirar',
  about:
    'Recibidos de un emisor nuevo (ninguno suyo en los doce meses anteriores), de un importe fuera del rango de su emisor (más del triple del mayor o menos de un tercio del menor de al menos cinco anteriores), que esperan una respuesta (20 días corridos desde su fecha) o que figuran dos veces. Es un motivo para mirar, no una prueba.',
  nothing: 'No hay recibidos por mirar.',
  concern: ['recibido por mirar', 'recibidos por mirar'],
  query: 'received-to-check',
  select: `q.fecha AS "Fecha", q.tipo_comprobante AS "Tipo", t.nombre AS "Comprobante", q.serie AS "Serie", q.numero AS "Número",
    q.emisor_ruc AS "RUT", q.proveedor AS "Proveedor", q.moneda AS "Moneda", q.total AS "Total", q.motivo AS "Motivo",
    q.dias_para_contestar AS "Días para contestar", q.antes AS "Anteriores", q.menor_antes AS "Menor anterior",
    q.mayor_antes AS "Mayor anterior", q.id AS "id"`,
  orderBy: 'q.fecha, q.id',
} as const;
