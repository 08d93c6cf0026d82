-- Receipts signed on another day than their issue date: late, or dated ahead.
--
-- situacion is firmado tarde (signed after the issue date, by dias) or fechado a futuro (dated after the signature,
-- by dias, of which 60 are allowed). Contingency receipts (type 2xx) are usually sent late. pendiente is true while
-- the issue date is in the future. A signature before 2011, when there were no CFE, is no day: situacion is firma
-- anterior a 2011, and dias NULL.
--
-- moneda is NULL on issued receipts: their list has none. Credit notes have positive totals. Rejected receipts (BE)
-- are included with their status, which may still change. Left out: what the API no longer lists. Twelve whole months
-- and the current one. Change both conditions on fecha for another period.
WITH fechados AS (
  SELECT
    rut,
    'emitidos' AS direccion,
    fecha,
    CAST(fecha_firma AS DATE) AS firmado,
    tipo_comprobante,
    serie,
    numero,
    receptor_razon_social AS contraparte,
    NULL AS moneda,
    totales_total,
    estado_dgi_codigo AS estado,
    id
  FROM emitidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
  UNION ALL
  SELECT
    rut,
    'recibidos' AS direccion,
    fecha,
    CAST(fecha_firma AS DATE) AS firmado,
    tipo_comprobante,
    serie,
    numero,
    emisor_razon_social AS contraparte,
    moneda,
    totales_total,
    estado_codigo AS estado,
    id
  FROM recibidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
)
SELECT
  rut,
  direccion,
  CASE
    WHEN year(firmado) <= 2010 THEN 'firma anterior a 2011'
    WHEN firmado > fecha THEN 'firmado tarde'
    ELSE 'fechado a futuro'
  END AS situacion,
  CASE WHEN year(firmado) > 2010 THEN abs(date_diff('day', fecha, firmado)) END AS dias,
  fecha > current_date AS pendiente,
  fecha,
  firmado,
  tipo_comprobante,
  serie,
  numero,
  contraparte,
  moneda,
  totales_total AS total,
  estado,
  id
FROM fechados
WHERE firmado <> fecha
ORDER BY rut, direccion, situacion, dias DESC, id
