-- VAT by company, direction, month and currency, as the receipts state it; credit notes count negative.
--
-- emitidos is VAT charged, recibidos VAT paid. Amounts are in the currency of the receipt and are not converted.
-- sin_desglose counts receipts of which no amount by rate is known: their detail was not read, or has none.
--
-- The inner names of totales are not in the API's contract: check them with the real service.
--
-- Left out: issued receipts that the tax authority rejected (BE), whatever the API no longer lists, remitos, resguardos
-- and boletas de entrada. Twelve whole months and the current one; change both conditions on fecha for others.
WITH comprobantes AS (
  SELECT 'emitidos' AS direccion, rut, fecha, tipo_comprobante, totales
  FROM emitidos_detalle
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND coalesce(json_extract_scalar(estado_dgi, '$.codigo'), '') <> 'BE'
  UNION ALL
  SELECT 'recibidos' AS direccion, rut, fecha, tipo_comprobante, totales
  FROM recibidos_detalle
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
),
importes AS (
  SELECT
    direccion,
    rut,
    CAST(date_trunc('month', fecha) AS DATE) AS mes,
    json_extract_scalar(totales, '$.moneda') AS moneda,
    CASE WHEN mod(tipo_comprobante, 10) = 2 THEN -1 ELSE 1 END AS signo,
    TRY_CAST(json_extract_scalar(totales, '$.mnt_no_gravado') AS DECIMAL(17, 2)) AS no_gravado,
    TRY_CAST(json_extract_scalar(totales, '$.mnt_neto_iva_tasa_minima') AS DECIMAL(17, 2)) AS neto_minima,
    TRY_CAST(json_extract_scalar(totales, '$.mnt_iva_tasa_minima') AS DECIMAL(17, 2)) AS iva_minima,
    TRY_CAST(json_extract_scalar(totales, '$.mnt_neto_iva_tasa_basica') AS DECIMAL(17, 2)) AS neto_basica,
    TRY_CAST(json_extract_scalar(totales, '$.mnt_iva_tasa_basica') AS DECIMAL(17, 2)) AS iva_basica
  FROM comprobantes
  WHERE coalesce(mod(tipo_comprobante, 100), 0) NOT IN (24, 51, 52, 53, 81, 82)
)
SELECT
  rut,
  direccion,
  mes,
  moneda,
  count(*) AS comprobantes,
  sum(signo * no_gravado) AS no_gravado,
  sum(signo * neto_minima) AS neto_minima,
  sum(signo * iva_minima) AS iva_minima,
  sum(signo * neto_basica) AS neto_basica,
  sum(signo * iva_basica) AS iva_basica,
  count(*) - count(coalesce(no_gravado, neto_minima, iva_minima, neto_basica, iva_basica)) AS sin_desglose
FROM importes
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
