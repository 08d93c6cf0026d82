-- VAT by company, direction, month and currency, as receipts state it (credit notes negative).
--
-- emitidos is VAT charged, recibidos VAT paid. Amounts are in the currency of the receipt and are not converted:
-- never add up different ones. Net amounts and VAT at the minimum (10 %) and the basic rate (22 %), amounts not taxed
-- and exported. Other rates, VAT in suspense and perceived taxes are not shown.
--
-- All this is in the details. comprobantes counts the receipts of the lists, sin_desglose those without a known
-- amount by rate, because their detail was not read or has none: while it is not 0, the sums are incomplete. moneda
-- is NULL where only the detail would have it. The inner names of totales are not in the API's contract: check them
-- with the real service.
--
-- por_revisar counts receipts with an amount that is no number, and so not in the sums, or that has more than two
-- decimals (these are added up exactly, and only the sum is rounded), and receipts whose detail is older than the
-- list (motivo is not null, or it has another total). A fiscal number that is listed twice counts twice: ask
-- numbers-under-two-ids.
--
-- A payment receipt has no VAT. Left out: receipts that were rejected (BE, of received ones the contract does not say
-- by whom, and a rejection may still be reversed) or that the API no longer lists, remitos, resguardos and boletas de
-- entrada. Twelve whole months and the current one. Change all conditions on fecha for another period.
WITH comprobantes AS (
  SELECT
    'emitidos' AS direccion,
    e.rut,
    e.fecha,
    e.tipo_comprobante,
    json_extract_scalar(d.totales, '$.moneda') AS moneda,
    d.totales,
    (d.motivo IS NOT NULL AND d.leido IS NOT NULL)
      OR coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.total') AS DECIMAL(28, 2)) <> e.totales_total, false)
      AS es_anterior
  FROM emitidos e
  LEFT JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND e.visto_por_ultima_vez IS NULL
    AND coalesce(e.estado_dgi_codigo, '') <> 'BE'
  UNION ALL
  SELECT
    'recibidos' AS direccion,
    r.rut,
    r.fecha,
    r.tipo_comprobante,
    coalesce(r.moneda, json_extract_scalar(d.totales, '$.moneda')) AS moneda,
    d.totales,
    (d.motivo IS NOT NULL AND d.leido IS NOT NULL)
      OR coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.total') AS DECIMAL(28, 2)) <> r.totales_total, false)
      AS es_anterior
  FROM recibidos r
  LEFT JOIN recibidos_detalle d
    ON d.fecha = r.fecha
    AND d.rut = r.rut
    AND d.id = r.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE r.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND r.visto_por_ultima_vez IS NULL
    AND coalesce(r.estado_codigo, '') <> 'BE'
),
textos AS (
  SELECT
    direccion,
    rut,
    CAST(date_trunc('month', fecha) AS DATE) AS mes,
    moneda,
    es_anterior,
    coalesce(t.signo, 1) AS signo,
    json_extract_scalar(totales, '$.mnt_no_gravado') AS texto_no_gravado,
    json_extract_scalar(totales, '$.mnt_exportacion_y_asimilados') AS texto_exportacion,
    json_extract_scalar(totales, '$.mnt_neto_iva_tasa_minima') AS texto_neto_minima,
    json_extract_scalar(totales, '$.mnt_iva_tasa_minima') AS texto_iva_minima,
    json_extract_scalar(totales, '$.mnt_neto_iva_tasa_basica') AS texto_neto_basica,
    json_extract_scalar(totales, '$.mnt_iva_tasa_basica') AS texto_iva_basica
  FROM comprobantes
  LEFT JOIN tipos_comprobante t USING (tipo_comprobante)
  WHERE coalesce(t.clase, 'venta') IN ('venta', 'exportacion')
),
importes AS (
  SELECT
    *,
    TRY_CAST(texto_no_gravado AS DECIMAL(28, 10)) AS no_gravado,
    TRY_CAST(texto_exportacion AS DECIMAL(28, 10)) AS exportacion,
    TRY_CAST(texto_neto_minima AS DECIMAL(28, 10)) AS neto_minima,
    TRY_CAST(texto_iva_minima AS DECIMAL(28, 10)) AS iva_minima,
    TRY_CAST(texto_neto_basica AS DECIMAL(28, 10)) AS neto_basica,
    TRY_CAST(texto_iva_basica AS DECIMAL(28, 10)) AS iva_basica
  FROM textos
)
SELECT
  rut,
  direccion,
  mes,
  moneda,
  count(*) AS comprobantes,
  CAST(sum(signo * no_gravado) AS DECIMAL(38, 2)) AS no_gravado,
  CAST(sum(signo * exportacion) AS DECIMAL(38, 2)) AS exportacion,
  CAST(sum(signo * neto_minima) AS DECIMAL(38, 2)) AS neto_minima,
  CAST(sum(signo * iva_minima) AS DECIMAL(38, 2)) AS iva_minima,
  CAST(sum(signo * neto_basica) AS DECIMAL(38, 2)) AS neto_basica,
  CAST(sum(signo * iva_basica) AS DECIMAL(38, 2)) AS iva_basica,
  count(*) - count(coalesce(no_gravado, exportacion, neto_minima, iva_minima, neto_basica, iva_basica)) AS sin_desglose,
  count(
    CASE
      WHEN es_anterior
        OR no_gravado <> round(no_gravado, 2)
        OR (no_gravado IS NULL AND texto_no_gravado IS NOT NULL)
        OR exportacion <> round(exportacion, 2)
        OR (exportacion IS NULL AND texto_exportacion IS NOT NULL)
        OR neto_minima <> round(neto_minima, 2)
        OR (neto_minima IS NULL AND texto_neto_minima IS NOT NULL)
        OR iva_minima <> round(iva_minima, 2)
        OR (iva_minima IS NULL AND texto_iva_minima IS NOT NULL)
        OR neto_basica <> round(neto_basica, 2)
        OR (neto_basica IS NULL AND texto_neto_basica IS NOT NULL)
        OR iva_basica <> round(iva_basica, 2)
        OR (iva_basica IS NULL AND texto_iva_basica IS NOT NULL)
      THEN 1
    END
  ) AS por_revisar
FROM importes
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
