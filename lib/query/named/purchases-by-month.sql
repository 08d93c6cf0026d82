-- Purchases by company, month, type and currency (credit notes negative).
--
-- Never add up different currencies. A payment receipt has the total 0 and adds nothing. A boleta de entrada (15x) is
-- issued by the buyer: those that the company issued are its purchases, those that it received are not. The currency
-- of an issued receipt is in its detail only: without it moneda is NULL. The inner name totales.moneda is not in the
-- API's contract: check it with the real service. sin_monto counts receipts without a total, or with one that did not
-- fit its column and is in otros. A fiscal number that is listed twice counts twice: ask numbers-under-two-ids.
--
-- Left out: receipts that were rejected (BE, of received ones the contract does not say by whom) or that the API no
-- longer lists, remitos (124, 181) and resguardos (182). Received receipts may arrive days after their date, and a
-- rejection may still be reversed: a month is not final on its last day. Twelve whole months and the current one.
-- Change all conditions on fecha for another period.
WITH compras AS (
  SELECT rut, fecha, tipo_comprobante, t.signo, nullif(moneda, '') AS moneda, totales_total
  FROM recibidos
  LEFT JOIN tipos_comprobante t USING (tipo_comprobante)
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND coalesce(estado_codigo, '') <> 'BE'
    AND coalesce(t.clase, 'venta') IN ('venta', 'exportacion')
  UNION ALL
  SELECT rut, fecha, tipo_comprobante, signo, moneda_dicha AS moneda, totales_total
  FROM (
    -- include emitidos
  ) AS emitidas
  WHERE coalesce(estado, '') <> 'BE'
    AND clase = 'boleta de entrada'
)
SELECT
  rut,
  CAST(date_trunc('month', fecha) AS DATE) AS mes,
  tipo_comprobante,
  moneda,
  count(*) AS comprobantes,
  sum(CASE WHEN signo = -1 THEN -totales_total ELSE totales_total END) AS total,
  count(*) - count(totales_total) AS sin_monto
FROM compras
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
