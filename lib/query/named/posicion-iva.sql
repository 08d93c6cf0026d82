-- VAT and withholdings by month and currency, and in pesos, as receipts state them.
--
-- One row for each company, month, concepto and currency (credit notes negative): the VAT of what was sold (IVA de
-- ventas), of received e-Facturas and their notes (11x, 14x), of received e-Tickets and theirs (10x, 13x), of other
-- received types, and what resguardos (182) withheld from the company (Retenciones sufridas) and it from others
-- (Retenciones efectuadas). Nothing is netted, and nothing says what may be deducted: that is for whoever signs the
-- return.
--
-- The amounts in pesos are at the exchange rate above 0 that the receipt states, else at that of cotizaciones
-- that counts on its day (con_cotizacion counts these), rounded receipt by receipt, as in the VAT books. total_pesos is
-- the sum of a row's. Never add up different currencies. A withholding counts in the month of its resguardo, with
-- the sign that it came with. What e-Facturas withhold in their own lines is not included.
--
-- All this is in the details. sin_detalle counts receipts without a known amount, because their detail was not read
-- or has none, sin_cambio those with amounts and no exchange rate, por_revisar those with an amount that is no
-- number (and not in the sums) or has more than two decimals, or with a detail older than the list, as it is where
-- it has another total. nota says which of them there are (faltan detalles, falta tipo de cambio, hay que revisar),
-- or moneda desconocida, where nothing is added up. It is NULL where a row is complete.
--
-- The inner names of totales and items.retenciones_percepciones (valor) are not in the API's contract: check them
-- with the real service. A payment receipt has no VAT. Left out: receipts that were rejected (BE, of received ones
-- the contract does not say by whom, and a rejection may still be reversed) or that the API no longer lists, remitos
-- and boletas de entrada. A fiscal number that is listed twice counts twice: ask numbers-under-two-ids. Twelve whole
-- months and the current one. Change all conditions on fecha for another period.
WITH comprobantes AS (
  SELECT
    'emitidos' AS direccion,
    e.rut,
    e.fecha,
    e.id,
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
    r.id,
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
clasificados AS (
  SELECT
    c.direccion,
    c.rut,
    c.fecha,
    c.id,
    c.moneda,
    c.es_anterior,
    coalesce(t.clase, 'venta') = 'resguardo' AS es_resguardo,
    coalesce(t.signo, 1) AS signo,
    CASE
      WHEN t.clase = 'resguardo' AND c.direccion = 'recibidos' THEN 'Retenciones sufridas'
      WHEN t.clase = 'resguardo' THEN 'Retenciones efectuadas'
      WHEN c.direccion = 'emitidos' THEN 'IVA de ventas'
      WHEN t.clase = 'venta' AND mod(c.tipo_comprobante, 100) IN (11, 12, 13, 41, 42, 43)
      THEN 'IVA de e-Facturas recibidas'
      WHEN t.clase = 'venta' THEN 'IVA de e-Tickets recibidos'
      ELSE 'IVA de otros recibidos'
    END AS concepto,
    CASE
      WHEN c.moneda = 'UYU' THEN 1
      WHEN TRY_CAST(json_extract_scalar(c.totales, '$.tipo_cambio') AS DECIMAL(17, 6)) > 0
      THEN TRY_CAST(json_extract_scalar(c.totales, '$.tipo_cambio') AS DECIMAL(17, 6))
      ELSE q.valor
    END AS tipo_cambio,
    c.moneda <> 'UYU'
      AND NOT coalesce(TRY_CAST(json_extract_scalar(c.totales, '$.tipo_cambio') AS DECIMAL(17, 6)) > 0, false)
      AND q.valor IS NOT NULL AS es_cotizado,
    json_extract_scalar(c.totales, '$.mnt_iva_tasa_minima') AS texto_minima,
    json_extract_scalar(c.totales, '$.mnt_iva_tasa_basica') AS texto_basica,
    TRY_CAST(json_extract_scalar(c.totales, '$.mnt_iva_tasa_minima') AS DECIMAL(28, 10)) AS iva_minima,
    TRY_CAST(json_extract_scalar(c.totales, '$.mnt_iva_tasa_basica') AS DECIMAL(28, 10)) AS iva_basica,
    coalesce(
      TRY_CAST(json_extract_scalar(c.totales, '$.mnt_no_gravado') AS DECIMAL(28, 10)),
      TRY_CAST(json_extract_scalar(c.totales, '$.mnt_exportacion_y_asimilados') AS DECIMAL(28, 10)),
      TRY_CAST(json_extract_scalar(c.totales, '$.mnt_neto_iva_tasa_minima') AS DECIMAL(28, 10)),
      TRY_CAST(json_extract_scalar(c.totales, '$.mnt_neto_iva_tasa_basica') AS DECIMAL(28, 10))
    ) AS otro_monto
  FROM comprobantes c
  LEFT JOIN tipos_comprobante t
    ON t.tipo_comprobante = c.tipo_comprobante
  LEFT JOIN cotizado q
    ON q.moneda = c.moneda
    AND q.desde <= c.fecha
    AND c.fecha < q.hasta
  WHERE coalesce(t.clase, 'venta') IN ('venta', 'exportacion', 'resguardo')
),
-- Lines are read of resguardos alone: those of all receipts would fill the memory.
lineas_de_resguardos AS (
  SELECT 'emitidos' AS direccion, e.rut, e.fecha, e.id, d.items
  FROM emitidos e
  JOIN tipos_comprobante t
    ON t.tipo_comprobante = e.tipo_comprobante
  JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND t.clase = 'resguardo'
  UNION ALL
  SELECT 'recibidos' AS direccion, r.rut, r.fecha, r.id, d.items
  FROM recibidos r
  JOIN tipos_comprobante t
    ON t.tipo_comprobante = r.tipo_comprobante
  JOIN recibidos_detalle d
    ON d.fecha = r.fecha
    AND d.rut = r.rut
    AND d.id = r.id
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  WHERE r.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND t.clase = 'resguardo'
),
retenidos AS (
  SELECT
    g.direccion,
    g.rut,
    g.fecha,
    g.id,
    json_extract_scalar(retenida, '$.valor') AS texto,
    TRY_CAST(json_extract_scalar(retenida, '$.valor') AS DECIMAL(28, 10)) AS valor
  FROM lineas_de_resguardos g
  CROSS JOIN UNNEST(CAST(json_parse(g.items) AS JSON ARRAY)) AS lineas (linea)
  CROSS JOIN UNNEST(TRY_CAST(json_extract(linea, '$.retenciones_percepciones') AS JSON ARRAY)) AS partes (retenida)
),
retenciones AS (
  SELECT
    direccion,
    rut,
    fecha,
    id,
    sum(valor) AS retenido,
    count(CASE WHEN valor IS NULL OR valor <> round(valor, 2) THEN 1 END) > 0 AS es_rara
  FROM retenidos
  GROUP BY 1, 2, 3, 4
),
importes AS (
  SELECT
    c.rut,
    CAST(date_trunc('month', c.fecha) AS DATE) AS mes,
    c.concepto,
    c.moneda,
    c.tipo_cambio,
    c.es_cotizado,
    c.es_anterior,
    CASE
      WHEN c.es_resguardo THEN s.id IS NOT NULL
      ELSE coalesce(c.iva_minima, c.iva_basica, c.otro_monto) IS NOT NULL
    END AS se_conoce,
    CASE
      WHEN c.es_resguardo THEN coalesce(s.es_rara, false)
      ELSE coalesce(c.iva_minima <> round(c.iva_minima, 2), false)
        OR coalesce(c.iva_basica <> round(c.iva_basica, 2), false)
        OR (c.iva_minima IS NULL AND c.texto_minima IS NOT NULL)
        OR (c.iva_basica IS NULL AND c.texto_basica IS NOT NULL)
    END AS es_raro,
    CASE WHEN c.moneda IS NOT NULL AND NOT c.es_resguardo THEN c.signo * c.iva_minima END AS iva_minima,
    CASE WHEN c.moneda IS NOT NULL AND NOT c.es_resguardo THEN c.signo * c.iva_basica END AS iva_basica,
    CASE WHEN c.moneda IS NOT NULL THEN s.retenido END AS retenido
  FROM clasificados c
  LEFT JOIN retenciones s
    ON s.direccion = c.direccion
    AND s.rut = c.rut
    AND s.fecha = c.fecha
    AND s.id = c.id
),
sumas AS (
  SELECT
    rut,
    mes,
    concepto,
    moneda,
    count(*) AS comprobantes,
    CAST(sum(iva_minima) AS DECIMAL(38, 2)) AS iva_minima,
    CAST(sum(iva_basica) AS DECIMAL(38, 2)) AS iva_basica,
    CAST(sum(retenido) AS DECIMAL(38, 2)) AS retenido,
    sum(TRY_CAST(CAST(iva_minima AS DECIMAL(20, 2)) * tipo_cambio AS DECIMAL(20, 2))) AS iva_minima_pesos,
    sum(TRY_CAST(CAST(iva_basica AS DECIMAL(20, 2)) * tipo_cambio AS DECIMAL(20, 2))) AS iva_basica_pesos,
    sum(TRY_CAST(CAST(retenido AS DECIMAL(20, 2)) * tipo_cambio AS DECIMAL(20, 2))) AS retenido_pesos,
    count(CASE WHEN NOT se_conoce THEN 1 END) AS sin_detalle,
    count(CASE WHEN se_conoce AND tipo_cambio IS NULL THEN 1 END) AS sin_cambio,
    count(CASE WHEN es_anterior OR es_raro THEN 1 END) AS por_revisar,
    count(CASE WHEN se_conoce AND es_cotizado THEN 1 END) AS con_cotizacion
  FROM importes
  GROUP BY 1, 2, 3, 4
)
SELECT
  rut,
  mes,
  concepto,
  moneda,
  comprobantes,
  iva_minima,
  iva_basica,
  retenido,
  iva_minima_pesos,
  iva_basica_pesos,
  retenido_pesos,
  CASE
    WHEN coalesce(iva_minima_pesos, iva_basica_pesos, retenido_pesos) IS NOT NULL
      THEN coalesce(iva_minima_pesos, 0) + coalesce(iva_basica_pesos, 0) + coalesce(retenido_pesos, 0)
  END AS total_pesos,
  sin_detalle,
  sin_cambio,
  con_cotizacion,
  por_revisar,
  nullif(
    concat_ws(
      ', ',
      CASE WHEN sin_detalle > 0 THEN 'faltan detalles' END,
      CASE WHEN sin_cambio > 0 THEN 'falta tipo de cambio' END,
      CASE WHEN por_revisar > 0 THEN 'hay que revisar' END,
      CASE WHEN moneda IS NULL THEN 'moneda desconocida' END
    ),
    ''
  ) AS nota
FROM sumas
ORDER BY rut, mes, CASE WHEN concepto = 'IVA de ventas' THEN 1 ELSE 2 END, concepto, moneda
