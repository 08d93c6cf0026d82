retenidos AS (
  SELECT
    g.direccion,
    g.rut,
    g.fecha,
    g.id,
    json_extract_scalar(retenida, '$.codigo') AS codigo,
    TRY_CAST(json_extract_scalar(retenida, '$.tasa') AS DECIMAL(9, 3)) AS tasa,
    TRY_CAST(json_extract_scalar(retenida, '$.monto_sujeto') AS DECIMAL(28, 10)) AS sujeto,
    TRY_CAST(json_extract_scalar(retenida, '$.valor') AS DECIMAL(28, 10)) AS valor
  FROM resguardos g
  CROSS JOIN UNNEST(CAST(json_parse(g.items) AS JSON ARRAY)) AS lineas (linea)
  CROSS JOIN UNNEST(TRY_CAST(json_extract(linea, '$.retenciones_percepciones') AS JSON ARRAY)) AS partes (retenida)
),
