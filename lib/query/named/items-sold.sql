-- Items sold by company, article and currency, largest first (credit notes negative).
--
-- Amounts are those of the lines: before VAT, and before discounts and surcharges on the whole receipt. Lines that
-- are not billable (indicators 6 and 7) are left out, and so are receipts whose detail was never read, or whose items
-- are no array (these are in otros). A detail that is out of date (motivo is not null) counts as it was last read.
-- lineas_sin_monto counts lines without a readable amount. lineas_por_revisar counts lines whose quantity or amount
-- is no number, and so not in the sum, or has more than 3 and 2 decimals: these are added up exactly, and only the
-- sum is rounded. Never add up different currencies.
--
-- The inner names (codigo, nombre, unidad_medida, indicador_facturacion, cantidad, monto, totales.moneda) are not in
-- the API's contract: check them with the real service.
--
-- Left out: receipts that the tax authority rejected (BE, which may still be reversed) or that the API no longer
-- lists, remitos, resguardos and boletas de entrada. Twelve whole months and the current one. Change both conditions
-- on fecha for another period.
WITH comprobantes AS (
  -- include emitidos
),
lineas AS (
  SELECT
    rut,
    id,
    moneda_dicha AS moneda,
    json_extract_scalar(item, '$.codigo') AS codigo,
    json_extract_scalar(item, '$.nombre') AS articulo,
    json_extract_scalar(item, '$.unidad_medida') AS unidad,
    coalesce(signo, 1) AS signo,
    coalesce(
      json_extract_scalar(item, '$.cantidad'),
      CASE WHEN json_extract(item, '$.cantidad') <> json_parse('null') THEN '?' END
    ) AS texto_cantidad,
    coalesce(
      json_extract_scalar(item, '$.monto'),
      CASE WHEN json_extract(item, '$.monto') <> json_parse('null') THEN '?' END
    ) AS texto_monto,
    TRY_CAST(TRY_CAST(json_extract_scalar(item, '$.cantidad') AS DECIMAL(38, 20)) AS DECIMAL(28, 10)) AS cantidad,
    TRY_CAST(TRY_CAST(json_extract_scalar(item, '$.monto') AS DECIMAL(38, 20)) AS DECIMAL(28, 10)) AS monto
  FROM comprobantes
  CROSS JOIN UNNEST(CAST(json_parse(items) AS JSON ARRAY)) AS lineas (item)
  WHERE coalesce(estado, '') <> 'BE'
    AND coalesce(clase, 'venta') IN ('venta', 'exportacion')
    AND coalesce(json_extract_scalar(item, '$.indicador_facturacion'), '') NOT IN ('6', '7')
)
SELECT
  rut,
  codigo,
  articulo,
  unidad,
  moneda,
  count(DISTINCT id) AS comprobantes,
  CAST(sum(signo * cantidad) AS DECIMAL(38, 3)) AS cantidad,
  CAST(sum(signo * monto) AS DECIMAL(38, 2)) AS monto,
  count(*) - count(monto) AS lineas_sin_monto,
  count(
    CASE
      WHEN cantidad <> round(cantidad, 3)
        OR monto <> round(monto, 2)
        OR (cantidad IS NULL AND texto_cantidad IS NOT NULL)
        OR (monto IS NULL AND texto_monto IS NOT NULL)
      THEN 1
    END
  ) AS lineas_por_revisar
FROM lineas
GROUP BY 1, 2, 3, 4, 5
ORDER BY monto DESC, 1, 2, 3, 4, 5
