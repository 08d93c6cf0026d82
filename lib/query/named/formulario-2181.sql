-- Formulario 2181: VAT and exempt purchases in pesos, by month, counterpart and line (502 to 506).
--
-- 502 and 503 are the VAT on sales to taxpayers at the basic (22 %) and the minimum rate (10 %), 504 the amount
-- bought in the country free of VAT, 505 and 506 the VAT on purchases at the two rates. Credit notes subtract. Other
-- currencies are converted at the rate above 0 that the receipt states, else at that of cotizaciones that counts on
-- its day (con_cotizacion counts these receipts), and rounded receipt by receipt, as in the VAT books. de_e_tickets
-- is the part of importe that comes from e-Tickets (101 and 131, their notes and contingency): according to one
-- source, buyers do not deduct their VAT.
--
-- A row with linea NULL counts receipts of that month and RUT that are in no line: their detail was not read as the
-- list is now, or has another total, or one that is no number, or another currency, counterpart (by letters and
-- digits) or issue day than the list, or one of them that cannot be read, or states no amount by rate, or amounts that
-- are not a number of cents or have more than 18 digits in pesos, or a net at a rate without its VAT or VAT without
-- its net, or an amount below 0, or more than the total by more than a unit of the currency, or an exchange rate that
-- is neither 0 nor a number above it, or more than a fifth off that of cotizaciones or, without one, none that its
-- currency can have, or there is no exchange rate (nota: falta tipo de cambio), or their currency is not three capital
-- letters, or their type is not in tipos_comprobante, or the other side's document cannot be read (nota: documento
-- ilegible), or their status is none of AE, BE, CE, FE and NE, or no text, and nobody can tell whether they were
-- accepted or rejected (nota: estado desconocido), or their detail has another status than the list, whatever that is,
-- or, where the list has none, BE or no known code, of issued ones AE too, or the estado_dgi of a received one's
-- detail BE or no known code, or BE is in another field, an estado of an issued one or an estado_dgi of the list of
-- received ones (nota: estado contradictorio). As long as there are any, the declaration is incomplete.
--
-- Another row with linea NULL, whose nota is sin aceptar, counts issued receipts of that month, with that RUT on the
-- other side, that the tax authority did not accept: it observed them (CE), or has not answered (FE, NE or no status).
-- The sales book and posicion-iva have them, and the form does not, by its rule: they are told, and leave no
-- declaration incomplete.
--
-- Included are issued receipts that the tax authority accepted (AE: neither observed nor unanswered ones) and received
-- ones that were not rejected (BE, the contract does not say by whom, and it may still be reversed), with a RUT on the
-- other side: a document that has the form of a RUT, or that the detail calls one (tipo_documento 2, and one that is
-- no code from 1 to 7 says nothing) and that has 11 or 12 digits, not all 0, and no letter. contraparte has 12 digits:
-- 11 have lost their leading zero. It cannot be read where that of who issued a received receipt has not that form,
-- where an issued e-Factura (11x or 14x, which is for a RUT: DGI's format of CFE) has none that is a RUT, or one of
-- another kind, where the detail calls a RUT what has not those digits, and where that of another issued receipt has
-- the form but for what stands between its digits, is no text, is in the detail alone, or is of a kind that is no such
-- code. Left out: other documents (of a consumer), exports (12x), remitos, resguardos, boletas de entrada, and what
-- the API no longer lists. A payment receipt has no VAT: what the detail of a total of 0 leaves out is 0. A fiscal
-- number that is listed twice counts twice: ask numbers-under-two-ids.
--
-- How to fill in the form is taken from what others publish, not from the tax authority: check lines and amounts in
-- its own program. Sales on another's account (13x, 14x) count like the company's own. The inner names of totales,
-- emisor (ruc, nro_doc) and receptor (tipo_documento, nro_doc, ruc) are not in the API's contract: check them with
-- the real service. Twelve whole months and the current one. Change all conditions on fecha for another period.
WITH comprobantes AS (
  -- include emitidos
  UNION ALL
  -- include recibidos
),
-- include montos
-- include cambio
-- include contribuyentes
declarados AS (
  SELECT
    *,
    CAST(date_trunc('month', fecha) AS DATE) AS mes,
    CASE WHEN es_contribuyente THEN lpad(cifras, 12, '0') ELSE documento END AS declarado,
    moneda <> 'UYU' AND coalesce(cambio_de, '') <> 'comprobante' AS es_sin_cambio_propio,
    direccion = 'emitidos'
      AND coalesce(estado, '') IN ('', 'CE', 'FE', 'NE')
      AND NOT es_otro_estado AS es_sin_aceptar,
    coalesce(
      NOT es_documento_ilegible
        AND NOT es_estado_desconocido
        AND NOT es_otro_detalle
        AND tipo_cambio IS NOT NULL
        AND NOT es_cambio_ilegible
        AND NOT es_cambio_dudoso
        AND contradiccion IS NULL
        AND signo IS NOT NULL
        AND coalesce(no_gravado, iva_minima, iva_basica) IS NOT NULL
        AND (texto_no_gravado IS NULL OR no_gravado = round(no_gravado, 2))
        AND (texto_iva_minima IS NULL OR iva_minima = round(iva_minima, 2))
        AND (texto_iva_basica IS NULL OR iva_basica = round(iva_basica, 2))
        -- A few of more than 18 digits would overflow their sum, and with it the whole answer.
        AND TRY_CAST(
          CAST(tipo_cambio AS DECIMAL(17, 6)) * TRY_CAST(
            greatest(abs(coalesce(no_gravado, 0)), abs(coalesce(iva_minima, 0)), abs(coalesce(iva_basica, 0)))
            AS DECIMAL(20, 2)
          ) AS DECIMAL(20, 2)
        ) IS NOT NULL,
      false
    ) AS se_conoce
  FROM contrapartes
  WHERE (es_contribuyente OR es_documento_ilegible)
    AND coalesce(clase, 'venta') = 'venta'
    AND (
      es_otro_estado
      OR CASE direccion
        WHEN 'emitidos' THEN estado = 'AE'
          OR es_estado_desconocido
          OR (es_contribuyente AND coalesce(estado, '') <> 'BE')
        ELSE coalesce(estado, '') <> 'BE'
      END
    )
),
importes AS (
  SELECT
    rut,
    mes,
    declarado,
    contraparte,
    lineas.linea,
    mod(tipo_comprobante, 100) IN (1, 2, 3, 31, 32, 33) AS es_e_ticket,
    es_sin_cambio_propio,
    CAST(
      CAST(signo * tipo_cambio AS DECIMAL(17, 6)) * CAST(
        CASE lineas.linea
          WHEN 502 THEN iva_basica
          WHEN 503 THEN iva_minima
          WHEN 504 THEN no_gravado
          WHEN 505 THEN iva_basica
          ELSE iva_minima
        END AS DECIMAL(20, 2)
      ) AS DECIMAL(38, 2)
    ) AS importe
  FROM declarados
  JOIN (VALUES ('emitidos', 502), ('emitidos', 503), ('recibidos', 504), ('recibidos', 505), ('recibidos', 506))
    AS lineas (lista, linea)
    ON lineas.lista = declarados.direccion
  WHERE se_conoce
    AND NOT es_sin_aceptar
)
SELECT
  rut,
  mes,
  declarado AS contraparte,
  max(contraparte) AS nombre,
  linea,
  count(*) AS comprobantes,
  CAST(sum(importe) AS DECIMAL(38, 2)) AS importe,
  CAST(sum(CASE WHEN es_e_ticket THEN importe ELSE 0 END) AS DECIMAL(38, 2)) AS de_e_tickets,
  count(CASE WHEN es_sin_cambio_propio THEN 1 END) AS con_cotizacion,
  NULL AS nota
FROM importes
WHERE importe <> 0
GROUP BY rut, mes, declarado, linea
UNION ALL
SELECT
  rut,
  mes,
  declarado AS contraparte,
  max(contraparte) AS nombre,
  NULL AS linea,
  count(*) AS comprobantes,
  NULL AS importe,
  NULL AS de_e_tickets,
  NULL AS con_cotizacion,
  CASE
    WHEN es_sin_aceptar THEN 'sin aceptar'
    ELSE nullif(
      concat_ws(
        ', ',
        CASE
          WHEN count(CASE WHEN es_sin_cambio_propio AND tipo_cambio IS NULL THEN 1 END) > 0 THEN 'falta tipo de cambio'
        END,
        CASE WHEN count(CASE WHEN es_documento_ilegible THEN 1 END) > 0 THEN 'documento ilegible' END,
        CASE WHEN count(CASE WHEN es_estado_desconocido THEN 1 END) > 0 THEN 'estado desconocido' END,
        CASE WHEN count(CASE WHEN es_otro_estado THEN 1 END) > 0 THEN 'estado contradictorio' END
      ),
      ''
    )
  END AS nota
FROM declarados
WHERE es_sin_aceptar
  OR NOT se_conoce
GROUP BY rut, mes, declarado, es_sin_aceptar
ORDER BY 1, 2, 3, 5, 10
