-- Bought on credit, by company, supplier, month and currency (credit notes negative).
--
-- On credit means that the receipt states forma_pago 2. The API knows neither what was paid nor when a received
-- receipt is due. total is the sum of the receipts themselves. a_pagar is the sum that they state as payable, with
-- what they bring forward from earlier receipts. A payment receipt (total 0, the money in total_pagar) is no debt,
-- and left out. Never add up different currencies. sin_monto counts receipts of which one of the two is not in its sum:
-- there is none, or it did not fit its column and is in otros. Suppliers without a document are told apart by their
-- names.
--
-- Also left out: receipts with the status BE (rejected, the contract does not say by whom, which may still be
-- reversed) or that the API no longer lists, and received boletas de entrada (15x), which are the company's sales.
-- Those that it issued are debts too, but the issued list states no forma_pago. Twelve whole months and the current
-- one. Change the condition on fecha for another period.
SELECT
  rut,
  emisor_ruc,
  max(emisor_razon_social) AS proveedor,
  CAST(date_trunc('month', fecha) AS DATE) AS mes,
  nullif(moneda, '') AS moneda,
  count(*) AS comprobantes,
  sum(CASE WHEN t.signo = -1 THEN -totales_total ELSE totales_total END) AS total,
  sum(CASE WHEN t.signo = -1 THEN -totales_total_pagar ELSE totales_total_pagar END) AS a_pagar,
  count(CASE WHEN totales_total IS NULL OR totales_total_pagar IS NULL THEN 1 END) AS sin_monto
FROM recibidos
LEFT JOIN tipos_comprobante t USING (tipo_comprobante)
WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  AND forma_pago = 2
  AND (totales_total <> 0 OR totales_total IS NULL)
  AND visto_por_ultima_vez IS NULL
  AND coalesce(estado_codigo, '') <> 'BE'
  AND coalesce(t.clase, 'venta') IN ('venta', 'exportacion')
GROUP BY 1, 2, CASE WHEN coalesce(emisor_ruc, '') = '' THEN emisor_razon_social END, 4, 5
ORDER BY 1, 2, 3, 4, 5
