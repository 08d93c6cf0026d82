-- Rejected receipts, issued and received, one row each, the oldest first.
--
-- dias counts from the day of the signature, or of issue where there is none after 2010. A rejection can be turned
-- into an acceptance up to 60 days after reception, and an acceptance can be annulled: cambios has the time of each
-- change.
--
-- Of issued receipts: those that the tax authority rejected (estado_dgi BE), and those whose recipient answered
-- anything but ACEPTADO. The codes of the answers are not documented and are shown as they came: an answer that only
-- observes, or accepts in another word, is included too. An empty one is no answer. Of received receipts: those with
-- the status BE (estado, the contract does not say whether it is the authority's or the recipient's).
--
-- moneda is NULL on issued receipts: their list has none. Credit notes have positive totals. Left out: what the API
-- no longer lists. Twelve whole months and the current one. Change both conditions on fecha for another period.
SELECT
  rut,
  'emitidos' AS direccion,
  date_diff(
    'day',
    CASE WHEN year(fecha_firma) > 2010 THEN CAST(fecha_firma AS DATE) ELSE fecha END,
    current_date
  ) AS dias,
  fecha,
  tipo_comprobante,
  serie,
  numero,
  receptor_ruc AS contraparte,
  receptor_razon_social AS nombre,
  NULL AS moneda,
  totales_total AS total,
  NULL AS estado,
  estado_dgi_codigo AS estado_dgi,
  estado_receptor_codigo AS estado_receptor,
  id
FROM emitidos
WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  AND visto_por_ultima_vez IS NULL
  AND (estado_dgi_codigo = 'BE' OR estado_receptor_codigo NOT IN ('', 'ACEPTADO'))
UNION ALL
SELECT
  rut,
  'recibidos' AS direccion,
  date_diff(
    'day',
    CASE WHEN year(fecha_firma) > 2010 THEN CAST(fecha_firma AS DATE) ELSE fecha END,
    current_date
  ) AS dias,
  fecha,
  tipo_comprobante,
  serie,
  numero,
  emisor_ruc AS contraparte,
  emisor_razon_social AS nombre,
  moneda,
  totales_total AS total,
  estado_codigo AS estado,
  NULL AS estado_dgi,
  NULL AS estado_receptor,
  id
FROM recibidos
WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  AND visto_por_ultima_vez IS NULL
  AND estado_codigo = 'BE'
ORDER BY dias DESC, rut, direccion, id
