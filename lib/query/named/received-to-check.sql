-- Received receipts to look at: new issuers, odd amounts, days left to answer, numbers listed twice.
--
-- One row for each receipt with at least one motivo: emisor nuevo (no receipt of this issuer in the twelve months
-- before its month, though the company has others), fuera de rango (the total is over three times the greatest, or
-- under a third of the least, of at least five receipts of this issuer and currency in earlier months: antes says how
-- many, menor_antes and mayor_antes which), por contestar (no status or NE, and of the 20 calendar days to answer,
-- counted from the issue date, dias_para_contestar are left) or dos veces (its number is listed more than once). It
-- is a reason to look, not a proof. For the same amount under another number, ask duplicate-supplier-invoices.
--
-- Amounts of one currency are compared, never converted, and those of credit notes only with each other. Receipts
-- without the issuer's document are of nobody known. The contract does not say whose status estado is. Left out:
-- receipts that were rejected (BE, which may still be reversed) or that the API no longer lists, remitos, resguardos
-- and boletas de entrada. Twelve whole months and the current one. Change both conditions on fecha for another period.
WITH vistos AS (
  SELECT
    r.rut,
    r.fecha,
    CAST(date_trunc('month', r.fecha) AS DATE) AS mes,
    r.emisor_ruc,
    r.emisor_razon_social,
    r.tipo_comprobante,
    r.serie,
    r.numero,
    coalesce(r.moneda, '') AS moneda,
    coalesce(t.signo, 1) AS signo,
    r.totales_total,
    coalesce(r.estado_codigo, '') AS estado,
    r.id,
    r.visto_por_ultima_vez IS NULL
      AND coalesce(r.estado_codigo, '') <> 'BE'
      AND coalesce(t.clase, 'venta') IN ('venta', 'exportacion') AS cuenta,
    min(r.fecha) OVER (PARTITION BY r.rut, r.emisor_ruc) AS primera_del_emisor,
    min(r.fecha) OVER (PARTITION BY r.rut) AS primera_de_la_empresa,
    count(CASE WHEN r.visto_por_ultima_vez IS NULL AND coalesce(r.estado_codigo, '') <> 'BE' THEN 1 END)
      OVER (PARTITION BY r.rut, r.emisor_ruc, r.tipo_comprobante, upper(trim(r.serie)), r.numero) AS veces
  FROM recibidos r
  LEFT JOIN tipos_comprobante t
    ON t.tipo_comprobante = r.tipo_comprobante
  WHERE r.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH) - INTERVAL '12' MONTH
),
meses AS (
  SELECT
    rut,
    emisor_ruc,
    moneda,
    signo,
    mes,
    count(totales_total) AS cantidad,
    min(totales_total) AS menor,
    max(totales_total) AS mayor
  FROM vistos
  WHERE cuenta
    AND emisor_ruc <> ''
  GROUP BY 1, 2, 3, 4, 5
),
rangos AS (
  SELECT
    rut,
    emisor_ruc,
    moneda,
    signo,
    mes,
    sum(cantidad) OVER anteriores AS antes,
    min(menor) OVER anteriores AS menor_antes,
    max(mayor) OVER anteriores AS mayor_antes
  FROM meses
  WINDOW anteriores AS (
    PARTITION BY rut, emisor_ruc, moneda, signo
    ORDER BY mes
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
),
juzgados AS (
  SELECT
    v.*,
    coalesce(g.antes, 0) AS antes,
    g.menor_antes,
    g.mayor_antes,
    CASE
      WHEN v.estado IN ('', 'NE') AND date_diff('day', v.fecha, current_date) BETWEEN 0 AND 20
      THEN 20 - date_diff('day', v.fecha, current_date)
    END AS dias_para_contestar,
    v.emisor_ruc <> ''
      AND v.primera_del_emisor >= v.mes
      AND v.primera_de_la_empresa < v.mes AS es_nuevo,
    coalesce(
      g.antes >= 5 AND (v.totales_total > 3 * g.mayor_antes OR 3 * v.totales_total < g.menor_antes),
      false
    ) AS es_ajeno
  FROM vistos v
  LEFT JOIN rangos g
    ON g.rut = v.rut
    AND g.emisor_ruc = v.emisor_ruc
    AND g.moneda = v.moneda
    AND g.signo = v.signo
    AND g.mes = v.mes
  WHERE v.cuenta
),
motivos AS (
  SELECT
    *,
    concat_ws(
      ', ',
      CASE WHEN es_nuevo THEN 'emisor nuevo' END,
      CASE WHEN es_ajeno THEN 'fuera de rango' END,
      CASE WHEN dias_para_contestar IS NOT NULL THEN 'por contestar' END,
      CASE WHEN emisor_ruc <> '' AND serie IS NOT NULL AND numero IS NOT NULL AND veces > 1 THEN 'dos veces' END
    ) AS motivo
  FROM juzgados
)
SELECT
  rut,
  fecha,
  emisor_ruc,
  emisor_razon_social AS proveedor,
  tipo_comprobante,
  serie,
  numero,
  nullif(moneda, '') AS moneda,
  totales_total AS total,
  motivo,
  dias_para_contestar,
  antes,
  menor_antes,
  mayor_antes,
  id
FROM motivos
WHERE motivo <> ''
  AND date_trunc('month', current_date - INTERVAL '12' MONTH) <= fecha
ORDER BY rut, fecha, id
