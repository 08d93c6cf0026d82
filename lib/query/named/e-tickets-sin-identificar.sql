-- Issued e-Tickets above 5,000 UI net whose buyer is not identified.
--
-- According to an auditor's note on a resolution of 2022, the buyer of an e-Ticket above 5,000 UI net must be
-- identified. The limit takes the UI of 31 December of the year before, from the first lines of the query, for other
-- years from cotizaciones. A year that is not there takes that of the newest year before it, and nota says so (con la
-- UI de 2026). Without one, the year judges nothing, and has no rows here. limite and importe are in pesos, moneda is
-- the receipt's. One that documents a withholding has no limit (limite 0).
--
-- An amount is known by the detail alone: net (exports and what is not taxed count, and what else is no VAT, and where
-- nothing is stated, the total), at the rate above 0 that it states, else at that of cotizaciones that counts then
-- (cambio_de says which, and without one nota is falta tipo de cambio). It is not known by a detail in doubt: one that
-- is older than the list or has another total, with a currency that is not three capital letters, with an amount that
-- is no number, with an exchange rate more than a fifth off that of cotizaciones or, without one, none that its
-- currency can have, or with amounts that contradict each other. e-Tickets whose buyer is not identified and whose
-- amount is not known so are counted in one row a company and month, with numero and importe NULL and comprobantes how
-- many: read their details before this answer says that there are none. A buyer is identified who has any document in
-- the list or in the detail: one with a letter, or a digit other than 0.
--
-- e-Tickets are 101 and 131, with debit notes and contingency. Credit notes are left out, and so is what was rejected
-- (BE, which may still be reversed) and what the API no longer lists. The inner names of totales and receptor are not
-- in the API's contract: check them with the real service. Twelve whole months and the current one. Change all
-- conditions on fecha for another period.
WITH
-- include vigente
comprobantes AS (
  -- include emitidos
),
-- include montos
-- include cambio
-- include importe
e_tickets AS (
  SELECT *
  FROM importes
  WHERE limite IS NOT NULL
    AND coalesce(estado, '') <> 'BE'
    AND mod(tipo_comprobante, 100) IN (1, 3, 31, 33)
    AND coalesce(letras_y_cifras, nro_doc_en_letras_y_cifras, ruc_en_letras_y_cifras) IS NULL
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
  otra_ui AS nota
FROM e_tickets
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
FROM e_tickets
WHERE importe IS NULL
GROUP BY rut, CAST(date_trunc('month', fecha) AS DATE)
ORDER BY 1, 2, 3, 6
