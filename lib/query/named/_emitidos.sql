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
  d.receptor,
  d.items,
  d.motivo IS NOT NULL AND d.leido IS NOT NULL AS es_desactualizado,
  nullif(
    coalesce(
      json_extract_scalar(d.otros, '$.moneda'),
      CASE WHEN json_extract(d.otros, '$.moneda') <> json_parse('null') THEN '?' END
    ),
    ''
  ) AS moneda_del_detalle,
  -- Of the list, which has none in the contract: moneda_dicha is that of these. A name with a dot has no one path.
  coalesce(
    nullif(
      nullif(
        coalesce(
          json_extract_scalar(e.otros, '$.moneda'),
          CASE WHEN json_extract(e.otros, '$.moneda') <> json_parse('null') THEN '?' END
        ),
        json_extract_scalar(d.totales, '$.moneda')
      ),
      ''
    ),
    nullif(
      replace(regexp_extract(e.otros, '"totales[.]moneda":("[^"]+"|[^n"])', 1), '"', ''),
      ''
    )
  ) AS moneda_de_totales,
  -- One that is no text, or in what has no names, nobody can compare.
  coalesce(
    json_extract_scalar(d.receptor, '$.nro_doc'),
    CASE
      WHEN json_extract(d.receptor, '$.nro_doc') <> json_parse('null')
        OR json_extract(d.otros, '$.receptor') NOT IN (json_parse('null'), json_parse('""'), json_parse('[]'))
        THEN '?'
    END
  ) AS nro_doc_del_detalle,
  coalesce(
    json_extract_scalar(d.receptor, '$.ruc'),
    CASE WHEN json_extract(d.receptor, '$.ruc') <> json_parse('null') THEN '?' END
  ) AS ruc_del_detalle,
  coalesce(CAST(d.fecha_emision AS DATE) <> coalesce(CAST(e.fecha_emision AS DATE), e.fecha), false)
    OR coalesce(
      d.fecha_emision IS NULL
        AND json_extract(d.otros, '$.fecha_emision') NOT IN (json_parse('null'), json_parse('""'))
        -- That of the list may be the same.
        AND coalesce(json_extract_scalar(d.otros, '$.fecha_emision'), '?')
          IS DISTINCT FROM json_extract_scalar(e.otros, '$.fecha_emision'),
      false
    ) AS es_otra_fecha,
  -- That of an older detail is the one of then.
  d.motivo IS NULL
    AND coalesce(
      nullif(e.estado_dgi_codigo, '') <> nullif(json_extract_scalar(d.estado_dgi, '$.codigo'), ''),
      false
    )
    AS es_otro_estado
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
