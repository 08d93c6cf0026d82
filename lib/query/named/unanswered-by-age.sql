-- Receipts without an answer, by who owes it, age in days and type.
--
-- falta says whose answer is missing: dgi (issued receipts without a verdict of the tax authority, NE or none),
-- receptor (issued receipts, except rejected ones (BE), to a RUT that has not answered, for which it has 20 days) or
-- estado (received receipts without a status). A receipt may be under two of them.
--
-- e_ticket tells e-Tickets apart (101 and 131, their notes and contingency) for which the tax authority's answer is
-- missing: bajo el limite, sobre el limite, sin leer el detalle (its currency or an amount of it is not known, or it
-- is in doubt) or sin valor de UI. According to an auditor's note on a resolution of 2022, e-Tickets below 5,000 UI
-- net are reported in the daily summary only, and may stay NE for ever: those bajo el limite are no concern (one that
-- documents a withholding never is). The limit takes the UI of 31 December of the year before, from the first lines
-- of the query, for other years from cotizaciones. A year that is not there takes that of the newest year before it,
-- and nota says so (con la UI de 2026). Without one, the year judges nothing. An e-Ticket is called bajo el limite by
-- its detail alone, in pesos, net (exports and what is not taxed count, and what else is no VAT, and where nothing is
-- stated, by its total), at the rate above 0 that it states, else at that of cotizaciones that counts on its day
-- (con_cotizacion counts these). The inner names of totales are not in the API's contract: check them with the real
-- service.
--
-- Age counts from the day of the signature, or of issue where there is none after 2010. antigua is the earliest such
-- day. A verdict may come seconds later or never. An empty status is none. A rejection may still be reversed within
-- 60 days.
--
-- Recipients without a RUT do not answer, and are left out under receptor. The detail says whether a document is a
-- RUT (tipo_documento 2, and then it has 11 or 12 digits). Where it was not read, 12 digits with the right check
-- digit are taken for one: a foreign document that happens to have that form is not told apart. Whether the recipient
-- takes electronic receipts at all, and so answers, is not known. The inner name receptor.tipo_documento is not in
-- the API's contract: check it with the real service.
--
-- No amounts, because the issued list has no currency. Left out: what the API no longer lists. Twelve whole months
-- and the current one. Change all conditions on fecha for another period.
WITH
-- include vigente
comprobantes AS (
  -- include emitidos
),
-- include montos
-- include cambio
-- include importe
-- include contribuyentes
sin_dgi AS (
  SELECT
    c.rut,
    c.tipo_comprobante,
    CASE WHEN year(c.fecha_firma) > 2010 THEN CAST(c.fecha_firma AS DATE) ELSE c.fecha END AS desde,
    mod(c.tipo_comprobante, 100) IN (1, 2, 3, 31, 32, 33) AS es_e_ticket,
    c.limite,
    c.otra_ui,
    c.cambio_de LIKE 'cotizaciones%' AS es_cotizado,
    c.importe
  FROM importes c
  WHERE coalesce(c.estado, '') IN ('', 'NE')
),
esperados AS (
  SELECT
    rut,
    'dgi' AS falta,
    CASE
      WHEN NOT es_e_ticket THEN NULL
      WHEN limite IS NULL THEN 'sin valor de UI'
      WHEN importe < limite THEN 'bajo el limite'
      WHEN importe IS NOT NULL THEN 'sobre el limite'
      ELSE 'sin leer el detalle'
    END AS e_ticket,
    otra_ui,
    es_e_ticket AND es_cotizado AS es_cotizado,
    tipo_comprobante,
    desde
  FROM sin_dgi
  UNION ALL
  SELECT
    rut,
    'receptor' AS falta,
    NULL AS e_ticket,
    NULL AS otra_ui,
    false AS es_cotizado,
    tipo_comprobante,
    CASE WHEN year(fecha_firma) > 2010 THEN CAST(fecha_firma AS DATE) ELSE fecha END AS desde
  FROM contribuyentes
  WHERE coalesce(estado, '') <> 'BE'
    AND coalesce(estado_receptor, '') = ''
    AND documento <> ''
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
