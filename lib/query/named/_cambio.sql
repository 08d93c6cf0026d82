cotizado AS (
  -- The rate of a day counts from the day after it to the next that has one: four days at most, for a long weekend, or
  -- ten on days whose month has a later one. The UI counts on its day alone. The last UR of a month counts for that
  -- month.
  SELECT
    moneda,
    valor,
    dia,
    CASE tramo
      WHEN 0 THEN desde
      ELSE CAST(greatest(desde + INTERVAL '4' DAY, date_trunc('month', siguiente)) AS DATE)
    END AS desde,
    least(
      desde_siguiente,
      CASE
        WHEN moneda = 'UYR' THEN desde + INTERVAL '1' MONTH
        WHEN moneda = 'UYI' THEN desde + INTERVAL '1' DAY
        WHEN tramo = 0 THEN desde + INTERVAL '4' DAY
        ELSE desde + INTERVAL '10' DAY
      END
    ) AS hasta
  FROM (
    SELECT
      *,
      lead(dia) OVER (PARTITION BY moneda ORDER BY dia) AS siguiente,
      lead(desde, 1, DATE '9999-12-31') OVER (PARTITION BY moneda ORDER BY dia) AS desde_siguiente
    FROM (
      SELECT
        moneda,
        valor,
        fecha AS dia,
        CASE moneda
          WHEN 'UYR' THEN CAST(date_trunc('month', fecha) AS DATE)
          WHEN 'UYI' THEN fecha
          ELSE CAST(fecha + INTERVAL '1' DAY AS DATE)
        END AS desde
      FROM cotizaciones
      WHERE date_trunc('month', current_date - INTERVAL '12' MONTH) - INTERVAL '35' DAY <= fecha
    ) AS desde_cuando
  ) AS con_siguiente
  CROSS JOIN (VALUES (0), (1)) AS tramos (tramo)
  WHERE tramo = 0
    OR (siguiente IS NOT NULL AND moneda NOT IN ('UYI', 'UYR'))
),
leidos AS (
  SELECT
    m.*,
    CASE
      WHEN m.moneda = 'UYU' THEN 1
      -- Nobody knows of what the stated one is.
      WHEN m.moneda IS NULL THEN NULL
      WHEN m.cambio_dicho > 0 THEN m.cambio_dicho
      ELSE q.valor
    END AS tipo_cambio,
    CASE
      WHEN m.moneda = 'UYU' OR m.moneda IS NULL THEN NULL
      WHEN m.cambio_dicho > 0 THEN 'comprobante'
      WHEN q.valor IS NOT NULL THEN concat('cotizaciones ', CAST(q.dia AS VARCHAR))
    END AS cambio_de,
    -- A text of zeros, or without anything, states no rate.
    coalesce(m.moneda <> 'UYU' AND translate(m.texto_cambio, '0.', '') <> '', false)
      AND NOT coalesce(m.cambio_dicho > 0, false) AS es_cambio_ilegible,
    -- A fifth: rates of other days or banks, as of a credit note's invoice, are nearer. It has three decimals by law.
    coalesce(
      m.moneda <> 'UYU'
        AND m.cambio_dicho > 0
        AND q.valor > 0
        AND abs(m.cambio_dicho - q.valor) > 0.2 * q.valor + 0.001,
      false
    ) AS es_cambio_dudoso
  FROM montos m
  LEFT JOIN cotizado q
    ON q.moneda = m.moneda
    AND q.desde <= m.fecha
    AND m.fecha < q.hasta
),
