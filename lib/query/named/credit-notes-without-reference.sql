-- Credit notes, issued and received, that refer to no other receipt, one row each.
--
-- Left out, because they may refer to something: credit notes whose detail was not read as it now is (there is none,
-- or motivo is not null), and those whose references are no array (these are in otros of the detail). total is
-- positive, as in the lists. estado of issued notes is the tax authority's. Of received ones the contract does not
-- say whose status it is. Either may still change. Rejected notes (BE) are included, those that the API no longer
-- lists are not.
--
-- moneda of issued notes comes from their detail. The inner name totales.moneda is not in the API's contract: check
-- it with the real service. Twelve whole months and the current one. Change all conditions on fecha for another
-- period.
WITH notas AS (
  SELECT
    'emitidos' AS direccion,
    e.rut,
    e.fecha,
    e.tipo_comprobante,
    e.serie,
    e.numero,
    json_extract_scalar(d.totales, '$.moneda') AS moneda,
    e.totales_total AS total,
    e.estado_dgi_codigo AS estado,
    e.id,
    d.referencias,
    d.otros
  FROM emitidos e
  JOIN emitidos_detalle d
    ON d.fecha = e.fecha
    AND d.rut = e.rut
    AND d.id = e.id
  WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND e.visto_por_ultima_vez IS NULL
    AND d.motivo IS NULL
  UNION ALL
  SELECT
    'recibidos' AS direccion,
    r.rut,
    r.fecha,
    r.tipo_comprobante,
    r.serie,
    r.numero,
    coalesce(r.moneda, json_extract_scalar(d.totales, '$.moneda')) AS moneda,
    r.totales_total AS total,
    r.estado_codigo AS estado,
    r.id,
    d.referencias,
    d.otros
  FROM recibidos r
  JOIN recibidos_detalle d
    ON d.fecha = r.fecha
    AND d.rut = r.rut
    AND d.id = r.id
  WHERE r.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND r.visto_por_ultima_vez IS NULL
    AND d.motivo IS NULL
)
SELECT rut, direccion, fecha, tipo_comprobante, serie, numero, moneda, total, estado, id
FROM notas
JOIN tipos_comprobante t USING (tipo_comprobante)
WHERE t.signo = -1
  AND coalesce(json_array_length(referencias), 0) = 0
  AND json_extract(otros, '$.referencias') IS NULL
ORDER BY rut, direccion, fecha, tipo_comprobante, serie, numero
