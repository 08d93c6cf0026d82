-- Fiscal numbers that are listed more than once: under two ids, or under one id with two issue dates.
--
-- One row for each time that the number is listed. It is the issuer's number: RUT, type, series and number, which the
-- tax authority gives once. Sums count each row, and so count such a receipt twice (credit notes too). veces says how
-- often they do: rows with the status BE (rejected, which may still be reversed) are shown, but not counted by sums.
-- estado of issued receipts is the tax authority's. Of received ones the contract does not say whose it is.
--
-- Two rows with one id are a receipt whose issue date changed and whose old day was not read again since: export that
-- day. Two ids are for the service's operator to explain. moneda is NULL on issued receipts: their list has none.
-- Totals are positive on credit notes.
--
-- Left out: receipts without a complete number, and what the API no longer lists. Of the former, those that are
-- declared have a nota in their VAT book or in resguardos: sin numero, documento ilegible or tipo desconocido. Twelve
-- whole months and the current one: a number that is once within the period and once before it is not seen. Change all
-- conditions on fecha for another period.
WITH listados AS (
  SELECT
    'emitidos' AS direccion,
    rut,
    rut AS emisor,
    tipo_comprobante,
    serie,
    numero,
    fecha,
    NULL AS moneda,
    totales_total,
    estado_dgi_codigo AS estado,
    id
  FROM emitidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
  UNION ALL
  SELECT
    'recibidos' AS direccion,
    rut,
    emisor_ruc AS emisor,
    tipo_comprobante,
    serie,
    numero,
    fecha,
    moneda,
    totales_total,
    estado_codigo AS estado,
    id
  FROM recibidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND visto_por_ultima_vez IS NULL
),
contados AS (
  SELECT
    *,
    count(*) OVER (PARTITION BY direccion, rut, emisor, tipo_comprobante, upper(trim(serie)), numero) AS filas,
    count(CASE WHEN coalesce(estado, '') <> 'BE' THEN 1 END)
      OVER (PARTITION BY direccion, rut, emisor, tipo_comprobante, upper(trim(serie)), numero) AS veces
  FROM listados
  WHERE emisor <> ''
    AND tipo_comprobante IS NOT NULL
    AND serie <> ''
    AND numero IS NOT NULL
)
SELECT
  rut,
  direccion,
  emisor,
  tipo_comprobante,
  serie,
  numero,
  fecha,
  moneda,
  totales_total AS total,
  estado,
  veces,
  id
FROM contados
WHERE filas > 1
ORDER BY rut, direccion, emisor, tipo_comprobante, serie, numero, fecha, id
