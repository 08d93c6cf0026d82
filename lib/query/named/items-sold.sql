-- Items sold by company, article and currency, largest first (credit notes negative).
--
-- Amounts are those of the lines: before VAT, and before discounts and surcharges on the whole receipt. Lines that
-- are not billable (indicators 6 and 7) are left out, and so are receipts whose detail was never read.
-- lineas_sin_monto tells how many lines had no readable amount. Never add up different currencies.
--
-- The inner names (codigo, nombre, unidad_medida, indicador_facturacion, cantidad, monto, totales.moneda) are not in
-- the API's contract: check them with the real service.
--
-- Left out: receipts that the tax authority rejected (BE, which may still be turned) or that the API no longer lists,
-- remitos, resguardos and boletas de entrada. Twelve whole months and the current one. Change both conditions on
-- fecha for others.
WITH lineas AS (
  SELECT
    d.rut,
    d.id,
    json_extract_scalar(d.totales, '$.moneda') AS moneda,
    json_extract_scalar(item, '$.codigo') AS codigo,
    json_extract_scalar(item, '$.nombre') AS articulo,
    json_extract_scalar(item, '$.unidad_medida') AS unidad,
    CASE WHEN mod(d.tipo_comprobante, 10) = 2 THEN -1 ELSE 1 END AS signo,
    TRY_CAST(json_extract_scalar(item, '$.cantidad') AS DECIMAL(17, 3)) AS cantidad,
    TRY_CAST(json_extract_scalar(item, '$.monto') AS DECIMAL(17, 2)) AS monto
  FROM emitidos e
  JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
  CROSS JOIN UNNEST(CAST(json_parse(d.items) AS JSON ARRAY)) AS t (item)
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND e.visto_por_ultima_vez IS NULL
    AND coalesce(e.estado_dgi_codigo, '') <> 'BE'
    AND coalesce(mod(e.tipo_comprobante, 100), 0) NOT IN (24, 51, 52, 53, 81, 82)
    AND coalesce(json_extract_scalar(item, '$.indicador_facturacion'), '') NOT IN ('6', '7')
)
SELECT
  rut,
  codigo,
  articulo,
  unidad,
  moneda,
  count(DISTINCT id) AS comprobantes,
  sum(signo * cantidad) AS cantidad,
  sum(signo * monto) AS monto,
  count(*) - count(monto) AS lineas_sin_monto
FROM lineas
GROUP BY 1, 2, 3, 4, 5
ORDER BY monto DESC, 1, 2, 3, 4, 5
