-- Issued receipts by signature date, type, issue date and branch, as the daily report has them.
--
-- comprobantes counts all that the API lists, rechazados those of them that the tax authority rejected (BE, which may
-- still be reversed). total is the sum of the others, and sin_monto counts those of them that it lacks: they have no
-- total, or one that did not fit its column and is in otros. It has no sign: the report has a line for each type, and
-- credit notes are on their own. Remitos and resguardos have none. A payment receipt has the total 0.
--
-- Branch and currency are in the detail only: without it sucursal and moneda are NULL, and such a row may hold
-- several of each. Never add up different currencies. The inner names emisor.codigo_sucursal and totales.moneda are
-- not in the API's contract: check them with the real service.
--
-- Left out: what the API no longer lists, and receipts without a moment of signature that fits its column. Signed
-- since the first day of last month, with an issue date at most eleven months before it. Change the conditions on
-- fecha_firma and fecha for another period.
SELECT
  e.rut,
  CAST(e.fecha_firma AS DATE) AS fecha_firma,
  e.tipo_comprobante,
  e.fecha AS fecha_emision,
  json_extract_scalar(d.emisor, '$.codigo_sucursal') AS sucursal,
  nullif(json_extract_scalar(d.totales, '$.moneda'), '') AS moneda,
  count(*) AS comprobantes,
  count(CASE WHEN e.estado_dgi_codigo = 'BE' THEN 1 END) AS rechazados,
  sum(CASE WHEN coalesce(e.estado_dgi_codigo, '') <> 'BE' THEN e.totales_total END) AS total,
  count(CASE WHEN coalesce(e.estado_dgi_codigo, '') <> 'BE' AND e.totales_total IS NULL THEN 1 END) AS sin_monto
FROM emitidos e
LEFT JOIN emitidos_detalle d
  ON d.fecha = e.fecha
  AND d.rut = e.rut
  AND d.id = e.id
  AND d.fecha >= date_trunc('month', current_date - INTERVAL '1' MONTH) - INTERVAL '11' MONTH
WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '1' MONTH) - INTERVAL '11' MONTH
  AND CAST(e.fecha_firma AS DATE) >= date_trunc('month', current_date - INTERVAL '1' MONTH)
  AND e.visto_por_ultima_vez IS NULL
GROUP BY 1, 2, 3, 4, 5, 6
ORDER BY 1, 2, 3, 4, 5, 6
