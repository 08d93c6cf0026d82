-- Issued e-Tickets above 5,000 UI net whose buyer is not identified.
--
-- According to an auditor's note on a resolution of 2022, the buyer of an e-Ticket above 5,000 UI net must be
-- identified. The limit takes the UI of 31 December of the year before, from the first lines of the query, for other
-- years from cotizaciones. A year that is not there takes that of the newest year before it, and nota says so (con
-- la UI de 2026). Without one, the year judges nothing, and has no rows here. limite and importe are in pesos,
-- moneda is the receipt's.
--
-- An amount is known by the detail alone: net (else the total, and none where an amount by rate is no number), at the
-- rate above 0 that it states, else at that of cotizaciones that counts then (cambio_de says which, and without one
-- nota is falta tipo de cambio). e-Tickets whose buyer is not identified and whose amount is not known so are counted
-- in one row a company and month, with numero and importe NULL and comprobantes how many: read their details before
-- this answer says that there are none. A buyer is identified who has any document in the list or in the detail.
--
-- e-Tickets are 101 and 131, with debit notes and contingency. Credit notes are left out, and so is what was
-- rejected (BE, which may still be reversed) and what the API no longer lists. The inner names of totales and
-- receptor are not in the API's contract: check them with the real service. Twelve whole months and the current one.
-- Change all conditions on fecha for another period.
WITH
-- include vigente
comprobantes AS (
  -- include emitidos
),
-- include montos
-- include cambio
e_tickets AS (
  SELECT
    c.*,
    CAST(5000 * u.valor AS DECIMAL(20, 2)) AS limite,
    CASE WHEN u.anio_ui < u.anio THEN concat('con la UI de ', CAST(u.anio_ui AS VARCHAR)) END AS nota,
    CASE
      WHEN coalesce(texto_no_gravado, texto_neto_minima, texto_neto_basica) IS NULL THEN totales_total_pagar
      WHEN NOT es_ilegible THEN coalesce(no_gravado, 0) + coalesce(neto_minima, 0) + coalesce(neto_basica, 0)
    END AS neto
  FROM leidos c
  JOIN vigente u
    ON u.anio = year(c.fecha)
  WHERE coalesce(c.estado, '') <> 'BE'
    AND mod(c.tipo_comprobante, 100) IN (1, 3, 31, 33)
    AND coalesce(c.documento, '') = ''
    AND coalesce(json_extract_scalar(c.receptor, '$.nro_doc'), json_extract_scalar(c.receptor, '$.ruc'), '') = ''
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
