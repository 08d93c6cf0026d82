con_resto AS (
  SELECT
    *,
    -- 0 for the check digit of a RUT.
    mod(
      4 * TRY_CAST(substr(documento, 1, 1) AS INTEGER)
        + 3 * TRY_CAST(substr(documento, 2, 1) AS INTEGER)
        + 2 * TRY_CAST(substr(documento, 3, 1) AS INTEGER)
        + 9 * TRY_CAST(substr(documento, 4, 1) AS INTEGER)
        + 8 * TRY_CAST(substr(documento, 5, 1) AS INTEGER)
        + 7 * TRY_CAST(substr(documento, 6, 1) AS INTEGER)
        + 6 * TRY_CAST(substr(documento, 7, 1) AS INTEGER)
        + 5 * TRY_CAST(substr(documento, 8, 1) AS INTEGER)
        + 4 * TRY_CAST(substr(documento, 9, 1) AS INTEGER)
        + 3 * TRY_CAST(substr(documento, 10, 1) AS INTEGER)
        + 2 * TRY_CAST(substr(documento, 11, 1) AS INTEGER)
        + TRY_CAST(substr(documento, 12, 1) AS INTEGER),
      11
    ) AS resto
  FROM leidos
),
contribuyentes AS (
  SELECT *
  FROM con_resto
  WHERE CASE
    WHEN tipo_documento IS NOT NULL THEN tipo_documento = '2'
    ELSE length(documento) = 12
      AND translate(documento, '0123456789', '') = ''
      AND substr(documento, 1, 2) BETWEEN '01' AND '22'
      AND substr(documento, 3, 6) <> '000000'
      AND substr(documento, 9, 3) = '001'
      AND resto = 0
  END
),
