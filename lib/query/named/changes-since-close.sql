-- Receipts of earlier months that came, went or changed since the last close.
--
-- The close is taken to be the first day of this month: shown is what runs of this month noticed about receipts dated
-- before it. For another close put its day in place of both date_trunc('month', current_date).
--
-- One row for each receipt and column (campo), however often it changed: antes is the value at the close, despues the
-- value now, momento when it changed last. What is again as it was is left out. campo is NULL where a whole receipt
-- came (aparecio) or went (desaparecio), and antes or despues is its whole row as JSON. What changed in it after it
-- came has rows of its own. movido tells that it is listed under another issue date now.
--
-- Told is what two readings of the lists show. A change between the last reading before the close and the close
-- itself counts as one since. A day that was first exported after the close is no change. A change in the detail
-- alone is not seen, and neither is one in a day that is no longer read again. Amounts are as in the lists: without
-- currency where issued, positive on credit notes, 0 on payment receipts.
WITH pasos AS (
  SELECT
    rut,
    direccion,
    fecha,
    emisor_ruc,
    tipo_comprobante,
    serie,
    numero,
    id,
    cambio,
    campo,
    despues,
    momento,
    first_value(antes) OVER (
      PARTITION BY rut, direccion, fecha, id, campo
      ORDER BY momento, corrida
    ) AS antes,
    row_number() OVER (
      PARTITION BY rut, direccion, fecha, id, campo
      ORDER BY momento DESC, corrida DESC
    ) AS desde_el_final
  FROM cambios
  WHERE fecha_corrida >= date_trunc('month', current_date)
    AND fecha < date_trunc('month', current_date)
)
SELECT
  rut,
  direccion,
  fecha,
  emisor_ruc,
  tipo_comprobante,
  serie,
  numero,
  id,
  cambio,
  campo,
  antes,
  despues,
  momento
FROM pasos
WHERE desde_el_final = 1
  AND antes IS DISTINCT FROM despues
  -- A receipt that went and came back is there, as it was.
  AND (campo IS NOT NULL OR antes IS NULL OR despues IS NULL)
ORDER BY rut, direccion, fecha, id, campo
