-- Formulario 2181: VAT and exempt purchases in pesos, by month, counterpart and line (502 to 506).
--
-- 502 and 503 are the VAT on sales to taxpayers at the basic (22 %) and the minimum rate (10 %), 504 the amount
-- bought in the country free of VAT, 505 and 506 the VAT on purchases at the two rates. Credit notes subtract. Other
-- currencies are converted at the rate above 0 that the receipt states, else at that of cotizaciones that
-- counts on its day (con_cotizacion counts these receipts). de_e_tickets is the part of importe that
-- comes from e-Tickets (101 and 131, their notes and contingency): according to one source, buyers do not deduct
-- their VAT.
--
-- A row with linea NULL counts receipts of that month and RUT that are in no line: their detail was not read as the
-- list is now, or states no amount by rate, or amounts that are not a number of cents, there is no exchange rate
-- (nota: falta tipo de cambio), or their type is not in tipos_comprobante. As long as there are any, the declaration
-- is incomplete.
--
-- Included are issued receipts that the tax authority accepted (AE: neither observed nor unanswered ones) and
-- received ones that were not rejected (BE, the contract does not say by whom, and it may still be reversed), with a
-- RUT on the other side: a document that has the form of a RUT, or that the detail calls one. Left out: exports
-- (12x), remitos, resguardos, boletas de entrada, and what the API no longer lists. A payment receipt has no VAT. A
-- fiscal number that is listed twice counts twice: ask numbers-under-two-ids.
--
-- How to fill in the form is taken from what others publish, not from the tax authority: check lines and amounts in
-- its own program. Sales on another's account (13x, 14x) count like the company's own. The inner names of totales
-- and receptor.tipo_documento are not in the API's contract: check them with the real service. Twelve whole months
-- and the current one. Change all conditions on fecha for another period.
WITH comprobantes AS (
  SELECT
    'ventas' AS lado,
    e.rut,
    e.fecha,
    e.tipo_comprobante,
    t.signo,
    e.receptor_ruc AS documento,
    e.receptor_razon_social AS nombre,
    json_extract_scalar(d.receptor, '$.tipo_documento') AS tipo_documento,
    json_extract_scalar(d.totales, '$.moneda') AS moneda,
    d.totales,
    d.motivo IS NULL
      AND coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.total') AS DECIMAL(28, 2)) = e.totales_total, true)
      AS esta_al_dia
  FROM emitidos e
  LEFT JOIN tipos_comprobante t
    ON t.tipo_comprobante = e.tipo_comprobante
  LEFT JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND e.visto_por_ultima_vez IS NULL
    AND e.estado_dgi_codigo = 'AE'
    AND coalesce(t.clase, 'venta') = 'venta'
  UNION ALL
  SELECT
    'compras' AS lado,
    r.rut,
    r.fecha,
    r.tipo_comprobante,
    t.signo,
    r.emisor_ruc AS documento,
    r.emisor_razon_social AS nombre,
    NULL AS tipo_documento,
    coalesce(r.moneda, json_extract_scalar(d.totales, '$.moneda')) AS moneda,
    d.totales,
    d.motivo IS NULL
      AND coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.total') AS DECIMAL(28, 2)) = r.totales_total, true)
      AS esta_al_dia
  FROM recibidos r
  LEFT JOIN tipos_comprobante t
    ON t.tipo_comprobante = r.tipo_comprobante
  LEFT JOIN recibidos_detalle d
    ON d.fecha = r.fecha
    AND d.rut = r.rut
    AND d.id = r.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE r.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND r.visto_por_ultima_vez IS NULL
    AND coalesce(r.estado_codigo, '') <> 'BE'
    AND coalesce(t.clase, 'venta') = 'venta'
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
leidos AS (
  SELECT
    lado,
    rut,
    CAST(date_trunc('month', c.fecha) AS DATE) AS mes,
    tipo_comprobante,
    signo,
    documento,
    nombre,
    tipo_documento,
    esta_al_dia,
    CASE
      WHEN c.moneda = 'UYU' THEN 1
      WHEN TRY_CAST(json_extract_scalar(totales, '$.tipo_cambio') AS DECIMAL(17, 6)) > 0
      THEN TRY_CAST(json_extract_scalar(totales, '$.tipo_cambio') AS DECIMAL(17, 6))
      ELSE q.valor
    END AS tipo_cambio,
    coalesce(c.moneda, 'UYU') <> 'UYU'
      AND NOT coalesce(TRY_CAST(json_extract_scalar(totales, '$.tipo_cambio') AS DECIMAL(17, 6)) > 0, false)
      AS es_sin_cambio_propio,
    json_extract_scalar(totales, '$.mnt_no_gravado') AS texto_no_gravado,
    json_extract_scalar(totales, '$.mnt_iva_tasa_minima') AS texto_iva_minima,
    json_extract_scalar(totales, '$.mnt_iva_tasa_basica') AS texto_iva_basica,
    TRY_CAST(json_extract_scalar(totales, '$.mnt_no_gravado') AS DECIMAL(28, 10)) AS no_gravado,
    TRY_CAST(json_extract_scalar(totales, '$.mnt_iva_tasa_minima') AS DECIMAL(28, 10)) AS iva_minima,
    TRY_CAST(json_extract_scalar(totales, '$.mnt_iva_tasa_basica') AS DECIMAL(28, 10)) AS iva_basica,
    -- 0 for the check digit of a RUT.
    mod(
      4 * TRY_CAST(substr(documento, 1, 1) AS INTEGER)
        + 3 * TRY_CAST(substr(documento, 2, 1) AS INTEGER)
        + 2 * TRY_CAST(substr(documento, 3, 1) AS INTEGER)
        + 9 * TRY_CAST(substr(documento, 4, 1) AS INTEGER)
        + 8 * TRY_CAST(substr(documento, 5, 1) AS INTEGER)
        + 7 * TRY_CAST(substr(documento, 6, 1) AS INTEGER)
        + 6 * TRY_CAST(substr(documento, 7, 1) AS INTEGER)
        + 5 * TRY_CAST(substr(documento, 8, 1) AS INTEGER)
        + 4 * TRY_CAST(substr(documento, 9, 1) AS INTEGER)
        + 3 * TRY_CAST(substr(documento, 10, 1) AS INTEGER)
        + 2 * TRY_CAST(substr(documento, 11, 1) AS INTEGER)
        + TRY_CAST(substr(documento, 12, 1) AS INTEGER),
      11
    ) AS resto
  FROM comprobantes c
  LEFT JOIN cotizado q
    ON q.moneda = c.moneda
    AND q.desde <= c.fecha
    AND c.fecha < q.hasta
),
contribuyentes AS (
  SELECT
    *,
    coalesce(
      esta_al_dia
        AND tipo_cambio IS NOT NULL
        AND signo IS NOT NULL
        AND coalesce(texto_no_gravado, texto_iva_minima, texto_iva_basica) IS NOT NULL
        AND (texto_no_gravado IS NULL OR no_gravado = round(no_gravado, 2))
        AND (texto_iva_minima IS NULL OR iva_minima = round(iva_minima, 2))
        AND (texto_iva_basica IS NULL OR iva_basica = round(iva_basica, 2)),
      false
    ) AS se_conoce
  FROM leidos
  WHERE CASE
    WHEN tipo_documento IS NOT NULL THEN tipo_documento = '2'
    ELSE length(documento) = 12
      AND translate(documento, '0123456789', '') = ''
      AND substr(documento, 1, 2) BETWEEN '01' AND '22'
      AND substr(documento, 3, 6) <> '000000'
      AND substr(documento, 9, 3) = '001'
      AND resto = 0
  END
),
importes AS (
  SELECT
    rut,
    mes,
    documento,
    nombre,
    lineas.linea,
    mod(tipo_comprobante, 100) IN (1, 2, 3, 31, 32, 33) AS es_e_ticket,
    es_sin_cambio_propio,
    CAST(signo * tipo_cambio AS DECIMAL(17, 6)) * CAST(
      CASE lineas.linea
        WHEN 502 THEN iva_basica
        WHEN 503 THEN iva_minima
        WHEN 504 THEN no_gravado
        WHEN 505 THEN iva_basica
        ELSE iva_minima
      END AS DECIMAL(20, 2)
    ) AS importe
  FROM contribuyentes
  JOIN (VALUES ('ventas', 502), ('ventas', 503), ('compras', 504), ('compras', 505), ('compras', 506))
    AS lineas (lado, linea)
    ON lineas.lado = contribuyentes.lado
  WHERE se_conoce
)
SELECT
  rut,
  mes,
  documento AS contraparte,
  max(nombre) AS nombre,
  linea,
  count(*) AS comprobantes,
  CAST(sum(importe) AS DECIMAL(38, 2)) AS importe,
  CAST(sum(CASE WHEN es_e_ticket THEN importe ELSE 0 END) AS DECIMAL(38, 2)) AS de_e_tickets,
  count(CASE WHEN es_sin_cambio_propio THEN 1 END) AS con_cotizacion,
  NULL AS nota
FROM importes
WHERE importe <> 0
GROUP BY rut, mes, documento, linea
UNION ALL
SELECT
  rut,
  mes,
  documento AS contraparte,
  max(nombre) AS nombre,
  NULL AS linea,
  count(*) AS comprobantes,
  NULL AS importe,
  NULL AS de_e_tickets,
  NULL AS con_cotizacion,
  CASE
    WHEN count(CASE WHEN es_sin_cambio_propio AND tipo_cambio IS NULL THEN 1 END) > 0 THEN 'falta tipo de cambio'
  END AS nota
FROM contribuyentes
WHERE NOT se_conoce
GROUP BY rut, mes, documento
ORDER BY 1, 2, 3, 5
