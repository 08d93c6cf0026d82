-- Credit notes, issued and received, that refer to no other receipt.
--
-- Of a credit note whose detail could not be read (motivo is not null) nothing is said here. The inner names
-- (totales.moneda, totales.total, estado_dgi.codigo) are not all in the API's contract: check them with the real service.
--
-- Twelve whole months and the current one; change both conditions on fecha for others.
WITH notas AS (
  SELECT 'emitidos' AS direccion, rut, fecha, tipo_comprobante, serie, numero, id, totales, referencias, estado_dgi
  FROM emitidos_detalle
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND motivo IS NULL
  UNION ALL
  SELECT 'recibidos' AS direccion, rut, fecha, tipo_comprobante, serie, numero, id, totales, referencias, estado_dgi
  FROM recibidos_detalle
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND motivo IS NULL
)
SELECT
  rut,
  direccion,
  fecha,
  tipo_comprobante,
  serie,
  numero,
  json_extract_scalar(totales, '$.moneda') AS moneda,
  TRY_CAST(json_extract_scalar(totales, '$.total') AS DECIMAL(17, 2)) AS total,
  json_extract_scalar(estado_dgi, '$.codigo') AS estado_dgi,
  id
FROM notas
WHERE mod(tipo_comprobante, 10) = 2
  AND mod(tipo_comprobante, 100) <> 82
  AND coalesce(json_array_length(referencias), 0) = 0
ORDER BY rut, direccion, fecha, tipo_comprobante, serie, numero
