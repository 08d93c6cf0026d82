SELECT
  'emitidos' AS direccion,
  e.rut,
  e.fecha,
  e.id,
  e.tipo_comprobante,
  t.nombre AS tipo,
  t.clase,
  t.signo,
  e.serie,
  e.numero,
  e.receptor_ruc AS documento,
  e.receptor_razon_social AS contraparte,
  -- As a number, or an object: json_extract_scalar has no text of one.
  e.receptor_ruc IS NULL AND coalesce(e.otros LIKE '%"receptor.ruc":%', false) AS es_documento_sin_texto,
  coalesce(
    json_extract_scalar(d.receptor, '$.tipo_documento'),
    CASE WHEN json_extract(d.receptor, '$.tipo_documento') <> json_parse('null') THEN '?' END
  ) AS tipo_documento,
  nullif(json_extract_scalar(d.totales, '$.moneda'), '') AS moneda_dicha,
  e.totales_total,
  e.totales_total_pagar,
  -- One that is no text has none in its column: nobody can tell what it says.
  coalesce(
    e.estado_dgi_codigo,
    CASE
      WHEN e.otros LIKE '%"estado_dgi.codigo":%' OR json_extract(e.otros, '$.estado_dgi') <> json_parse('null')
        THEN '?'
    END
  ) AS estado,
  e.estado_receptor_codigo AS estado_receptor,
  e.fecha_firma,
  -- One that was not read has those of the list.
  CASE WHEN d.leido IS NOT NULL THEN d.totales END AS totales,
  d.items,
  d.motivo IS NOT NULL AND d.leido IS NOT NULL AS es_desactualizado,
  e.visto_por_ultima_vez,
  e.otros AS otros_de_lista,
  d.otros AS otros_del_detalle,
  d.totales AS totales_del_detalle,
  CAST(NULL AS VARCHAR) AS moneda_del_detalle,
  d.receptor AS parte_del_detalle,
  json_extract(d.otros, '$.receptor') AS parte_sin_nombres,
  coalesce(CAST(e.fecha_emision AS DATE), e.fecha) AS emision_de_lista,
  CAST(d.fecha_emision AS DATE) AS emision_del_detalle,
  -- Those of an older detail are of then.
  CASE
    WHEN d.motivo IS NULL THEN coalesce(json_extract(d.estado_dgi, '$'), json_extract(d.otros, '$.estado_dgi'))
  END AS mismo_estado_del_detalle,
  CAST(NULL AS JSON) AS estado_dgi_del_detalle,
  -- What a field means that the contract does not name, nobody knows: of a status, it tells of a rejection alone.
  coalesce(
    'BE' IN (
      json_extract_scalar(e.otros, '$.estado'),
      json_extract_scalar(e.otros, '$.estado.codigo'),
      CASE WHEN d.motivo IS NULL THEN json_extract_scalar(d.otros, '$.estado') END,
      CASE WHEN d.motivo IS NULL THEN json_extract_scalar(d.otros, '$.estado.codigo') END
    ),
    false
  ) AS tiene_rechazo_en_otro_campo
FROM emitidos e
LEFT JOIN tipos_comprobante t
  ON t.tipo_comprobante = e.tipo_comprobante
LEFT JOIN emitidos_detalle d
  ON d.fecha = e.fecha
  AND d.rut = e.rut
  AND d.id = e.id
  AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
WHERE e.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  AND e.visto_por_ultima_vez IS NULL
