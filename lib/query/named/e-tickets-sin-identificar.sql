-- Issued e-Tickets above 5,000 UI net whose buyer is not identified.
--
-- According to an auditor's note on a resolution of 2022, the buyer of an e-Ticket above 5,000 UI net must be
-- identified. The limit takes the UI of 31 December of the year before, from the first lines of the query, for other
-- years from cotizaciones. A year that is not there takes that of the newest year before it, and nota says so (con
-- la UI de 2026). Without one, the year judges nothing, and has no rows here. limite and importe are in pesos,
-- moneda is the receipt's.
--
-- An amount is known by the detail alone: net (else the total), at the rate above 0 that it states, else at that of
-- cotizaciones that counts then (cambio_de says which, and without one nota is falta tipo de cambio).
-- e-Tickets whose buyer is not identified and whose amount is not known so are counted in one row a company and
-- month, with numero and importe NULL and comprobantes how many: read their details before this answer says that
-- there are none. A buyer is identified who has any document in the list or in the detail.
--
-- e-Tickets are 101 and 131, with debit notes and contingency. Credit notes are left out, and so is what was
-- rejected (BE, which may still be reversed) and what the API no longer lists. The inner names of totales and
-- receptor are not in the API's contract: check them with the real service. Twelve whole months and the current one.
-- Change all conditions on fecha for another period.
WITH unidad_indexada (anio, valor) AS (
  VALUES (2026, 6.4208)
),
vigente AS (
  -- A year that is not among them has the newest one before it.
  SELECT
    anio + n AS anio,
    max(anio) AS anio_ui,
    max_by(valor, anio) AS valor
  FROM (
    SELECT anio, valor
    FROM unidad_indexada
    UNION ALL
    SELECT year(fecha) + 1 AS anio, valor
    FROM cotizaciones
    WHERE date_trunc('month', current_date - INTERVAL '12' MONTH) - INTERVAL '12' MONTH <= fecha
      AND moneda = 'UYI'
      AND month(fecha) = 12
      AND day(fecha) = 31
      AND year(fecha) + 1 NOT IN (SELECT anio FROM unidad_indexada)
  ) AS conocidas
  CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS siguientes (n)
  GROUP BY anio + n
),
cotizado AS (
  -- The rate of a day counts from the day after it (of the UI, from that day) to the next that has one, at most ten
  -- days. The last UR of a month counts for that month.
  SELECT
    *,
    least(
      lead(desde, 1, DATE '9999-12-31') OVER (PARTITION BY moneda ORDER BY dia),
      CASE WHEN moneda = 'UYR' THEN desde + INTERVAL '1' MONTH ELSE desde + INTERVAL '10' DAY END
    ) AS hasta
  FROM (
    SELECT
      moneda,
      valor,
      fecha AS dia,
      CASE moneda
        WHEN 'UYR' THEN CAST(date_trunc('month', fecha) AS DATE)
        WHEN 'UYI' THEN fecha
        ELSE CAST(fecha + INTERVAL '1' DAY AS DATE)
      END AS desde
    FROM cotizaciones
    WHERE date_trunc('month', current_date - INTERVAL '12' MONTH) - INTERVAL '35' DAY <= fecha
  ) AS desde_cuando
),
e_tickets AS (
  SELECT
    e.rut,
    e.fecha,
    e.tipo_comprobante,
    e.serie,
    e.numero,
    e.id,
    json_extract_scalar(d.totales, '$.moneda') AS moneda,
    CAST(5000 * u.valor AS DECIMAL(20, 2)) AS limite,
    CASE WHEN u.anio_ui < u.anio THEN concat('con la UI de ', CAST(u.anio_ui AS VARCHAR)) END AS nota,
    CASE
      WHEN json_extract_scalar(d.totales, '$.moneda') = 'UYU' THEN 1
      WHEN TRY_CAST(json_extract_scalar(d.totales, '$.tipo_cambio') AS DECIMAL(17, 6)) > 0
      THEN TRY_CAST(json_extract_scalar(d.totales, '$.tipo_cambio') AS DECIMAL(17, 6))
      ELSE q.valor
    END AS tipo_cambio,
    CASE
      WHEN json_extract_scalar(d.totales, '$.moneda') = 'UYU' THEN NULL
      WHEN TRY_CAST(json_extract_scalar(d.totales, '$.tipo_cambio') AS DECIMAL(17, 6)) > 0 THEN 'comprobante'
      WHEN q.valor IS NOT NULL THEN concat('cotizaciones ', CAST(q.dia AS VARCHAR))
    END AS cambio_de,
    CASE
      WHEN coalesce(
        json_extract_scalar(d.totales, '$.mnt_no_gravado'),
        json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_minima'),
        json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_basica')
      ) IS NULL THEN e.totales_total_pagar
      ELSE coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.mnt_no_gravado') AS DECIMAL(20, 2)), 0)
        + coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_minima') AS DECIMAL(20, 2)), 0)
        + coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_basica') AS DECIMAL(20, 2)), 0)
    END AS neto
  FROM emitidos e
  JOIN vigente u
    ON u.anio = year(e.fecha)
  LEFT JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  LEFT JOIN cotizado q
    ON q.moneda = json_extract_scalar(d.totales, '$.moneda')
    AND q.desde <= e.fecha
    AND e.fecha < q.hasta
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND e.visto_por_ultima_vez IS NULL
    AND coalesce(e.estado_dgi_codigo, '') <> 'BE'
    AND mod(e.tipo_comprobante, 100) IN (1, 3, 31, 33)
    AND coalesce(e.receptor_ruc, '') = ''
    AND coalesce(json_extract_scalar(d.receptor, '$.nro_doc'), json_extract_scalar(d.receptor, '$.ruc'), '') = ''
),
importes AS (
  SELECT
    *,
    CASE WHEN tipo_cambio > 0 THEN CAST(tipo_cambio AS DECIMAL(17, 6)) * CAST(neto AS DECIMAL(20, 2)) END AS importe
  FROM e_tickets
)
SELECT
  rut,
  CAST(date_trunc('month', fecha) AS DATE) AS mes,
  fecha,
  tipo_comprobante,
  serie,
  numero,
  moneda,
  CAST(importe AS DECIMAL(38, 2)) AS importe,
  limite,
  1 AS comprobantes,
  id,
  cambio_de,
  nota
FROM importes
WHERE importe > limite
UNION ALL
SELECT
  rut,
  CAST(date_trunc('month', fecha) AS DATE) AS mes,
  NULL AS fecha,
  NULL AS tipo_comprobante,
  NULL AS serie,
  NULL AS numero,
  NULL AS moneda,
  NULL AS importe,
  NULL AS limite,
  count(*) AS comprobantes,
  NULL AS id,
  NULL AS cambio_de,
  CASE
    WHEN count(CASE WHEN moneda <> 'UYU' AND tipo_cambio IS NULL THEN 1 END) > 0 THEN 'falta tipo de cambio'
  END AS nota
FROM importes
WHERE importe IS NULL
GROUP BY rut, CAST(date_trunc('month', fecha) AS DATE)
ORDER BY 1, 2, 3, 6
