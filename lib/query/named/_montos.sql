dichos AS (
  -- What is stated beside what counts.
  SELECT
    *,
    -- One that is no text, or in what has no names, nobody can compare.
    coalesce(
      json_extract_scalar(parte_del_detalle, '$.nro_doc'),
      CASE
        WHEN json_extract(parte_del_detalle, '$.nro_doc') <> json_parse('null')
          OR parte_sin_nombres NOT IN (json_parse('null'), json_parse('""'), json_parse('[]'))
          THEN '?'
      END
    ) AS nro_doc_del_detalle,
    coalesce(
      json_extract_scalar(parte_del_detalle, '$.ruc'),
      CASE WHEN json_extract(parte_del_detalle, '$.ruc') <> json_parse('null') THEN '?' END
    ) AS ruc_del_detalle,
    coalesce(
      json_extract_scalar(mismo_estado_del_detalle, '$.codigo'),
      CASE
        WHEN json_extract(mismo_estado_del_detalle, '$.codigo') <> json_parse('null')
          OR json_extract_scalar(mismo_estado_del_detalle, '$') <> ''
          OR json_array_length(mismo_estado_del_detalle) > 0
          THEN '?'
      END,
      ''
    ) AS mismo_codigo,
    coalesce(
      json_extract_scalar(estado_dgi_del_detalle, '$.codigo'),
      CASE
        WHEN json_extract(estado_dgi_del_detalle, '$.codigo') <> json_parse('null')
          OR json_extract_scalar(estado_dgi_del_detalle, '$') <> ''
          OR json_array_length(estado_dgi_del_detalle) > 0
          THEN '?'
      END,
      ''
    ) AS codigo_dgi,
    coalesce(
      coalesce(
        moneda_del_detalle,
        json_extract_scalar(otros_del_detalle, '$.moneda'),
        CASE WHEN json_extract(otros_del_detalle, '$.moneda') <> json_parse('null') THEN '?' END
      ) NOT IN ('', moneda_dicha),
      false
    )
      OR coalesce(
        coalesce(
          json_extract_scalar(totales_del_detalle, '$.moneda'),
          CASE WHEN json_extract(totales_del_detalle, '$.moneda') <> json_parse('null') THEN '?' END
        ) NOT IN ('', moneda_dicha),
        false
      )
      OR coalesce(
        coalesce(
          json_extract_scalar(otros_de_lista, '$.moneda'),
          CASE WHEN json_extract(otros_de_lista, '$.moneda') <> json_parse('null') THEN '?' END
        ) NOT IN ('', moneda_dicha),
        false
      )
      -- A name with a dot has no one path.
      OR coalesce(
        replace(regexp_extract(otros_de_lista, '"totales[.]moneda":("[^"]+"|[^n"])', 1), '"', '')
          NOT IN ('', moneda_dicha),
        false
      ) AS es_otra_moneda,
    coalesce(emision_del_detalle <> emision_de_lista, false)
      OR coalesce(
        emision_del_detalle IS NULL
          AND json_extract(otros_del_detalle, '$.fecha_emision') NOT IN (json_parse('null'), json_parse('""'))
          -- That of the list may be the same.
          AND coalesce(json_extract_scalar(otros_del_detalle, '$.fecha_emision'), '?')
            IS DISTINCT FROM json_extract_scalar(otros_de_lista, '$.fecha_emision'),
        false
      ) AS es_otra_fecha
  FROM comprobantes
),
textos AS (
  -- What is there and is no number, an object or array too, has a text. Null is not there.
  SELECT
    *,
    -- Three capital letters: nobody knows any other, nor how much of it a stated rate is of.
    CASE
      WHEN length(moneda_dicha) = 3 AND translate(moneda_dicha, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '') = ''
        THEN moneda_dicha
    END AS moneda,
    coalesce(
      json_extract_scalar(totales, '$.total'),
      CASE WHEN json_extract(totales, '$.total') <> json_parse('null') THEN '?' END
    ) AS texto_total,
    -- By letters and digits alone. Of zeros alone, or without any, a document is nobody's.
    nullif(
      regexp_replace(
        translate(lower(documento), translate(lower(documento), '0123456789abcdefghijklmnopqrstuvwxyz', ''), ''),
        '^0+$',
        ''
      ),
      ''
    ) AS letras_y_cifras,
    nullif(
      regexp_replace(
        translate(
          lower(nro_doc_del_detalle),
          translate(lower(nro_doc_del_detalle), '0123456789abcdefghijklmnopqrstuvwxyz', ''),
          ''
        ),
        '^0+$',
        ''
      ),
      ''
    ) AS nro_doc_en_letras_y_cifras,
    nullif(
      regexp_replace(
        translate(
          lower(ruc_del_detalle),
          translate(lower(ruc_del_detalle), '0123456789abcdefghijklmnopqrstuvwxyz', ''),
          ''
        ),
        '^0+$',
        ''
      ),
      ''
    ) AS ruc_en_letras_y_cifras,
    coalesce(
      json_extract_scalar(totales, '$.tipo_cambio'),
      CASE WHEN json_extract(totales, '$.tipo_cambio') <> json_parse('null') THEN '?' END
    ) AS texto_cambio,
    coalesce(
      json_extract_scalar(totales, '$.mnt_no_gravado'),
      CASE WHEN json_extract(totales, '$.mnt_no_gravado') <> json_parse('null') THEN '?' END
    ) AS texto_no_gravado,
    coalesce(
      json_extract_scalar(totales, '$.mnt_exportacion_y_asimilados'),
      CASE WHEN json_extract(totales, '$.mnt_exportacion_y_asimilados') <> json_parse('null') THEN '?' END
    ) AS texto_exportacion,
    coalesce(
      json_extract_scalar(totales, '$.mnt_neto_iva_tasa_minima'),
      CASE WHEN json_extract(totales, '$.mnt_neto_iva_tasa_minima') <> json_parse('null') THEN '?' END
    ) AS texto_neto_minima,
    coalesce(
      json_extract_scalar(totales, '$.mnt_iva_tasa_minima'),
      CASE WHEN json_extract(totales, '$.mnt_iva_tasa_minima') <> json_parse('null') THEN '?' END
    ) AS texto_iva_minima,
    coalesce(
      json_extract_scalar(totales, '$.mnt_neto_iva_tasa_basica'),
      CASE WHEN json_extract(totales, '$.mnt_neto_iva_tasa_basica') <> json_parse('null') THEN '?' END
    ) AS texto_neto_basica,
    coalesce(
      json_extract_scalar(totales, '$.mnt_iva_tasa_basica'),
      CASE WHEN json_extract(totales, '$.mnt_iva_tasa_basica') <> json_parse('null') THEN '?' END
    ) AS texto_iva_basica,
    -- What a detail leaves out of a total of 0, as that of a payment receipt.
    CASE WHEN totales_total = 0 AND totales IS NOT NULL THEN '0' END AS cero
  FROM dichos
),
numeros AS (
  -- 15 digits before the point, as by law. By way of 20 decimals: DuckDB rounds up what is far below the last one.
  SELECT
    *,
    TRY_CAST(TRY_CAST(texto_cambio AS DECIMAL(38, 20)) AS DECIMAL(17, 6)) AS cambio_dicho,
    TRY_CAST(TRY_CAST(coalesce(texto_no_gravado, cero) AS DECIMAL(38, 20)) AS DECIMAL(25, 10)) AS no_gravado,
    TRY_CAST(TRY_CAST(coalesce(texto_exportacion, cero) AS DECIMAL(38, 20)) AS DECIMAL(25, 10)) AS exportacion,
    TRY_CAST(TRY_CAST(coalesce(texto_neto_minima, cero) AS DECIMAL(38, 20)) AS DECIMAL(25, 10)) AS neto_minima,
    TRY_CAST(TRY_CAST(coalesce(texto_iva_minima, cero) AS DECIMAL(38, 20)) AS DECIMAL(25, 10)) AS iva_minima,
    TRY_CAST(TRY_CAST(coalesce(texto_neto_basica, cero) AS DECIMAL(38, 20)) AS DECIMAL(25, 10)) AS neto_basica,
    TRY_CAST(TRY_CAST(coalesce(texto_iva_basica, cero) AS DECIMAL(38, 20)) AS DECIMAL(25, 10)) AS iva_basica,
    es_desactualizado
      OR coalesce(
        TRY_CAST(texto_total AS DECIMAL(28, 2)) <> totales_total,
        texto_total IS NOT NULL AND TRY_CAST(texto_total AS DECIMAL(28, 2)) IS NULL
      ) AS es_anterior,
    -- Whose another status is, nobody can tell: that of the list is contradicted by what is, or may be, a rejection.
    -- Where the list has none, an acceptance, too, would change which issued ones the form takes.
    coalesce(mismo_codigo NOT IN ('', nullif(estado, '')), false)
      OR (
        coalesce(estado, '') IN ('', 'AE', 'CE', 'FE', 'NE')
        AND (
          tiene_rechazo_en_otro_campo
          OR mismo_codigo NOT IN ('', 'AE', 'CE', 'FE', 'NE')
          OR codigo_dgi NOT IN ('', 'AE', 'CE', 'FE', 'NE')
        )
      )
      OR (direccion LIKE 'e%' AND coalesce(estado, '') = '' AND mismo_codigo = 'AE') AS es_otro_estado,
    coalesce(letras_y_cifras <> nro_doc_en_letras_y_cifras, false)
      OR coalesce(letras_y_cifras <> ruc_en_letras_y_cifras, false)
      OR coalesce(letras_y_cifras <> '' AND nro_doc_del_detalle = '?', false)
      OR coalesce(letras_y_cifras <> '' AND ruc_del_detalle = '?', false) AS es_otra_contraparte
  FROM textos
),
montos AS (
  SELECT
    *,
    (no_gravado IS NULL AND texto_no_gravado IS NOT NULL)
      OR (exportacion IS NULL AND texto_exportacion IS NOT NULL)
      OR (neto_minima IS NULL AND texto_neto_minima IS NOT NULL)
      OR (iva_minima IS NULL AND texto_iva_minima IS NOT NULL)
      OR (neto_basica IS NULL AND texto_neto_basica IS NOT NULL)
      OR (iva_basica IS NULL AND texto_iva_basica IS NOT NULL) AS es_ilegible,
    -- Each is a nota. Totals may be rounded, to a unit of their currency.
    CASE
      WHEN (texto_iva_minima IS NULL AND texto_neto_minima IS NOT NULL AND coalesce(neto_minima <> 0, true))
        OR (texto_iva_basica IS NULL AND texto_neto_basica IS NOT NULL AND coalesce(neto_basica <> 0, true))
        THEN 'falta IVA'
      WHEN (iva_minima <> 0 AND (texto_neto_minima IS NULL OR neto_minima = 0))
        OR (iva_basica <> 0 AND (texto_neto_basica IS NULL OR neto_basica = 0))
        THEN 'falta neto'
      WHEN least(
        coalesce(no_gravado, 0),
        coalesce(exportacion, 0),
        coalesce(neto_minima, 0),
        coalesce(iva_minima, 0),
        coalesce(neto_basica, 0),
        coalesce(iva_basica, 0),
        coalesce(totales_total, 0)
      ) < 0
        THEN 'importe negativo'
      WHEN coalesce(no_gravado, 0)
        + coalesce(exportacion, 0)
        + coalesce(neto_minima, 0)
        + coalesce(iva_minima, 0)
        + coalesce(neto_basica, 0)
        + coalesce(iva_basica, 0) > totales_total + 1
        THEN 'no cierra'
    END AS contradiccion,
    no_gravado <> round(no_gravado, 2)
      OR exportacion <> round(exportacion, 2)
      OR neto_minima <> round(neto_minima, 2)
      OR iva_minima <> round(iva_minima, 2)
      OR neto_basica <> round(neto_basica, 2)
      OR iva_basica <> round(iva_basica, 2) AS tiene_fracciones,
    -- Its detail is older than the list, or contradicts it.
    es_anterior OR es_otra_moneda OR es_otra_contraparte OR es_otra_fecha OR es_otro_estado AS es_otro_detalle,
    -- Whether it was rejected, nobody can tell.
    coalesce(estado, '') NOT IN ('', 'AE', 'BE', 'CE', 'FE', 'NE') AS es_estado_desconocido,
    -- Whether it is listed twice, nobody can tell: numbers-under-two-ids leaves it out.
    numero IS NULL OR coalesce(serie, '') = '' AS es_sin_numero
  FROM numeros
),
