-- VAT and withholdings by month and currency, and totals in pesos, as receipts state them.
--
-- One row for each company, month, concepto and currency (credit notes negative): the VAT of what was sold (IVA de
-- ventas), of received e-Facturas and their notes (11x, 14x), of received e-Tickets and theirs (10x, 13x), of other
-- received types, and what resguardos (182) withheld from the company (Retenciones sufridas) and it from others
-- (Retenciones efectuadas). Tax credits, which are lines of resguardos whose code begins with 2181 (DGI's format of
-- CFE, A-C125.1), are no withholdings: retenido has them in rows of their own (Creditos fiscales de resguardos
-- recibidos, emitidos), and a resguardo with both counts in two rows. Below, under the moneda todas, stand the totals
-- in pesos of each concepto, and last that of IVA de ventas less that of e-Facturas. Leave them out where you add up
-- rows. Nothing says what else may be deducted, or whether all of this may: that is for whoever signs the return.
--
-- The amounts in pesos are at the exchange rate above 0 that the receipt states, else at that of cotizaciones that
-- counts on its day (con_cotizacion counts these), rounded receipt by receipt, as in the VAT books. total_pesos is
-- the sum of a row's. Never add up different currencies. A withholding counts in the month of its resguardo, with the
-- sign that it came with, or the other one where its item annuls another resguardo (indicador_facturacion 9: DGI's
-- format of CFE, B-C4). What e-Facturas withhold in their own lines is not included.
--
-- All this is in the details. sin_detalle counts receipts without a known amount, because their detail was not read or
-- has none, sin_cambio those with amounts and no exchange rate, por_revisar those with an amount that is no number of
-- at most 15 digits before the point (and not in the sums) or has more than two decimals, with a net at a rate that is
-- stated without its VAT, with VAT and no net at its rate, with an amount or a total below 0 (added as it is), with
-- amounts by rate that are more than the total by more than a unit of the currency, with lines that withhold another
-- sum than the resguardo states (tax credits are not in it), with a stated exchange rate that is neither 0 nor a
-- number above it (that of cotizaciones counts) or is more than a fifth off that of cotizaciones or, without one, none
-- that its currency can have (its own counts), of a type that is not in tipos_comprobante (nor is its sign known), of
-- a status that is none of AE, BE, CE, FE and NE, or no text (nobody can tell whether they were rejected), or with a
-- detail older than the list, as it is where it has another total or one that is no number, or that has another
-- currency, status, counterpart (by letters and digits) or issue day, or one of them that cannot be read (that of the
-- list counts). nota says which of them there are (faltan detalles, falta tipo de cambio, hay que revisar), or moneda
-- desconocida (there is none, or it is not three capital letters), where nothing is added up. It is NULL where a row
-- is complete. VAT is taken as stated: nothing says whether it fits the rate. VAT at another rate, or on a ficto
-- (DGI's format of CFE, A-C118 and A-C123), is not in it: the VAT books have it in otros, with its net.
--
-- The inner names of totales (its mnt_total_retenido, too), items (indicador_facturacion, retenciones_percepciones:
-- codigo, valor), emisor and receptor (ruc, nro_doc) are not in the API's contract: check them with the real service.
-- A payment receipt has no VAT: what the detail of a total of 0 leaves out is 0. Left out: receipts that were
-- rejected (BE, of received ones the contract does not say by whom, and a rejection may still be reversed) or that
-- the API no longer lists, remitos and boletas de entrada. A fiscal number that is listed twice counts twice: ask
-- numbers-under-two-ids. Twelve whole months and the current one. Change all conditions on fecha for another period.
WITH comprobantes AS (
  -- include emitidos
  UNION ALL
  -- include recibidos
),
-- include montos
-- include cambio
clasificados AS (
  SELECT
    *,
    coalesce(clase, 'venta') = 'resguardo' AS es_resguardo,
    CASE
      WHEN clase = 'resguardo' AND direccion = 'recibidos' THEN 'Retenciones sufridas'
      WHEN clase = 'resguardo' THEN 'Retenciones efectuadas'
      WHEN direccion = 'emitidos' THEN 'IVA de ventas'
      WHEN clase = 'venta' AND mod(tipo_comprobante, 100) IN (11, 12, 13, 41, 42, 43)
      THEN 'IVA de e-Facturas recibidas'
      WHEN clase = 'venta' THEN 'IVA de e-Tickets recibidos'
      ELSE 'IVA de otros recibidos'
    END AS concepto
  FROM leidos
  WHERE coalesce(estado, '') <> 'BE'
    AND coalesce(clase, 'venta') IN ('venta', 'exportacion', 'resguardo')
),
-- Lines are read of resguardos alone: those of all receipts would fill the memory.
resguardos AS (
  SELECT direccion, rut, fecha, id, totales, items
  FROM (
    -- include emitidos
    UNION ALL
    -- include recibidos
  ) AS todos
  WHERE clase = 'resguardo'
),
-- include retenidos
retenciones AS (
  SELECT
    direccion,
    rut,
    fecha,
    id,
    es_credito,
    TRY_CAST(sum(valor) AS DECIMAL(27, 10)) AS retenido,
    TRY_CAST(sum(valor) AS DECIMAL(27, 10)) IS NULL
      OR count(CASE WHEN valor IS NULL OR valor <> round(valor, 2) THEN 1 END) > 0
      OR count(CASE WHEN es_otra_suma THEN 1 END) > 0 AS es_rara
  FROM retenidos
  GROUP BY 1, 2, 3, 4, 5
),
importes AS (
  SELECT
    c.rut,
    CAST(date_trunc('month', c.fecha) AS DATE) AS mes,
    CASE
      WHEN s.es_credito THEN concat('Creditos fiscales de resguardos ', c.direccion)
      ELSE c.concepto
    END AS concepto,
    c.moneda,
    c.tipo_cambio,
    c.cambio_de LIKE 'cotizaciones%' AS es_cotizado,
    c.es_otro_detalle,
    CASE
      WHEN c.es_resguardo THEN s.id IS NOT NULL
      ELSE coalesce(c.iva_minima, c.iva_basica, c.no_gravado, c.exportacion, c.neto_minima, c.neto_basica) IS NOT NULL
    END AS se_conoce,
    CASE
      WHEN c.es_resguardo THEN coalesce(s.es_rara, false)
      ELSE coalesce(c.iva_minima <> round(c.iva_minima, 2), false)
        OR coalesce(c.iva_basica <> round(c.iva_basica, 2), false)
        OR (c.iva_minima IS NULL AND c.texto_iva_minima IS NOT NULL)
        OR (c.iva_basica IS NULL AND c.texto_iva_basica IS NOT NULL)
        OR c.contradiccion IS NOT NULL
        OR c.signo IS NULL
    END OR c.es_cambio_ilegible OR c.es_cambio_dudoso OR c.es_estado_desconocido AS es_raro,
    CASE WHEN c.moneda IS NOT NULL AND NOT c.es_resguardo THEN coalesce(c.signo, 1) * c.iva_minima END AS iva_minima,
    CASE WHEN c.moneda IS NOT NULL AND NOT c.es_resguardo THEN coalesce(c.signo, 1) * c.iva_basica END AS iva_basica,
    CASE WHEN c.moneda IS NOT NULL THEN s.retenido END AS retenido
  FROM clasificados c
  LEFT JOIN retenciones s
    ON s.direccion = c.direccion
    AND s.rut = c.rut
    AND s.fecha = c.fecha
    AND s.id = c.id
),
-- 0: a row of one currency, 1: the total of a concepto, 2: VAT of sales less that of e-Facturas.
niveles (nivel, de, signo) AS (
  VALUES (0, NULL, 1), (1, NULL, 1), (2, 'IVA de ventas', 1), (2, 'IVA de e-Facturas recibidas', -1)
),
sumas AS (
  SELECT
    rut,
    mes,
    nivel,
    CASE nivel WHEN 2 THEN 'IVA de ventas menos e-Facturas' ELSE concepto END AS concepto,
    CASE WHEN nivel > 0 THEN 'todas' ELSE moneda END AS moneda,
    count(*) AS comprobantes,
    CAST(sum(CASE nivel WHEN 0 THEN iva_minima END) AS DECIMAL(38, 2)) AS iva_minima,
    CAST(sum(CASE nivel WHEN 0 THEN iva_basica END) AS DECIMAL(38, 2)) AS iva_basica,
    CAST(sum(CASE nivel WHEN 0 THEN retenido END) AS DECIMAL(38, 2)) AS retenido,
    sum(signo * CAST(CAST(iva_minima AS DECIMAL(20, 2)) * tipo_cambio AS DECIMAL(28, 2))) AS iva_minima_pesos,
    sum(signo * CAST(CAST(iva_basica AS DECIMAL(20, 2)) * tipo_cambio AS DECIMAL(28, 2))) AS iva_basica_pesos,
    sum(CAST(CAST(retenido AS DECIMAL(20, 2)) * tipo_cambio AS DECIMAL(38, 2))) AS retenido_pesos,
    count(CASE WHEN NOT se_conoce THEN 1 END) AS sin_detalle,
    count(CASE WHEN se_conoce AND tipo_cambio IS NULL THEN 1 END) AS sin_cambio,
    count(CASE WHEN es_otro_detalle OR es_raro THEN 1 END) AS por_revisar,
    count(CASE WHEN se_conoce AND es_cotizado THEN 1 END) AS con_cotizacion,
    count(*) - count(moneda) AS sin_moneda
  FROM importes
  JOIN niveles
    ON nivel < 2
    OR concepto = de
  GROUP BY 1, 2, 3, 4, 5
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
      CASE WHEN sin_moneda > 0 THEN 'moneda desconocida' END
    ),
    ''
  ) AS nota
FROM sumas
ORDER BY rut, mes, nivel, CASE WHEN concepto = 'IVA de ventas' THEN 1 ELSE 2 END, concepto, moneda
