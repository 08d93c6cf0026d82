-- Receivables by company, due date and currency (credit notes negative).
--
-- What falls due, by the issued receipts that state a due date. The API does not know what was paid. a_cobrar is the
-- sum that they state as payable, with what they bring forward from earlier receipts. A payment receipt (total 0, the
-- money in total_pagar) is no receivable. Due dates and currency are in the detail: receipts whose detail was never
-- read are missing here. Never add up different currencies. A due date before 2011, when there were no CFE, is none:
-- vence is NULL.
--
-- The inner name totales.moneda is not in the API's contract: check it with the real service. A detail that is out of
-- date (motivo is not null) counts as it was last read. sin_monto counts receipts whose amount did not fit its column
-- and is in otros.
--
-- Left out: receipts that the tax authority rejected (BE, which may still be reversed) or that the API no longer
-- lists, remitos, resguardos and boletas de entrada. Issued in twelve whole months and the current one. Change both
-- conditions on fecha for another period.
SELECT
  e.rut,
  CASE WHEN year(d.fecha_vencimiento) > 2010 THEN CAST(d.fecha_vencimiento AS DATE) END AS vence,
  nullif(json_extract_scalar(d.totales, '$.moneda'), '') AS moneda,
  count(*) AS comprobantes,
  sum(CASE WHEN t.signo = -1 THEN -e.totales_total_pagar ELSE e.totales_total_pagar END) AS a_cobrar,
  count(*) - count(e.totales_total_pagar) AS sin_monto
FROM emitidos e
LEFT JOIN tipos_comprobante t
  ON t.tipo_comprobante = e.tipo_comprobante
JOIN emitidos_detalle d
  ON d.fecha = e.fecha
  AND d.rut = e.rut
  AND d.id = e.id
WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  AND d.fecha_vencimiento IS NOT NULL
  AND (e.totales_total <> 0 OR e.totales_total IS NULL)
  AND e.visto_por_ultima_vez IS NULL
  AND coalesce(e.estado_dgi_codigo, '') <> 'BE'
  AND coalesce(t.clase, 'venta') IN ('venta', 'exportacion')
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
