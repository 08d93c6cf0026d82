importes AS (
  -- What e-Tickets are measured by, if the detail is in no doubt: the larger of what it states net and of the total
  -- without the VAT that it states, else the amount to pay.
  SELECT
    *,
    CASE WHEN tipo_cambio > 0 THEN CAST(tipo_cambio AS DECIMAL(17, 6)) * CAST(neto AS DECIMAL(20, 2)) END AS importe
  FROM (
    SELECT
      c.*,
      -- With a withholding it is sent whatever its amount (DGI's format of CFE, section E).
      CASE
        WHEN TRY_CAST(json_extract_scalar(c.totales, '$.mnt_total_retenido') AS DECIMAL(38, 10)) <> 0 THEN 0
        ELSE CAST(5000 * u.valor AS DECIMAL(20, 2))
      END AS limite,
      CASE WHEN u.anio_ui < u.anio THEN concat('con la UI de ', CAST(u.anio_ui AS VARCHAR)) END AS otra_ui,
      CASE
        WHEN es_anterior OR es_ilegible OR es_cambio_dudoso THEN NULL
        WHEN coalesce(contradiccion, 'falta IVA') <> 'falta IVA' THEN NULL
        WHEN coalesce(texto_no_gravado, texto_exportacion, texto_neto_minima, texto_neto_basica) IS NULL
          THEN totales_total_pagar
        ELSE greatest(
          coalesce(no_gravado, 0) + coalesce(exportacion, 0) + coalesce(neto_minima, 0) + coalesce(neto_basica, 0),
          coalesce(totales_total - coalesce(iva_minima, 0) - coalesce(iva_basica, 0), 0)
        )
      END AS neto
    FROM leidos c
    LEFT JOIN vigente u
      ON u.anio = year(c.fecha)
  ) AS medidos
),
