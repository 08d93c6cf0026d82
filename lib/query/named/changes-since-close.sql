-- Receipts of earlier months that came, went, moved or changed since the last close: the net effect.
--
-- The close is taken to be the first day of this month: the answer is what this month's runs noticed about receipts
-- dated before it. For another close, put its day in place of every date_trunc('month', current_date).
--
-- At most one row for each receipt and column (campo), however often it changed: antes is the value at the close,
-- despues the value now, momento the time of the last change. A value that is again what it was is left out, and so
-- is a receipt that came and went. A row with campo NULL is a receipt that came (aparecio, or reaparecio if it had
-- been there before) or went (desaparecio), with its whole row as JSON. What changed after it came, or before it
-- went, has rows of its own. movido means that a receipt has another issue date now: all its rows are under the date
-- (fecha) that it had at the close.
--
-- Where a run that began after a day had read it empty, and a later reading finds receipts there, these receipts
-- came, at the first reading that has them. Their despues is NULL, and their values are in recibidos and emitidos.
-- The other receipts of days that nobody had read before the close are no change: whether they are new is not known.
-- One row for each company and list (direccion), primera_lectura, says in despues how many they are, without those
-- that the API no longer lists, and in momento when the last of these days was first read. Of days first read since
-- the close, twelve whole months are looked at.
--
-- Only differences between two readings of the lists are seen. A change between the last reading before the close and
-- the close itself counts as one after it. Not seen: a change in the detail alone, in a day that is no longer read,
-- or between two moves of one receipt (cambios has it). If a column changed in the same step as the issue date, that
-- is seen only if it changed at another time too. If the receipt moved to a day of which the lake had none, despues
-- is the value before that change. Compare the two rows that the lake keeps of a receipt that moved. Amounts are as
-- in the lists: without currency on issued receipts, positive on credit notes, 0 on payment receipts.
WITH notados AS (
  SELECT
    rut,
    direccion,
    id,
    fecha,
    emisor_ruc,
    tipo_comprobante,
    serie,
    numero,
    cambio,
    campo,
    antes,
    despues,
    momento,
    corrida
  FROM cambios
  WHERE fecha_corrida >= date_trunc('month', current_date)
),
-- Days of a list first read with receipts since the close: es_tardia if a run had found them empty when they were over.
primeras AS (
  SELECT
    rut,
    direccion,
    fecha,
    min(CASE WHEN estado <> 'vacio' THEN inicio END) AS momento,
    coalesce(
      min(CASE WHEN estado = 'vacio' AND fecha_corrida > fecha THEN inicio END)
        <= min(CASE WHEN estado <> 'vacio' THEN inicio END),
      false
    ) AS es_tardia
  FROM exportaciones
  WHERE fecha < date_trunc('month', current_date)
    -- No run reads a day before it comes.
    AND fecha_corrida >= date_trunc('month', current_date - INTERVAL '12' MONTH)
    AND estado IN ('exportado', 'sin_cambios', 'vacio')
  GROUP BY rut, direccion, fecha
  HAVING min(CASE WHEN estado <> 'vacio' THEN fecha_corrida END) >= date_trunc('month', current_date)
),
guardados AS (
  SELECT
    rut, 'recibidos' AS direccion, fecha, emisor_ruc, tipo_comprobante, serie, numero, id, visto_por_ultima_vez
  FROM recibidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
  UNION ALL
  SELECT
    rut, 'emitidos' AS direccion, fecha, rut AS emisor_ruc, tipo_comprobante, serie, numero, id, visto_por_ultima_vez
  FROM emitidos
  WHERE fecha >= date_trunc('month', current_date - INTERVAL '12' MONTH)
),
sucesos AS (
  SELECT *
  FROM notados
  UNION ALL
  SELECT
    g.rut,
    g.direccion,
    g.id,
    g.fecha,
    g.emisor_ruc,
    g.tipo_comprobante,
    g.serie,
    g.numero,
    'aparecio' AS cambio,
    NULL AS campo,
    NULL AS antes,
    NULL AS despues,
    p.momento,
    '' AS corrida
  FROM guardados g
  JOIN primeras p
    ON p.rut = g.rut
    AND p.direccion = g.direccion
    AND p.fecha = g.fecha
    AND p.es_tardia
  -- Those that came to the day later are in cambios.
  LEFT JOIN notados n
    ON n.rut = g.rut
    AND n.direccion = g.direccion
    AND n.fecha = g.fecha
    AND n.id = g.id
    AND n.cambio = 'aparecio'
  WHERE n.id IS NULL
),
enteros AS (
  SELECT
    *,
    first_value(cambio) OVER (PARTITION BY rut, direccion, id, fecha ORDER BY momento, corrida) AS primero,
    row_number() OVER (PARTITION BY rut, direccion, id, fecha ORDER BY momento DESC, corrida DESC) AS desde_el_final
  FROM sucesos
  WHERE cambio <> 'cambio'
),
-- A receipt under one issue date: was it there at the close, is it there now?
estancias AS (
  SELECT
    *,
    primero = 'desaparecio' AS estaba,
    cambio IN ('aparecio', 'reaparecio') AS esta,
    CASE WHEN cambio IN ('aparecio', 'reaparecio') THEN CAST(fecha AS VARCHAR) END AS lleva_a
  FROM enteros
  WHERE desde_el_final = 1
),
-- Of a receipt that left a date of a closed month (salida): the date that it has now (destino), NULL if none.
recorridos AS (
  SELECT
    *,
    min(CASE WHEN estaba AND NOT esta AND fecha < date_trunc('month', current_date) THEN fecha END)
      OVER (PARTITION BY rut, direccion, id) AS salida,
    first_value(lleva_a) OVER ultimo AS destino,
    first_value(antes) OVER ultimo AS fila_antes,
    first_value(CASE WHEN esta THEN despues END) OVER ultimo AS fila_despues,
    first_value(momento) OVER ultimo AS momento_ultimo
  FROM estancias
  WINDOW ultimo AS (
    PARTITION BY rut, direccion, id
    ORDER BY CASE WHEN esta AND NOT estaba THEN 0 WHEN NOT esta THEN 1 ELSE 2 END, momento DESC, corrida DESC
  )
),
-- Where a receipt that came or moved is now: it is told of by that.
llegadas AS (
  SELECT DISTINCT rut, direccion, id, CASE WHEN esta THEN CAST(fecha AS VARCHAR) ELSE destino END AS fecha
  FROM recorridos
  WHERE esta <> estaba
),
valores AS (
  SELECT
    s.*,
    CASE WHEN r.esta AND NOT r.estaba AND CAST(s.fecha AS VARCHAR) = r.destino
      THEN coalesce(r.salida, s.fecha) ELSE s.fecha END AS fecha_al_cierre,
    CASE WHEN r.estaba AND NOT r.esta THEN r.fila_despues END AS fila_despues
  FROM sucesos s
  LEFT JOIN recorridos r
    ON r.rut = s.rut
    AND r.direccion = s.direccion
    AND r.id = s.id
    AND r.fecha = s.fecha
  WHERE s.cambio = 'cambio'
    -- Not what changed before it came, nor in a stay between the close and now.
    AND (r.id IS NULL OR r.estaba OR (r.esta AND s.momento > r.momento))
),
pasos AS (
  SELECT
    *,
    first_value(antes) OVER (
      PARTITION BY rut, direccion, id, fecha_al_cierre, campo
      ORDER BY momento, corrida
    ) AS primer_antes,
    -- Nothing changed since it moved, or only together with that: the value stands in the row with which it came.
    CASE WHEN fila_despues IS NULL THEN despues ELSE json_extract_scalar(fila_despues, '$.' || campo) END
      AS ultimo_despues,
    row_number() OVER (
      PARTITION BY rut, direccion, id, fecha_al_cierre, campo
      ORDER BY momento DESC, corrida DESC
    ) AS desde_el_final
  FROM valores
),
netos AS (
  SELECT
    rut,
    direccion,
    fecha,
    emisor_ruc,
    tipo_comprobante,
    serie,
    numero,
    id,
    CASE WHEN NOT estaba THEN primero WHEN destino IS NULL THEN 'desaparecio' ELSE 'movido' END AS cambio,
    CASE WHEN estaba AND destino IS NOT NULL THEN 'fecha' END AS campo,
    CASE WHEN NOT estaba THEN NULL WHEN destino IS NULL THEN fila_antes ELSE CAST(fecha AS VARCHAR) END AS antes,
    CASE WHEN estaba THEN destino ELSE despues END AS despues,
    CASE WHEN estaba THEN momento_ultimo ELSE momento END AS momento
  FROM recorridos
  WHERE estaba <> esta
    -- The date to which it moved is told with the one that it left.
    AND (estaba OR salida IS NULL OR CAST(fecha AS VARCHAR) <> destino)
  UNION ALL
  SELECT
    rut,
    direccion,
    fecha_al_cierre AS fecha,
    emisor_ruc,
    tipo_comprobante,
    serie,
    numero,
    id,
    cambio,
    campo,
    primer_antes AS antes,
    ultimo_despues AS despues,
    momento
  FROM pasos
  WHERE desde_el_final = 1
)
SELECT rut, direccion, fecha, emisor_ruc, tipo_comprobante, serie, numero, id, cambio, campo, antes, despues, momento
FROM netos
WHERE fecha < date_trunc('month', current_date)
  AND (campo IS NULL OR antes IS DISTINCT FROM despues)
UNION ALL
SELECT
  g.rut,
  g.direccion,
  NULL AS fecha,
  NULL AS emisor_ruc,
  NULL AS tipo_comprobante,
  NULL AS serie,
  NULL AS numero,
  NULL AS id,
  'primera_lectura' AS cambio,
  NULL AS campo,
  NULL AS antes,
  CAST(count(*) AS VARCHAR)
    || CASE count(*) WHEN 1 THEN ' comprobante' ELSE ' comprobantes' END
    || ' de dias que nadie habia leido antes del cierre' AS despues,
  max(p.momento) AS momento
FROM guardados g
JOIN primeras p
  ON p.rut = g.rut
  AND p.direccion = g.direccion
  AND p.fecha = g.fecha
  AND NOT p.es_tardia
LEFT JOIN llegadas c
  ON c.rut = g.rut
  AND c.direccion = g.direccion
  AND c.id = g.id
  AND c.fecha = CAST(g.fecha AS VARCHAR)
WHERE c.id IS NULL
  AND g.visto_por_ultima_vez IS NULL
GROUP BY g.rut, g.direccion
ORDER BY rut, direccion, fecha, id, campo
