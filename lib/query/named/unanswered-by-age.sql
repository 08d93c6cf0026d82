-- Receipts without an answer, by whose it is, age in days and type.
--
-- falta says whose answer it is: dgi (issued receipts without a verdict of the tax authority, NE or none), receptor
-- (issued receipts, but rejected ones (BE), to a RUT that has not answered, which it has 20 days for) or estado
-- (received receipts without a status). A receipt may stand under two of them.
--
-- Age counts from the day of the signature. antigua is the earliest such day. A verdict may come seconds later or
-- never: small e-Tickets may stay NE. Recipients without a RUT do not answer, and are left out under receptor. After
-- 60 days a rejection is not turned any more.
--
-- No amounts, since the issued list has no currency. Left out: what the API no longer lists. Twelve whole months and
-- the current one. Change all conditions on fecha for others.
WITH esperados AS (
  SELECT rut, 'dgi' AS falta, tipo_comprobante, coalesce(CAST(fecha_firma AS DATE), fecha) AS desde
  FROM emitidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND coalesce(estado_dgi_codigo, 'NE') = 'NE'
  UNION ALL
  SELECT rut, 'receptor' AS falta, tipo_comprobante, coalesce(CAST(fecha_firma AS DATE), fecha) AS desde
  FROM emitidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND coalesce(estado_dgi_codigo, '') <> 'BE'
    AND estado_receptor_codigo IS NULL
    AND length(receptor_ruc) = 12
  UNION ALL
  SELECT rut, 'estado' AS falta, tipo_comprobante, coalesce(CAST(fecha_firma AS DATE), fecha) AS desde
  FROM recibidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
    AND coalesce(estado_codigo, 'NE') = 'NE'
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
  min(desde) AS antigua
FROM esperados
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
