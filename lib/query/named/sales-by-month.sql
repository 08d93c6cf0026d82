-- Sales by company, month, type and currency; credit notes count negative.
--
-- Only the detail names the currency of an issued receipt: what has none yet stands under moneda NULL. Never add up
-- different currencies. The inner name totales.moneda is not in the API's contract: check it with the real service.
--
-- A payment receipt has the total 0 and adds nothing. Left out: receipts that the tax authority rejected (BE) or the
-- API no longer lists, remitos (124, 181), resguardos (182) and boletas de entrada (15x), which are purchases.
-- Contingency types are the ordinary ones plus 100.
--
-- Twelve whole months and the current one; change both conditions on fecha for others.
SELECT
  e.rut,
  CAST(date_trunc('month', e.fecha) AS DATE) AS mes,
  e.tipo_comprobante,
  json_extract_scalar(d.totales, '$.moneda') AS moneda,
  count(*) AS comprobantes,
  sum(CASE WHEN mod(e.tipo_comprobante, 10) = 2 THEN -e.totales_total ELSE e.totales_total END) AS total
FROM emitidos e
LEFT JOIN emitidos_detalle d
  ON d.fecha = e.fecha
  AND d.rut = e.rut
  AND d.id = e.id
  AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  AND e.visto_por_ultima_vez IS NULL
  AND coalesce(e.estado_dgi_codigo, '') <> 'BE'
  AND coalesce(mod(e.tipo_comprobante, 100), 0) NOT IN (24, 51, 52, 53, 81, 82)
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
