bandas (moneda, bajo, alto) AS (
  -- What a currency can cost in pesos, as the command rates takes it: a stated rate beside no other is judged by it.
  VALUES
    ('USD', 15, 150), ('EUR', 14.34, 223.35), ('BRL', 2, 40), ('ARS', 0.003, 15), ('UYI', 1.5, 20), ('UYR', 250, 6000),
    ('GBP', 15.885, 257.55), ('AUD', 8.685, 165.9), ('CAD', 10.23, 159.45), ('CHF', 14.535, 206.25),
    ('CLP', 0.00855, 0.468), ('CNY', 2.04, 24.9), ('COP', 0.00165, 0.102), ('DKK', 1.92, 30), ('INR', 0.1545, 3.405),
    ('JPY', 0.0915, 1.98), ('KRW', 0.0096, 0.15), ('MXN', 0.597, 13.035), ('NOK', 1.305, 28.65), ('NZD', 8.325, 132.3),
    ('PEN', 1.92, 92.1), ('PYG', 0.00102, 0.054), ('SEK', 1.3125, 25.05), ('ZAR', 0.7575, 22.8)
),
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
        AND CASE
          WHEN q.valor > 0 THEN abs(m.cambio_dicho - q.valor) > 0.2 * q.valor + 0.001
          ELSE m.cambio_dicho NOT BETWEEN b.bajo - 0.001 AND b.alto + 0.001
        END,
      false
    ) AS es_cambio_dudoso
  FROM montos m
  LEFT JOIN cotizado q
    ON q.moneda = m.moneda
    AND q.desde <= m.fecha
    AND m.fecha < q.hasta
  LEFT JOIN bandas b
    ON b.moneda = m.moneda
),
