unidad_indexada (anio, valor) AS (
  VALUES (2026, 6.4208)
),
vigente AS (
  -- A year that is not among them has the newest one before it.
  SELECT
    anio + n AS anio,
    max(anio) AS anio_ui,
    max_by(valor, anio) AS valor
  FROM (
    SELECT anio, valor
    FROM unidad_indexada
    UNION ALL
    SELECT year(fecha) + 1 AS anio, valor
    FROM cotizaciones
    WHERE date_trunc('month', current_date - INTERVAL '12' MONTH) - INTERVAL '12' MONTH <= fecha
      AND moneda = 'UYI'
      AND month(fecha) = 12
      AND day(fecha) = 31
      AND year(fecha) + 1 NOT IN (SELECT anio FROM unidad_indexada)
  ) AS conocidas
  CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS siguientes (n)
  GROUP BY anio + n
),
