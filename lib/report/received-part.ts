/** Who is new, and what else of received receipts to look at: a part of the report. */
export const RECEIVED_PART = {
  id: 'recibidos-por-mirar',
  title: 'Recibidos por mirar',
  about:
    'Recibidos de un emisor nuevo (ninguno suyo en los doce meses anteriores), de un importe fuera del rango de su emisor (más del triple del mayor o menos de un tercio del menor de al menos cinco anteriores), que esperan una respuesta (20 días corridos desde su fecha) o que figuran dos veces. Es un motivo para mirar, no una prueba.',
  emptyText: 'No hay recibidos por mirar.',
  concern: ['recibido por mirar', 'recibidos por mirar'],
  query: 'received-to-check',
  select: `fecha, tipo_comprobante, t.nombre AS tipo, serie, numero, emisor_ruc, proveedor, moneda, total, motivo,
    dias_para_contestar, antes, menor_antes, mayor_antes, id`,
  orderBy: 'fecha, id',
} as const;
