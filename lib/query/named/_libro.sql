-- include montos
-- include cambio
-- include contribuyentes
lineas AS (
  SELECT
    *,
    CAST(coalesce(signo, 1) * no_gravado AS DECIMAL(20, 2)) AS linea_no_gravado,
    CAST(coalesce(signo, 1) * exportacion AS DECIMAL(20, 2)) AS linea_exportacion,
    CAST(coalesce(signo, 1) * neto_minima AS DECIMAL(20, 2)) AS linea_neto_minima,
    CAST(coalesce(signo, 1) * iva_minima AS DECIMAL(20, 2)) AS linea_iva_minima,
    CAST(coalesce(signo, 1) * neto_basica AS DECIMAL(20, 2)) AS linea_neto_basica,
    CAST(coalesce(signo, 1) * iva_basica AS DECIMAL(20, 2)) AS linea_iva_basica,
    CAST(coalesce(signo, 1) * totales_total AS DECIMAL(20, 2)) AS linea_total,
    CASE
      WHEN coalesce(no_gravado, exportacion, neto_minima, iva_minima, neto_basica, iva_basica) IS NULL
      THEN 'sin desglose'
      WHEN es_anterior THEN 'detalle anterior'
      WHEN es_ilegible THEN 'monto ilegible'
      WHEN contradiccion IS NOT NULL THEN contradiccion
      WHEN totales_total IS NULL THEN 'sin total'
      WHEN tiene_fracciones THEN 'mas de dos decimales'
    END AS falta
  FROM contrapartes
  WHERE coalesce(estado, '') <> 'BE'
    -- A type that is not in the table is a line too.
    AND coalesce(clase, 'venta') IN ('venta', 'exportacion')
),
sumados AS (
  SELECT
    *,
    CASE
      WHEN falta = 'sin desglose' THEN NULL
      ELSE linea_total
        - coalesce(linea_no_gravado, 0)
        - coalesce(linea_exportacion, 0)
        - coalesce(linea_neto_minima, 0)
        - coalesce(linea_iva_minima, 0)
        - coalesce(linea_neto_basica, 0)
        - coalesce(linea_iva_basica, 0)
    END AS linea_otros
  FROM lineas
)
SELECT
  rut,
  fecha,
  tipo_comprobante,
  tipo,
  serie,
  numero,
  documento,
  contraparte,
  moneda,
  tipo_cambio,
  linea_no_gravado AS no_gravado,
  linea_exportacion AS exportacion,
  linea_neto_minima AS neto_minima,
  linea_iva_minima AS iva_minima,
  linea_neto_basica AS neto_basica,
  linea_iva_basica AS iva_basica,
  linea_otros AS otros,
  linea_total AS total,
  CAST(linea_no_gravado * tipo_cambio AS DECIMAL(38, 2)) AS no_gravado_pesos,
  CAST(linea_exportacion * tipo_cambio AS DECIMAL(38, 2)) AS exportacion_pesos,
  CAST(linea_neto_minima * tipo_cambio AS DECIMAL(38, 2)) AS neto_minima_pesos,
  CAST(linea_iva_minima * tipo_cambio AS DECIMAL(38, 2)) AS iva_minima_pesos,
  CAST(linea_neto_basica * tipo_cambio AS DECIMAL(38, 2)) AS neto_basica_pesos,
  CAST(linea_iva_basica * tipo_cambio AS DECIMAL(38, 2)) AS iva_basica_pesos,
  CAST(linea_otros * tipo_cambio AS DECIMAL(38, 2)) AS otros_pesos,
  CAST(linea_total * tipo_cambio AS DECIMAL(38, 2)) AS total_pesos,
  cambio_de,
  estado,
  nullif(
    concat_ws(
      ', ',
      falta,
      CASE WHEN signo IS NULL THEN 'tipo desconocido' END,
      CASE WHEN moneda IS NULL AND coalesce(falta, '') <> 'sin desglose' THEN 'moneda desconocida' END,
      CASE WHEN es_otra_moneda THEN 'moneda contradictoria' END,
      CASE WHEN es_otra_contraparte THEN 'contraparte contradictoria' END,
      CASE WHEN es_otra_fecha THEN 'fecha contradictoria' END,
      CASE WHEN moneda IS NOT NULL AND tipo_cambio IS NULL THEN 'sin tipo de cambio' END,
      CASE WHEN es_cambio_ilegible THEN 'tipo de cambio ilegible' END,
      CASE WHEN es_cambio_dudoso THEN 'tipo de cambio dudoso' END,
      CASE WHEN direccion LIKE 'r%' AND es_documento_ilegible THEN 'documento ilegible' END,
      CASE WHEN es_estado_desconocido THEN 'estado desconocido' END,
      CASE WHEN es_otro_estado THEN 'estado contradictorio' END,
      CASE WHEN es_sin_numero THEN 'sin numero' END
    ),
    ''
  ) AS nota,
  id
FROM sumados
ORDER BY rut, fecha, tipo_comprobante, serie, numero, id
