-- Received receipts that repeat an earlier one: same supplier and total, near dates, other number.
--
-- Company, supplier, type, currency and total are the same. The dates are at most 15 days apart, so that monthly
-- bills are not taken for repetitions. Change both 15 for another distance. Each row shows a receipt beside the
-- latest earlier one (by issue date, then id) with another number. It is a suspicion, not a proof: tolls and tickets
-- cost the same every day. For one number under two ids, ask numbers-under-two-ids.
--
-- A contingency receipt (type plus 100) may repeat an ordinary one. Left out: credit notes, receipts without a total
-- or with the total 0 (payments), remitos, resguardos and boletas de entrada, receipts without the supplier's
-- document, those with the status BE (which may still be reversed), and those that the API no longer lists. Twelve
-- whole months and the current one, by the date of the repetition. Change both conditions on fecha for another
-- period.
WITH parecidos AS (
  SELECT
    rut,
    emisor_ruc,
    emisor_razon_social,
    tipo_comprobante,
    moneda,
    totales_total,
    fecha,
    serie,
    numero,
    id,
    mod(tipo_comprobante, 100) AS tipo_comun,
    lag(fecha) OVER mismos AS fecha_anterior,
    lag(serie) OVER mismos AS serie_anterior,
    lag(numero) OVER mismos AS numero_anterior,
    lag(id) OVER mismos AS id_anterior,
    CASE
      WHEN tipo_comprobante = lag(tipo_comprobante) OVER mismos
        AND serie = lag(serie) OVER mismos
        AND numero = lag(numero) OVER mismos
      THEN 0
      ELSE 1
    END AS cambia_numero
  FROM recibidos
  LEFT JOIN tipos_comprobante t USING (tipo_comprobante)
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH) - INTERVAL '15' DAY
    AND visto_por_ultima_vez IS NULL
    AND coalesce(estado_codigo, '') <> 'BE'
    AND emisor_ruc <> ''
    AND totales_total > 0
    AND coalesce(t.signo, 1) = 1
    AND coalesce(t.clase, 'venta') IN ('venta', 'exportacion')
  WINDOW mismos AS (
    PARTITION BY rut, emisor_ruc, mod(tipo_comprobante, 100), moneda, totales_total
    ORDER BY fecha, id
  )
),
-- Neighbours with one number stand in one group: the one before the group is the latest with another number.
grupos AS (
  SELECT
    *,
    sum(cambia_numero) OVER (
      PARTITION BY rut, emisor_ruc, tipo_comun, moneda, totales_total
      ORDER BY fecha, id
    ) AS grupo
  FROM parecidos
),
pares AS (
  SELECT
    rut,
    emisor_ruc,
    emisor_razon_social,
    tipo_comprobante,
    moneda,
    totales_total,
    fecha,
    serie,
    numero,
    id,
    first_value(fecha_anterior) OVER primero AS fecha_anterior,
    first_value(serie_anterior) OVER primero AS serie_anterior,
    first_value(numero_anterior) OVER primero AS numero_anterior,
    first_value(id_anterior) OVER primero AS id_anterior
  FROM grupos
  WINDOW primero AS (
    PARTITION BY rut, emisor_ruc, tipo_comun, moneda, totales_total, grupo
    ORDER BY fecha, id
  )
)
SELECT
  rut,
  emisor_ruc,
  emisor_razon_social AS proveedor,
  tipo_comprobante,
  moneda,
  totales_total AS total,
  fecha,
  serie,
  numero,
  fecha_anterior,
  serie_anterior,
  numero_anterior,
  date_diff('day', fecha_anterior, fecha) AS dias,
  id,
  id_anterior
FROM pares
WHERE date_diff('day', fecha_anterior, fecha) <= 15
  AND date_trunc('month', current_date - INTERVAL '12' MONTH) <= fecha
ORDER BY rut, emisor_ruc, fecha, id
