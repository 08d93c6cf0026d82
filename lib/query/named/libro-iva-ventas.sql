-- Libro IVA ventas: the receipts that a company issued, line by line (credit notes negative).
--
-- Amounts not taxed, exported, net and VAT at the minimum (10 %) and the basic rate (22 %), and otros, which is the
-- rest of the total (other rates, other taxes). First in the currency of the receipt (moneda), then in pesos
-- (_pesos) at tipo_cambio, rounded line by line: the exchange rate above 0 that the receipt states (cambio_de is
-- comprobante), else that of cotizaciones that counts on its day (cambio_de names where it stands).
-- Without either, the pesos are NULL. Never add up different currencies. The sums by month and currency are those of
-- vat-by-month.
--
-- nota is NULL where a line is complete. Otherwise it is sin desglose (no amount by rate is known, because the
-- detail was not read or has none), detalle anterior (the detail is older than the list, as it is where it has
-- another total), monto ilegible (an amount is no number, and left empty), sin total (the list has no total, or one
-- that did not fit its column and is in otros) or mas de dos decimales (an amount was rounded), and sin tipo de
-- cambio (there is no rate). A payment receipt has the total 0 and no VAT. moneda is in the detail only, and NULL
-- where that was not read. estado is the tax authority's, and may still change. The inner names of totales are not
-- in the API's contract: check them with the real service.
--
-- Left out: receipts that were rejected (BE, which may still be reversed) or that the API no longer lists, remitos,
-- resguardos and boletas de entrada. A fiscal number that is listed twice has two lines: ask numbers-under-two-ids.
-- Twelve whole months and the current one. Change all conditions on fecha for another period.
WITH comprobantes AS (
  SELECT
    e.rut,
    e.fecha,
    e.tipo_comprobante,
    t.nombre AS tipo,
    e.serie,
    e.numero,
    e.receptor_ruc AS documento,
    e.receptor_razon_social AS contraparte,
    json_extract_scalar(d.totales, '$.moneda') AS moneda,
    json_extract_scalar(d.totales, '$.tipo_cambio') AS texto_cambio,
    json_extract_scalar(d.totales, '$.mnt_no_gravado') AS texto_no_gravado,
    json_extract_scalar(d.totales, '$.mnt_exportacion_y_asimilados') AS texto_exportacion,
    json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_minima') AS texto_neto_minima,
    json_extract_scalar(d.totales, '$.mnt_iva_tasa_minima') AS texto_iva_minima,
    json_extract_scalar(d.totales, '$.mnt_neto_iva_tasa_basica') AS texto_neto_basica,
    json_extract_scalar(d.totales, '$.mnt_iva_tasa_basica') AS texto_iva_basica,
    e.totales_total,
    coalesce(t.signo, 1) AS signo,
    e.estado_dgi_codigo AS estado,
    e.id,
    (d.motivo IS NOT NULL AND d.leido IS NOT NULL)
      OR coalesce(TRY_CAST(json_extract_scalar(d.totales, '$.total') AS DECIMAL(28, 2)) <> e.totales_total, false)
      AS es_anterior
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
    AND coalesce(e.estado_dgi_codigo, '') <> 'BE'
    -- A type that is not in the table is a line too.
    AND coalesce(t.clase, 'venta') IN ('venta', 'exportacion')
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
    c.*,
    CASE
      WHEN c.moneda = 'UYU' THEN 1
      WHEN TRY_CAST(texto_cambio AS DECIMAL(17, 6)) > 0 THEN TRY_CAST(texto_cambio AS DECIMAL(17, 6))
      ELSE q.valor
    END AS tipo_cambio,
    CASE
      WHEN c.moneda = 'UYU' THEN NULL
      WHEN TRY_CAST(texto_cambio AS DECIMAL(17, 6)) > 0 THEN 'comprobante'
      WHEN q.valor IS NOT NULL THEN concat('cotizaciones ', CAST(q.dia AS VARCHAR))
    END AS cambio_de,
    TRY_CAST(texto_no_gravado AS DECIMAL(28, 10)) AS no_gravado,
    TRY_CAST(texto_exportacion AS DECIMAL(28, 10)) AS exportacion,
    TRY_CAST(texto_neto_minima AS DECIMAL(28, 10)) AS neto_minima,
    TRY_CAST(texto_iva_minima AS DECIMAL(28, 10)) AS iva_minima,
    TRY_CAST(texto_neto_basica AS DECIMAL(28, 10)) AS neto_basica,
    TRY_CAST(texto_iva_basica AS DECIMAL(28, 10)) AS iva_basica
  FROM comprobantes c
  LEFT JOIN cotizado q
    ON q.moneda = c.moneda
    AND q.desde <= c.fecha
    AND c.fecha < q.hasta
),
lineas AS (
  SELECT
    *,
    CAST(signo * no_gravado AS DECIMAL(20, 2)) AS linea_no_gravado,
    CAST(signo * exportacion AS DECIMAL(20, 2)) AS linea_exportacion,
    CAST(signo * neto_minima AS DECIMAL(20, 2)) AS linea_neto_minima,
    CAST(signo * iva_minima AS DECIMAL(20, 2)) AS linea_iva_minima,
    CAST(signo * neto_basica AS DECIMAL(20, 2)) AS linea_neto_basica,
    CAST(signo * iva_basica AS DECIMAL(20, 2)) AS linea_iva_basica,
    CAST(signo * totales_total AS DECIMAL(20, 2)) AS linea_total,
    CASE
      WHEN coalesce(no_gravado, exportacion, neto_minima, iva_minima, neto_basica, iva_basica) IS NULL
      THEN 'sin desglose'
      WHEN es_anterior THEN 'detalle anterior'
      WHEN (no_gravado IS NULL AND texto_no_gravado IS NOT NULL)
        OR (exportacion IS NULL AND texto_exportacion IS NOT NULL)
        OR (neto_minima IS NULL AND texto_neto_minima IS NOT NULL)
        OR (iva_minima IS NULL AND texto_iva_minima IS NOT NULL)
        OR (neto_basica IS NULL AND texto_neto_basica IS NOT NULL)
        OR (iva_basica IS NULL AND texto_iva_basica IS NOT NULL)
      THEN 'monto ilegible'
      WHEN totales_total IS NULL THEN 'sin total'
      WHEN no_gravado <> round(no_gravado, 2)
        OR exportacion <> round(exportacion, 2)
        OR neto_minima <> round(neto_minima, 2)
        OR iva_minima <> round(iva_minima, 2)
        OR neto_basica <> round(neto_basica, 2)
        OR iva_basica <> round(iva_basica, 2)
      THEN 'mas de dos decimales'
    END AS falta
  FROM leidos
),
sumados AS (
  SELECT
    *,
    CASE
      WHEN falta = 'sin desglose' THEN NULL
      ELSE linea_total
        - coalesce(linea_no_gravado, 0)
        - coalesce(linea_exportacion, 0)
        - coalesce(linea_neto_minima, 0)
        - coalesce(linea_iva_minima, 0)
        - coalesce(linea_neto_basica, 0)
        - coalesce(linea_iva_basica, 0)
    END AS linea_otros
  FROM lineas
)
SELECT
  rut,
  fecha,
  tipo_comprobante,
  tipo,
  serie,
  numero,
  documento,
  contraparte,
  moneda,
  tipo_cambio,
  linea_no_gravado AS no_gravado,
  linea_exportacion AS exportacion,
  linea_neto_minima AS neto_minima,
  linea_iva_minima AS iva_minima,
  linea_neto_basica AS neto_basica,
  linea_iva_basica AS iva_basica,
  linea_otros AS otros,
  linea_total AS total,
  TRY_CAST(linea_no_gravado * tipo_cambio AS DECIMAL(20, 2)) AS no_gravado_pesos,
  TRY_CAST(linea_exportacion * tipo_cambio AS DECIMAL(20, 2)) AS exportacion_pesos,
  TRY_CAST(linea_neto_minima * tipo_cambio AS DECIMAL(20, 2)) AS neto_minima_pesos,
  TRY_CAST(linea_iva_minima * tipo_cambio AS DECIMAL(20, 2)) AS iva_minima_pesos,
  TRY_CAST(linea_neto_basica * tipo_cambio AS DECIMAL(20, 2)) AS neto_basica_pesos,
  TRY_CAST(linea_iva_basica * tipo_cambio AS DECIMAL(20, 2)) AS iva_basica_pesos,
  TRY_CAST(linea_otros * tipo_cambio AS DECIMAL(20, 2)) AS otros_pesos,
  TRY_CAST(linea_total * tipo_cambio AS DECIMAL(20, 2)) AS total_pesos,
  cambio_de,
  estado,
  nullif(
    concat_ws(', ', falta, CASE WHEN moneda IS NOT NULL AND tipo_cambio IS NULL THEN 'sin tipo de cambio' END),
    ''
  ) AS nota,
  id
FROM sumados
ORDER BY rut, fecha, tipo_comprobante, serie, numero, id
