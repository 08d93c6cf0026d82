SELECT
  'recibidos' AS direccion,
  r.rut,
  r.fecha,
  r.id,
  r.tipo_comprobante,
  t.nombre AS tipo,
  t.clase,
  t.signo,
  r.serie,
  r.numero,
  r.emisor_ruc AS documento,
  r.emisor_razon_social AS contraparte,
  false AS es_documento_sin_texto,
  CAST(NULL AS VARCHAR) AS tipo_documento,
  -- One of the list that is no text has none in its column: nobody knows it, whatever the detail has.
  CASE
    WHEN r.moneda IS NULL AND json_extract(r.otros, '$.moneda') <> json_parse('null')
      THEN NULL
    ELSE coalesce(
      nullif(r.moneda, ''),
      nullif(coalesce(d.moneda, json_extract_scalar(d.otros, '$.moneda')), ''),
      nullif(json_extract_scalar(d.totales, '$.moneda'), '')
    )
  END AS moneda_dicha,
  r.totales_total,
  r.totales_total_pagar,
  -- Nor can anybody tell what a status says that is no text.
  coalesce(
    r.estado_codigo,
    CASE
      WHEN r.otros LIKE '%"estado.codigo":%' OR json_extract(r.otros, '$.estado') <> json_parse('null')
        THEN '?'
    END
  ) AS estado,
  CAST(NULL AS VARCHAR) AS estado_receptor,
  r.fecha_firma,
  -- One that was not read has those of the list.
  CASE WHEN d.leido IS NOT NULL THEN d.totales END AS totales,
  d.items,
  d.motivo IS NOT NULL AND d.leido IS NOT NULL AS es_desactualizado,
  r.visto_por_ultima_vez,
  r.otros AS otros_de_lista,
  d.otros AS otros_del_detalle,
  d.totales AS totales_del_detalle,
  d.moneda AS moneda_del_detalle,
  d.emisor AS parte_del_detalle,
  json_extract(d.otros, '$.emisor') AS parte_sin_nombres,
  coalesce(CAST(r.fecha_emision AS DATE), r.fecha) AS emision_de_lista,
  CAST(d.fecha_emision AS DATE) AS emision_del_detalle,
  -- Those of an older detail are of then.
  CASE WHEN d.motivo IS NULL THEN json_extract(d.otros, '$.estado') END AS mismo_estado_del_detalle,
  CASE
    WHEN d.motivo IS NULL THEN coalesce(json_extract(d.estado_dgi, '$'), json_extract(d.otros, '$.estado_dgi'))
  END AS estado_dgi_del_detalle,
  -- What a field means that the contract does not name, nobody knows: of a status, it tells of a rejection alone.
  coalesce(
    'BE' IN (json_extract_scalar(r.otros, '$.estado_dgi'), json_extract_scalar(r.otros, '$.estado_dgi.codigo')),
    false
  ) AS tiene_rechazo_en_otro_campo
FROM recibidos r
LEFT JOIN tipos_comprobante t
  ON t.tipo_comprobante = r.tipo_comprobante
LEFT JOIN recibidos_detalle d
  ON d.fecha = r.fecha
  AND d.rut = r.rut
  AND d.id = r.id
  AND d.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
WHERE r.fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  AND r.visto_por_ultima_vez IS NULL
