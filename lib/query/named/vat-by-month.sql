-- VAT by company, direction, month and currency, as receipts state it (credit notes negative).
--
-- emitidos is VAT charged, recibidos VAT paid. Amounts are in the currency of the receipt and are not converted:
-- never add up different ones. Net amounts and VAT at the minimum (10 %) and the basic rate (22 %), amounts not taxed
-- and exported. Other rates, VAT in suspense and perceived taxes are not shown.
--
-- All this is in the details. comprobantes counts the receipts of the lists, sin_desglose those without a known
-- amount by rate, because their detail was not read or has none: while it is not 0, the sums are incomplete. moneda
-- is NULL where only the detail would have it, and where it is not three capital letters. The inner names of totales,
-- emisor and receptor (ruc, nro_doc) are not in the API's contract: check them with the real service.
--
-- por_revisar counts receipts with an amount that is no number of at most 15 digits before the point, and so not in
-- the sums, or that has more than two decimals (these are added up exactly, and only the sum is rounded), with a net
-- at a rate that is stated without its VAT, with VAT and no net at its rate, with an amount or a total below 0 (added
-- as it is), with amounts by rate that are more than the total by more than a unit of the currency, or of a type that
-- is not in tipos_comprobante (nor is its sign known) or a status that is none of AE, BE, CE, FE and NE, or no text
-- (nobody can tell whether they were rejected), and receipts whose detail is older than the list (motivo is not null,
-- or it has another total, or one that is no number) or has another currency, status, counterpart (by letters and
-- digits) or issue day, or one of them that cannot be read (that of the list counts). A fiscal number that is listed
-- twice counts twice: ask numbers-under-two-ids.
--
-- A payment receipt has no VAT: what the detail of a total of 0 leaves out is 0. Left out: receipts that were
-- rejected (BE, of received ones the contract does not say by whom, and a rejection may still be reversed) or that
-- the API no longer lists, remitos, resguardos and boletas de entrada. Twelve whole months and the current one.
-- Change all conditions on fecha for another period.
WITH comprobantes AS (
  -- include emitidos
  UNION ALL
  -- include recibidos
),
-- include montos
importes AS (
  SELECT
    *,
    CAST(date_trunc('month', fecha) AS DATE) AS mes
  FROM montos
  WHERE coalesce(estado, '') <> 'BE'
    AND coalesce(clase, 'venta') IN ('venta', 'exportacion')
)
SELECT
  rut,
  direccion,
  mes,
  moneda,
  count(*) AS comprobantes,
  CAST(sum(coalesce(signo, 1) * no_gravado) AS DECIMAL(38, 2)) AS no_gravado,
  CAST(sum(coalesce(signo, 1) * exportacion) AS DECIMAL(38, 2)) AS exportacion,
  CAST(sum(coalesce(signo, 1) * neto_minima) AS DECIMAL(38, 2)) AS neto_minima,
  CAST(sum(coalesce(signo, 1) * iva_minima) AS DECIMAL(38, 2)) AS iva_minima,
  CAST(sum(coalesce(signo, 1) * neto_basica) AS DECIMAL(38, 2)) AS neto_basica,
  CAST(sum(coalesce(signo, 1) * iva_basica) AS DECIMAL(38, 2)) AS iva_basica,
  count(*) - count(coalesce(no_gravado, exportacion, neto_minima, iva_minima, neto_basica, iva_basica)) AS sin_desglose,
  count(
    CASE
      WHEN es_otro_detalle OR es_ilegible OR tiene_fracciones THEN 1
      WHEN contradiccion IS NOT NULL OR signo IS NULL OR es_estado_desconocido THEN 1
    END
  ) AS por_revisar
FROM importes
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
