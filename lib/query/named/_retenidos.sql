lineas_retenidas AS (
  SELECT
    g.direccion,
    g.rut,
    g.fecha,
    g.id,
    json_extract(g.totales, '$.mnt_total_retenido') <> json_parse('null') AS tiene_suma,
    TRY_CAST(
      TRY_CAST(json_extract_scalar(g.totales, '$.mnt_total_retenido') AS DECIMAL(38, 20)) AS DECIMAL(25, 10)
    ) AS suma_dicha,
    nullif(trim(json_extract_scalar(retenida, '$.codigo')), '') AS codigo,
    coalesce(trim(json_extract_scalar(retenida, '$.codigo')) LIKE '2181%', false) AS es_credito,
    json_extract(retenida, '$.tasa') <> json_parse('null') AS tiene_tasa,
    TRY_CAST(TRY_CAST(json_extract_scalar(retenida, '$.tasa') AS DECIMAL(38, 20)) AS DECIMAL(9, 3)) AS tasa,
    -- The lines that annul another resguardo subtract (B-C4, 9).
    CASE
      WHEN coalesce(TRY_CAST(json_extract_scalar(linea, '$.indicador_facturacion') AS DECIMAL(38, 10)) <> 9, true)
        THEN 1
      ELSE -1
    END
      * TRY_CAST(
        TRY_CAST(json_extract_scalar(retenida, '$.monto_sujeto') AS DECIMAL(38, 20)) AS DECIMAL(25, 10)
      ) AS sujeto,
    CASE
      WHEN coalesce(TRY_CAST(json_extract_scalar(linea, '$.indicador_facturacion') AS DECIMAL(38, 10)) <> 9, true)
        THEN 1
      ELSE -1
    END
      * TRY_CAST(
        TRY_CAST(json_extract_scalar(retenida, '$.valor') AS DECIMAL(38, 20)) AS DECIMAL(25, 10)
      ) AS valor
  FROM resguardos g
  CROSS JOIN UNNEST(CAST(json_parse(g.items) AS JSON ARRAY)) AS lineas (linea)
  CROSS JOIN UNNEST(
    coalesce(
      TRY_CAST(json_extract(linea, '$.retenciones_percepciones') AS JSON ARRAY),
      -- What is no array there, or no object in place of a line, is an amount that cannot be read.
      CASE
        WHEN json_extract(linea, '$.retenciones_percepciones') <> json_parse('null')
          OR TRY_CAST(linea AS JSON ARRAY) IS NOT NULL
          OR json_extract_scalar(linea, '$') IS NOT NULL
        THEN ARRAY[json_parse('null')]
      END
    )
  ) AS partes (retenida)
),
retenidos AS (
  SELECT
    *,
    -- What the receipt states is of the lines that are no tax credits (DGI's format of CFE, A-C125).
    coalesce(
      round(sum(CASE WHEN es_credito THEN 0 ELSE valor END) OVER (PARTITION BY direccion, rut, fecha, id), 2)
        <> round(suma_dicha, 2),
      tiene_suma,
      false
    ) AS es_otra_suma
  FROM lineas_retenidas
),
