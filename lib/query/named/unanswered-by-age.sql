-- Receipts without an answer, by who owes it, age in days and type.
--
-- falta says whose answer is missing: dgi (issued receipts without a verdict of the tax authority, NE or none),
-- receptor (issued receipts, except rejected ones (BE), to a RUT that has not answered, for which it has 20 days) or
-- estado (received receipts without a status). A receipt may be under two of them.
--
-- e_ticket tells e-Tickets apart (101 and 131, their notes and contingency) for which the tax authority's answer is
-- missing: bajo el limite, sobre el limite, sin leer el detalle (its amount or its currency is not known) or sin
-- valor de UI. According to an auditor's note on a resolution of 2022, e-Tickets below 5,000 UI net are reported in
-- the daily summary only, and may stay NE for ever: those bajo el limite are no concern. The limit takes the UI of
-- 31 December of the year before, from the first lines of the query, for other years from cotizaciones. A year that
-- is not there takes that of the newest year before it, and nota says so (con la UI de 2026). Without one, the year
-- judges nothing. An e-Ticket is called bajo el limite by its detail alone, in pesos, net (else by its total), at
-- the rate above 0 that it states, else at that of cotizaciones that counts on its day (con_cotizacion counts
-- these). The inner names of totales are not in the API's contract: check them with the real service.
--
-- Age counts from the day of the signature, or of issue where there is none after 2010. antigua is the earliest such
-- day. A verdict may come seconds later or never. An empty status is none. A rejection may still be reversed within
-- 60 days.
--
-- Recipients without a RUT do not answer, and are left out under receptor. The detail says whether a document is a
-- RUT (tipo_documento 2). Where it was not read, 12 digits with the right check digit are taken for one: a foreign
-- document that happens to have that form is not told apart. Whether the recipient takes electronic receipts at all,
-- and so answers, is not known. The inner name receptor.tipo_documento is not in the API's contract: check it with
-- the real service.
--
-- No amounts, because the issued list has no currency. Left out: what the API no longer lists. Twelve whole months
-- and the current one. Change all conditions on fecha for another period.
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
sin_respuesta AS (
  SELECT
    e.rut,
    e.tipo_comprobante,
    CASE WHEN year(e.fecha_firma) > 2010 THEN CAST(e.fecha_firma AS DATE) ELSE e.fecha END AS desde,
    e.receptor_ruc AS documento,
    json_extract_scalar(d.receptor, '$.tipo_documento') AS tipo_documento,
    -- 0 for the check digit of a RUT.
    mod(
      4 * TRY_CAST(substr(e.receptor_ruc, 1, 1) AS INTEGER)
        + 3 * TRY_CAST(substr(e.receptor_ruc, 2, 1) AS INTEGER)
        + 2 * TRY_CAST(substr(e.receptor_ruc, 3, 1) AS INTEGER)
        + 9 * TRY_CAST(substr(e.receptor_ruc, 4, 1) AS INTEGER)
        + 8 * TRY_CAST(substr(e.receptor_ruc, 5, 1) AS INTEGER)
        + 7 * TRY_CAST(substr(e.receptor_ruc, 6, 1) AS INTEGER)
        + 6 * TRY_CAST(substr(e.receptor_ruc, 7, 1) AS INTEGER)
        + 5 * TRY_CAST(substr(e.receptor_ruc, 8, 1) AS INTEGER)
        + 4 * TRY_CAST(substr(e.receptor_ruc, 9, 1) AS INTEGER)
        + 3 * TRY_CAST(substr(e.receptor_ruc, 10, 1) AS INTEGER)
        + 2 * TRY_CAST(substr(e.receptor_ruc, 11, 1) AS INTEGER)
        + TRY_CAST(substr(e.receptor_ruc, 12, 1) AS INTEGER),
      11
    ) AS resto
  FROM emitidos e
  LEFT JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND e.visto_por_ultima_vez IS NULL
    AND coalesce(e.estado_dgi_codigo, '') <> 'BE'
    AND coalesce(e.estado_receptor_codigo, '') = ''
    AND e.receptor_ruc <> ''
),
sin_dgi AS (
  SELECT
    e.rut,
    e.tipo_comprobante,
    CASE WHEN year(e.fecha_firma) > 2010 THEN CAST(e.fecha_firma AS DATE) ELSE e.fecha END AS desde,
    mod(e.tipo_comprobante, 100) IN (1, 2, 3, 31, 32, 33) AS es_e_ticket,
    u.valor,
    CASE WHEN u.anio_ui < u.anio THEN concat('con la UI de ', CAST(u.anio_ui AS VARCHAR)) END AS otra_ui,
    CASE
      WHEN json_extract_scalar(d.totales, '$.moneda') = 'UYU' THEN 1
      WHEN TRY_CAST(json_extract_scalar(d.totales, '$.tipo_cambio') AS DECIMAL(17, 6)) > 0
      THEN TRY_CAST(json_extract_scalar(d.totales, '$.tipo_cambio') AS DECIMAL(17, 6))
      ELSE q.valor
    END AS tipo_cambio,
    json_extract_scalar(d.totales, '$.moneda') <> 'UYU'
      AND NOT coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.tipo_cambio') AS DECIMAL(17, 6)) > 0, false)
      AND q.valor IS NOT NULL AS es_cotizado,
    coalesce(
      TRY_CAST(json_extract_scalar(d.totales, '$.mnt_no_gravado') AS DECIMAL(20, 2)),
      TRY_CAST(json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_minima') AS DECIMAL(20, 2)),
      TRY_CAST(json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_basica') AS DECIMAL(20, 2))
    ) IS NOT NULL AS tiene_neto,
    coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.mnt_no_gravado') AS DECIMAL(20, 2)), 0)
      + coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_minima') AS DECIMAL(20, 2)), 0)
      + coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_basica') AS DECIMAL(20, 2)), 0)
      AS neto,
    e.totales_total_pagar AS total
  FROM emitidos e
  LEFT JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  LEFT JOIN cotizado q
    ON q.moneda = json_extract_scalar(d.totales, '$.moneda')
    AND q.desde <= e.fecha
    AND e.fecha < q.hasta
  LEFT JOIN vigente u
    ON u.anio = year(e.fecha)
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND e.visto_por_ultima_vez IS NULL
    AND coalesce(e.estado_dgi_codigo, '') IN ('', 'NE')
),
esperados AS (
  SELECT
    rut,
    'dgi' AS falta,
    CASE
      WHEN NOT es_e_ticket THEN NULL
      WHEN valor IS NULL THEN 'sin valor de UI'
      WHEN tipo_cambio > 0 AND tipo_cambio * CASE WHEN tiene_neto THEN neto ELSE total END < 5000 * valor
        THEN 'bajo el limite'
      WHEN tipo_cambio > 0 AND CASE WHEN tiene_neto THEN neto ELSE total END IS NOT NULL THEN 'sobre el limite'
      ELSE 'sin leer el detalle'
    END AS e_ticket,
    otra_ui,
    es_e_ticket AND es_cotizado AS es_cotizado,
    tipo_comprobante,
    desde
  FROM sin_dgi
  UNION ALL
  SELECT rut, 'receptor' AS falta, NULL AS e_ticket, NULL AS otra_ui, false AS es_cotizado, tipo_comprobante, desde
  FROM sin_respuesta
  WHERE CASE
    WHEN tipo_documento IS NOT NULL THEN tipo_documento = '2'
    ELSE length(documento) = 12
      AND translate(documento, '0123456789', '') = ''
      AND substr(documento, 1, 2) BETWEEN '01' AND '22'
      AND substr(documento, 3, 6) <> '000000'
      AND substr(documento, 9, 3) = '001'
      AND resto = 0
  END
  UNION ALL
  SELECT
    rut,
    'estado' AS falta,
    NULL AS e_ticket,
    NULL AS otra_ui,
    false AS es_cotizado,
    tipo_comprobante,
    CASE WHEN year(fecha_firma) > 2010 THEN CAST(fecha_firma AS DATE) ELSE fecha END AS desde
  FROM recibidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND coalesce(estado_codigo, '') IN ('', 'NE')
)
SELECT
  rut,
  falta,
  CASE
    WHEN date_diff('day', desde, current_date) <= 20 THEN '0 a 20'
    WHEN date_diff('day', desde, current_date) <= 60 THEN '21 a 60'
    ELSE '61 o mayor'
  END AS edad,
  tipo_comprobante,
  count(*) AS comprobantes,
  min(desde) AS antigua,
  e_ticket,
  CASE WHEN e_ticket IN ('bajo el limite', 'sobre el limite') THEN otra_ui END AS nota,
  count(CASE WHEN es_cotizado THEN 1 END) AS con_cotizacion
FROM esperados
GROUP BY 1, 2, 3, 4, 7, 8
ORDER BY 1, 2, 3, 4, 7, 8
