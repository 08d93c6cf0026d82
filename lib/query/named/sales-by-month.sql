-- Sales by company, month, type and currency (credit notes negative).
--
-- Only the detail names the currency of an issued receipt: receipts without one are under moneda NULL, several
-- currencies together. Never add up different currencies. The inner name totales.moneda is not in the API's contract:
-- check it with the real service.
--
-- A payment receipt has the total 0 and adds nothing. A boleta de entrada (15x) is issued by the buyer: those that
-- the company received are its sales, those that it issued are not. Contingency types are the ordinary ones plus 100.
-- sin_monto counts receipts without a total, or with one that did not fit its column and is in otros. A fiscal number
-- that is listed twice counts twice: ask numbers-under-two-ids.
--
-- Left out: receipts that were rejected (BE) or that the API no longer lists, remitos (124, 181) and resguardos
-- (182). A rejection may still be reversed. Twelve whole months and the current one. Change all conditions on fecha
-- for another period.
WITH ventas AS (
  SELECT rut, fecha, tipo_comprobante, signo, moneda_dicha AS moneda, totales_total
  FROM (
    -- include emitidos
  ) AS emitidas
  WHERE coalesce(estado, '') <> 'BE'
    AND coalesce(clase, 'venta') IN ('venta', 'exportacion')
  UNION ALL
  SELECT rut, fecha, tipo_comprobante, t.signo, nullif(moneda, '') AS moneda, totales_total
  FROM recibidos
  JOIN tipos_comprobante t USING (tipo_comprobante)
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND coalesce(estado_codigo, '') <> 'BE'
    AND t.clase = 'boleta de entrada'
)
SELECT
  rut,
  CAST(date_trunc('month', fecha) AS DATE) AS mes,
  tipo_comprobante,
  moneda,
  count(*) AS comprobantes,
  sum(CASE WHEN signo = -1 THEN -totales_total ELSE totales_total END) AS total,
  count(*) - count(totales_total) AS sin_monto
FROM ventas
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
