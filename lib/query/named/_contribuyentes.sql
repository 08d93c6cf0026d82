con_cifras AS (
  -- Without what is no digit: blanks, dots or dashes. Of that of the detail, where the list has nobody's.
  SELECT *, translate(documento_dicho, translate(documento_dicho, '0123456789', ''), '') AS cifras
  FROM (
    SELECT
      *,
      CASE
        WHEN letras_y_cifras IS NOT NULL THEN documento
        WHEN length(nro_doc_en_letras_y_cifras) = 12 THEN nro_doc_del_detalle
        ELSE coalesce(ruc_del_detalle, nro_doc_del_detalle, documento)
      END AS documento_dicho
    FROM leidos
  ) AS dichos
),
con_resto AS (
  SELECT
    *,
    -- 0 for the check digit of a RUT.
    mod(
      4 * TRY_CAST(substr(cifras, 1, 1) AS INTEGER)
        + 3 * TRY_CAST(substr(cifras, 2, 1) AS INTEGER)
        + 2 * TRY_CAST(substr(cifras, 3, 1) AS INTEGER)
        + 9 * TRY_CAST(substr(cifras, 4, 1) AS INTEGER)
        + 8 * TRY_CAST(substr(cifras, 5, 1) AS INTEGER)
        + 7 * TRY_CAST(substr(cifras, 6, 1) AS INTEGER)
        + 6 * TRY_CAST(substr(cifras, 7, 1) AS INTEGER)
        + 5 * TRY_CAST(substr(cifras, 8, 1) AS INTEGER)
        + 4 * TRY_CAST(substr(cifras, 9, 1) AS INTEGER)
        + 3 * TRY_CAST(substr(cifras, 10, 1) AS INTEGER)
        + 2 * TRY_CAST(substr(cifras, 11, 1) AS INTEGER)
        + TRY_CAST(substr(cifras, 12, 1) AS INTEGER),
      11
    ) AS resto
  FROM con_cifras
),
con_forma AS (
  SELECT
    *,
    -- 11 digits have lost their leading zero.
    coalesce(
      length(cifras) IN (11, 12)
        AND translate(cifras, '0', '') <> ''
        AND lower(documento) = upper(documento),
      false
    ) AS tiene_cifras_de_rut,
    coalesce(
      length(cifras) = 12
        AND substr(cifras, 1, 2) BETWEEN '01' AND '22'
        AND substr(cifras, 3, 6) <> '000000'
        AND substr(cifras, 9, 3) = '001'
        AND resto = 0,
      false
    ) AS tiene_forma_de_rut,
    -- Any other says nothing.
    coalesce(tipo_documento IN ('1', '2', '3', '4', '5', '6', '7'), false) AS se_conoce_tipo
  FROM con_resto
),
con_rut AS (
  SELECT
    *,
    CASE
      WHEN tipo_documento = '2' THEN tiene_cifras_de_rut
      WHEN se_conoce_tipo THEN false
      ELSE tiene_forma_de_rut AND coalesce(documento = cifras, false)
    END AS es_contribuyente
  FROM con_forma
),
contrapartes AS (
  SELECT
    *,
    -- Nobody can tell whether it is a RUT, or which. Who issued a received receipt has one, and to whom an e-Factura
    -- was issued (DGI's format of CFE).
    NOT es_contribuyente
      AND (
        -- Its whole name would have the other table read.
        direccion LIKE 'r%'
        OR coalesce(mod(tipo_comprobante, 100) IN (11, 12, 13, 41, 42, 43), false)
        OR coalesce(tipo_documento = '2', false)
        OR (
          NOT se_conoce_tipo
          AND (
            es_documento_sin_texto
            OR tiene_forma_de_rut
            OR coalesce(tipo_documento <> '' AND documento <> '', false)
          )
        )
      ) AS es_documento_ilegible
  FROM con_rut
),
contribuyentes AS (
  SELECT *
  FROM contrapartes
  WHERE es_contribuyente
),
