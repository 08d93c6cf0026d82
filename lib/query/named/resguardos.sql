-- Resguardos: what was withheld from a company (sufrida) and by it (efectuada), by receipt and code.
--
-- A resguardo (182) that the company received states what was withheld from it, one that it issued what it withheld.
-- One row for each receipt, code and rate: monto_sujeto is the amount that the rate applies to, valor what was
-- withheld (or credited, where the code begins with 2181), in the currency of the receipt (never add up different
-- ones), and valor_pesos the same at the exchange rate above 0 that the receipt states, else at that of cotizaciones
-- that counts on its day (cambio_de says which), NULL without either. Amounts keep the sign that they came with, but
-- for those of items that annul another resguardo (indicador_facturacion 9: DGI's format of CFE, B-C4), which
-- subtract.
--
-- nota is NULL where a row is complete. Otherwise it is sin retenciones (no code is known, because the detail was not
-- read or has none), detalle anterior (the detail is older than the list, as it is where it has another total, or one
-- that is no number), monto ilegible (an amount is no number of at most 15 digits before the point, and not in the
-- sum, or what is withheld is no array, and then codigo is NULL), no cierra (the receipt states another sum of what is
-- withheld than its lines have, without the tax credits, whose codes begin with 2181: DGI's format of CFE, A-C125),
-- codigo o tasa ilegible (codigo is NULL, or the rate that is stated is no number) or mas de dos decimales (only the
-- sum was rounded), and moneda desconocida (there is none, or it is not three capital letters: no rate is applied),
-- moneda contradictoria (another, or one that is no text, stands beside it in the list or the detail, and that of the
-- list counts, of issued ones that of the detail's totals), contraparte contradictoria or fecha contradictoria (the
-- detail has another counterpart (by letters and digits) or issue day, or one that cannot be read, and that of the
-- list counts), sin tipo de cambio (there is no rate) or tipo de cambio ilegible (the receipt states one that is
-- neither 0 nor a number above it, and that of cotizaciones counts) or tipo de cambio dudoso (it states one that is
-- more than a fifth off that of cotizaciones or, without one, none that its currency can have, and its own counts) or
-- documento ilegible (of a received one, the issuer's document has not the form of a RUT) or estado desconocido (no
-- code of a status that is known, AE, BE, CE, FE or NE, or no text, and then estado is ?: nobody can tell whether it
-- was rejected) or estado contradictorio (the detail has another, or, where the list has none, BE or no known code, of
-- issued ones AE too, or the estado_dgi of a received one's detail BE or no known code, or BE is in another field, an
-- estado of an issued one or an estado_dgi of the list of received ones, and that of the list counts) or sin numero
-- (it has no series or no number: whether it is listed twice, nobody can tell). What e-Facturas withhold in their own
-- lines is not included.
--
-- All this is in the details. The inner names totales.moneda, totales.tipo_cambio, totales.mnt_total_retenido, items
-- (indicador_facturacion, and codigo, tasa, monto_sujeto and valor of retenciones_percepciones), emisor and receptor
-- (ruc, nro_doc) are not in the API's contract: check them with the real service.
--
-- Left out: receipts that were rejected (BE, of received ones the contract does not say by whom, and a rejection may
-- still be reversed) or that the API no longer lists. A fiscal number that is listed twice counts twice: ask
-- numbers-under-two-ids. Twelve whole months and the current one. Change all conditions on fecha for another period.
WITH comprobantes AS (
  -- include emitidos
  UNION ALL
  -- include recibidos
),
-- include montos
-- include cambio
-- include contribuyentes
resguardos AS (
  SELECT *
  FROM contrapartes
  WHERE clase = 'resguardo'
    AND coalesce(estado, '') <> 'BE'
),
-- include retenidos
retenciones AS (
  SELECT
    direccion,
    rut,
    fecha,
    id,
    codigo,
    tasa,
    TRY_CAST(sum(sujeto) AS DECIMAL(20, 2)) AS monto_sujeto,
    TRY_CAST(sum(valor) AS DECIMAL(20, 2)) AS valor,
    count(CASE WHEN sujeto IS NULL OR valor IS NULL THEN 1 END) AS ilegibles,
    count(CASE WHEN codigo IS NULL OR (tasa IS NULL AND tiene_tasa) THEN 1 END) AS sin_codigo_o_tasa,
    count(CASE WHEN sujeto <> round(sujeto, 2) OR valor <> round(valor, 2) THEN 1 END) AS con_fracciones,
    count(CASE WHEN es_otra_suma THEN 1 END) > 0 AS es_otra_suma
  FROM retenidos
  GROUP BY 1, 2, 3, 4, 5, 6
)
SELECT
  g.rut,
  CASE g.direccion WHEN 'recibidos' THEN 'sufrida' ELSE 'efectuada' END AS retencion,
  g.fecha,
  g.tipo_comprobante,
  g.serie,
  g.numero,
  g.documento,
  g.contraparte,
  g.moneda,
  s.codigo,
  s.tasa,
  s.monto_sujeto,
  s.valor,
  CAST(s.valor * g.tipo_cambio AS DECIMAL(38, 2)) AS valor_pesos,
  g.cambio_de,
  g.estado,
  nullif(
    concat_ws(
      ', ',
      CASE
        WHEN s.id IS NULL THEN 'sin retenciones'
        ELSE nullif(
          concat_ws(
            ', ',
            CASE
              WHEN g.es_anterior THEN 'detalle anterior'
              WHEN s.ilegibles > 0 OR s.monto_sujeto IS NULL OR s.valor IS NULL THEN 'monto ilegible'
              WHEN s.es_otra_suma THEN 'no cierra'
              WHEN s.sin_codigo_o_tasa > 0 THEN 'codigo o tasa ilegible'
              WHEN s.con_fracciones > 0 THEN 'mas de dos decimales'
            END,
            CASE WHEN g.es_otra_moneda THEN 'moneda contradictoria' END,
            CASE WHEN g.es_otra_contraparte THEN 'contraparte contradictoria' END,
            CASE WHEN g.es_otra_fecha THEN 'fecha contradictoria' END,
            CASE
              WHEN g.moneda IS NULL THEN 'moneda desconocida'
              WHEN g.tipo_cambio IS NULL THEN 'sin tipo de cambio'
            END,
            CASE WHEN g.es_cambio_ilegible THEN 'tipo de cambio ilegible' END,
            CASE WHEN g.es_cambio_dudoso THEN 'tipo de cambio dudoso' END
          ),
          ''
        )
      END,
      CASE WHEN g.direccion = 'recibidos' AND g.es_documento_ilegible THEN 'documento ilegible' END,
      CASE WHEN g.es_estado_desconocido THEN 'estado desconocido' END,
      CASE WHEN g.es_otro_estado THEN 'estado contradictorio' END,
      CASE WHEN g.es_sin_numero THEN 'sin numero' END
    ),
    ''
  ) AS nota,
  g.id
FROM resguardos g
LEFT JOIN retenciones s
  ON s.direccion = g.direccion
  AND s.rut = g.rut
  AND s.fecha = g.fecha
  AND s.id = g.id
ORDER BY g.rut, retencion, g.fecha, g.id, s.codigo, s.tasa
