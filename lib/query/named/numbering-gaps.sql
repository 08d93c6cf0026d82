-- Numbers of issued series without a valid receipt: missing, rejected or gone from the list.
--
-- One row for each run of consecutive numbers. situacion says why: falta (no receipt has the number), rechazado (the
-- tax authority rejected its receipt, status BE, which may still be reversed) or desaparecido (the API no longer
-- lists it, or lists it under a date that was never exported or is before the period). fecha_desde and fecha_hasta
-- are current issue dates: of a missing run, those of the numbers on either side, otherwise its own.
--
-- Not every run is an error: numbers reserved for another branch, annulled or not used yet are missing too, and so
-- are those of a day that was never exported (see the command missing) and those of receipts dated before the period.
-- Amounts and currency play no part. Twelve whole months and the current one, by fecha_hasta: a run between two
-- months belongs to the later one. The three months before are read too, for the number before a run. Change both
-- conditions on dates for another period.
WITH emisiones AS (
  SELECT
    rut,
    tipo_comprobante,
    serie,
    numero,
    fecha,
    CASE WHEN visto_por_ultima_vez IS NOT NULL THEN 3 WHEN estado_dgi_codigo = 'BE' THEN 2 ELSE 1 END AS clase
  FROM emitidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH) - INTERVAL '3' MONTH
    AND numero IS NOT NULL
),
numeros AS (
  SELECT
    rut,
    tipo_comprobante,
    serie,
    -- Two may lie further apart than an INTEGER says.
    CAST(numero AS BIGINT) AS numero,
    min(clase) AS clase,
    -- Of the receipt that the class tells of, and not of a date that it had before.
    coalesce(
      min(CASE WHEN clase = 1 THEN fecha END),
      min(CASE WHEN clase = 2 THEN fecha END),
      min(fecha)
    ) AS fecha
  FROM emisiones
  GROUP BY 1, 2, 3, 4
),
vecinos AS (
  SELECT
    rut,
    tipo_comprobante,
    serie,
    numero,
    fecha,
    clase,
    lag(numero) OVER (PARTITION BY rut, tipo_comprobante, serie ORDER BY numero) AS numero_anterior,
    lag(fecha) OVER (PARTITION BY rut, tipo_comprobante, serie ORDER BY numero) AS fecha_anterior,
    -- The same for consecutive numbers of one class.
    numero - row_number() OVER (PARTITION BY rut, tipo_comprobante, serie, clase ORDER BY numero) AS tramo
  FROM numeros
),
tramos AS (
  SELECT
    rut,
    tipo_comprobante,
    serie,
    'falta' AS situacion,
    numero_anterior + 1 AS desde,
    numero - 1 AS hasta,
    numero - numero_anterior - 1 AS cantidad,
    fecha_anterior AS fecha_desde,
    fecha AS fecha_hasta
  FROM vecinos
  WHERE numero - numero_anterior > 1
  UNION ALL
  SELECT
    rut,
    tipo_comprobante,
    serie,
    CASE clase WHEN 2 THEN 'rechazado' ELSE 'desaparecido' END AS situacion,
    min(numero) AS desde,
    max(numero) AS hasta,
    count(*) AS cantidad,
    min(fecha) AS fecha_desde,
    max(fecha) AS fecha_hasta
  FROM vecinos
  WHERE clase > 1
  GROUP BY rut, tipo_comprobante, serie, clase, tramo
)
SELECT
  rut,
  tipo_comprobante,
  serie,
  situacion,
  CAST(desde AS INTEGER) AS desde,
  CAST(hasta AS INTEGER) AS hasta,
  cantidad,
  fecha_desde,
  fecha_hasta
FROM tramos
WHERE date_trunc('month', current_date - INTERVAL '12' MONTH) <= fecha_hasta
ORDER BY 1, 2, 3, 5
