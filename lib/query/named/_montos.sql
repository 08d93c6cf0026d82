textos AS (
  SELECT
    *,
    TRY_CAST(json_extract_scalar(totales, '$.tipo_cambio') AS DECIMAL(17, 6)) AS cambio_dicho,
    json_extract_scalar(totales, '$.mnt_no_gravado') AS texto_no_gravado,
    json_extract_scalar(totales, '$.mnt_exportacion_y_asimilados') AS texto_exportacion,
    json_extract_scalar(totales, '$.mnt_neto_iva_tasa_minima') AS texto_neto_minima,
    json_extract_scalar(totales, '$.mnt_iva_tasa_minima') AS texto_iva_minima,
    json_extract_scalar(totales, '$.mnt_neto_iva_tasa_basica') AS texto_neto_basica,
    json_extract_scalar(totales, '$.mnt_iva_tasa_basica') AS texto_iva_basica
  FROM comprobantes
),
montos AS (
  SELECT
    *,
    TRY_CAST(texto_no_gravado AS DECIMAL(28, 10)) AS no_gravado,
    TRY_CAST(texto_exportacion AS DECIMAL(28, 10)) AS exportacion,
    TRY_CAST(texto_neto_minima AS DECIMAL(28, 10)) AS neto_minima,
    TRY_CAST(texto_iva_minima AS DECIMAL(28, 10)) AS iva_minima,
    TRY_CAST(texto_neto_basica AS DECIMAL(28, 10)) AS neto_basica,
    TRY_CAST(texto_iva_basica AS DECIMAL(28, 10)) AS iva_basica
  FROM textos
),
