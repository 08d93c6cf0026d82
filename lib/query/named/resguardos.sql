-- Resguardos: what was withheld from a company (sufrida) and by it (efectuada), by receipt and code.
--
-- A resguardo (182) that the company received states what was withheld from it, one that it issued what it withheld.
-- One row for each receipt, code and rate: monto_sujeto is the amount that the rate applies to, valor what was
-- withheld, in the currency of the receipt (never add up different ones), and valor_pesos the same at the exchange
-- rate above 0 that the receipt states, else at that of cotizaciones that counts on its day (cambio_de says
-- which), NULL without either. Amounts keep the sign that they came with.
--
-- nota is NULL where a row is complete. Otherwise it is sin retenciones (no code is known, because the detail was
-- not read or has none), detalle anterior (the detail is older than the list, as it is where it has another total),
-- monto ilegible (an amount is no number, and not in the sum) or mas de dos decimales (only the sum was rounded).
-- What e-Facturas withhold in their own lines is not included.
--
-- All this is in the details. The inner names totales.moneda, totales.tipo_cambio and items.retenciones_percepciones
-- (codigo, tasa, monto_sujeto, valor) are not in the API's contract: check them with the real service.
--
-- Left out: receipts that were rejected (BE, of received ones the contract does not say by whom, and a rejection may
-- still be reversed) or that the API no longer lists. A fiscal number that is listed twice counts twice: ask
-- numbers-under-two-ids. Twelve whole months and the current one. Change all conditions on fecha for another period.
WITH cotizado AS (
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
resguardos AS (
  SELECT
    'sufrida' AS retencion,
    r.rut,
    r.fecha,
    r.tipo_comprobante,
    r.serie,
    r.numero,
    r.emisor_ruc AS documento,
    r.emisor_razon_social AS contraparte,
    coalesce(r.moneda, json_extract_scalar(d.totales, '$.moneda')) AS moneda,
    TRY_CAST(json_extract_scalar(d.totales, '$.tipo_cambio') AS DECIMAL(17, 6)) AS cambio_dicho,
    r.estado_codigo AS estado,
    r.id,
    d.items,
    (d.motivo IS NOT NULL AND d.leido IS NOT NULL)
      OR coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.total') AS DECIMAL(28, 2)) <> r.totales_total, false)
      AS es_anterior
  FROM recibidos r
  JOIN tipos_comprobante t
    ON t.tipo_comprobante = r.tipo_comprobante
  LEFT JOIN recibidos_detalle d
    ON d.fecha = r.fecha
    AND d.rut = r.rut
    AND d.id = r.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE r.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND r.visto_por_ultima_vez IS NULL
    AND coalesce(r.estado_codigo, '') <> 'BE'
    AND t.clase = 'resguardo'
  UNION ALL
  SELECT
    'efectuada' AS retencion,
    e.rut,
    e.fecha,
    e.tipo_comprobante,
    e.serie,
    e.numero,
    e.receptor_ruc AS documento,
    e.receptor_razon_social AS contraparte,
    json_extract_scalar(d.totales, '$.moneda') AS moneda,
    TRY_CAST(json_extract_scalar(d.totales, '$.tipo_cambio') AS DECIMAL(17, 6)) AS cambio_dicho,
    e.estado_dgi_codigo AS estado,
    e.id,
    d.items,
    (d.motivo IS NOT NULL AND d.leido IS NOT NULL)
      OR coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.total') AS DECIMAL(28, 2)) <> e.totales_total, false)
      AS es_anterior
  FROM emitidos e
  JOIN tipos_comprobante t
    ON t.tipo_comprobante = e.tipo_comprobante
  LEFT JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND e.visto_por_ultima_vez IS NULL
    AND coalesce(e.estado_dgi_codigo, '') <> 'BE'
    AND t.clase = 'resguardo'
),
textos AS (
  SELECT
    g.retencion,
    g.rut,
    g.fecha,
    g.id,
    json_extract_scalar(retenida, '$.codigo') AS codigo,
    json_extract_scalar(retenida, '$.tasa') AS tasa,
    json_extract_scalar(retenida, '$.monto_sujeto') AS texto_sujeto,
    json_extract_scalar(retenida, '$.valor') AS texto_valor
  FROM resguardos g
  CROSS JOIN UNNEST(CAST(json_parse(g.items) AS JSON ARRAY)) AS lineas (linea)
  CROSS JOIN UNNEST(TRY_CAST(json_extract(linea, '$.retenciones_percepciones') AS JSON ARRAY)) AS partes (retenida)
),
leidos AS (
  SELECT
    *,
    TRY_CAST(texto_sujeto AS DECIMAL(28, 10)) AS sujeto,
    TRY_CAST(texto_valor AS DECIMAL(28, 10)) AS valor
  FROM textos
),
retenciones AS (
  SELECT
    retencion,
    rut,
    fecha,
    id,
    codigo,
    TRY_CAST(tasa AS DECIMAL(9, 3)) AS tasa,
    CAST(sum(sujeto) AS DECIMAL(20, 2)) AS monto_sujeto,
    CAST(sum(valor) AS DECIMAL(20, 2)) AS valor,
    count(CASE WHEN sujeto IS NULL OR valor IS NULL THEN 1 END) AS ilegibles,
    count(CASE WHEN sujeto <> round(sujeto, 2) OR valor <> round(valor, 2) THEN 1 END) AS con_fracciones
  FROM leidos
  GROUP BY 1, 2, 3, 4, 5, 6
)
SELECT
  g.rut,
  g.retencion,
  g.fecha,
  g.tipo_comprobante,
  g.serie,
  g.numero,
  g.documento,
  g.contraparte,
  g.moneda,
  s.codigo,
  s.tasa,
  s.monto_sujeto,
  s.valor,
  TRY_CAST(
    s.valor * CASE WHEN g.moneda = 'UYU' THEN 1 WHEN g.cambio_dicho > 0 THEN g.cambio_dicho ELSE q.valor END
    AS DECIMAL(20, 2)
  ) AS valor_pesos,
  CASE
    WHEN g.moneda = 'UYU' THEN NULL
    WHEN g.cambio_dicho > 0 THEN 'comprobante'
    WHEN q.valor IS NOT NULL THEN concat('cotizaciones ', CAST(q.dia AS VARCHAR))
  END AS cambio_de,
  g.estado,
  CASE
    WHEN s.id IS NULL THEN 'sin retenciones'
    WHEN g.es_anterior THEN 'detalle anterior'
    WHEN s.ilegibles > 0 THEN 'monto ilegible'
    WHEN s.con_fracciones > 0 THEN 'mas de dos decimales'
  END AS nota,
  g.id
FROM resguardos g
LEFT JOIN retenciones s
  ON s.retencion = g.retencion
  AND s.rut = g.rut
  AND s.fecha = g.fecha
  AND s.id = g.id
LEFT JOIN cotizado q
  ON q.moneda = g.moneda
  AND q.desde <= g.fecha
  AND g.fecha < q.hasta
ORDER BY g.rut, g.retencion, g.fecha, g.id, s.codigo, s.tasa
