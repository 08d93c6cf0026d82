import { describe, expect, it } from 'vitest';
import { assertReceiptSucceeded, FailedAnswerError, readEnvelope } from '../../lib/api/envelope.ts';
import { isJsonObject, parseExactJson } from '../../lib/text/exact-json.ts';

const KNOWN = new Set(['items', 'page_number', 'page_size']);

function envelopeOf(members: string) {
  const body = parseExactJson(`{"items": [], "page_number": 1, "page_size": 0, ${members}}`);
  if (!isJsonObject(body)) throw new TypeError('not an object');
  return readEnvelope(body, KNOWN);
}

function failure(members: string): string {
  try {
    return `no failure: ${JSON.stringify(envelopeOf(members))}`;
  } catch (error) {
    if (!(error instanceof FailedAnswerError)) throw error;
    return error.message;
  }
}

describe('a member that says error or failure', () => {
  it.each([
    ['"success": false, "error": "timeout reading the shard"', '`success`, `error`'],
    ['"Success": "false"', '`Success`'],
    ['"issuccess": false', '`issuccess`'],
    ['"was_successful": 0', '`was_successful`'],
    ['"OK": "no"', '`OK`'],
    ['"éxito": false', '`?xito`'],
    ['"status": "error"', '`status`'],
    ['"Status": "503"', '`Status`'],
    ['"status": "FAILED"', '`status`'],
    ['"status": false', '`status`'],
    ['"state": "SHARD_TIMEOUT"', '`state`'],
    ['"error": true', '`error`'],
    ['"has_errors": 1', '`has_errors`'],
    ['"Error": {"code": "E1", "detail": null}', '`Error.code`'],
    ['"errors": [{"field": "FechaDesde"}]', '`errors.field`'],
    ['"errorCode": "E17"', '`errorCode`'],
    ['"CodigoError": "E3"', '`CodigoError`'],
    ['"errores": ["sin conexion"]', '`errores`'],
    ['"excepción": "X"', '`excepci?n`'],
    ['"fault": {"faultstring": "x"}', '`fault.faultstring`'],
    ['"timed_out": true', '`timed_out`'],
    ['"_shards": {"total_of": 1, "failed": 1}', '`_shards.failed`'],
    ['"message": "Could not read the shard"', '`message`'],
    ['"message": "upstream unavailable", "code": 12', '`message`'],
    ['"mensaje": "No se pudo leer la partición"', '`mensaje`'],
    ['"Mensaje": "Servicio no disponible"', '`Mensaje`'],
    ['"resultado": "ERROR"', '`resultado`'],
    ['"resultado": {"estado": "fallido"}', '`resultado.estado`'],
    ['"meta": {"response": {"status": {"code": 500}}}', '`meta.response.status.code`'],
    ['"meta": {"errors": [{"message": "x"}]}', '`meta.errors.message`'],
    ['"warnings": ["shard 3 failed"]', '`warnings`'],
  ])('%s', (members, names) => {
    expect(failure(members)).toContain(`(${names})`);
  });

  it('is not one whose value says that all is well', () => {
    for (const members of [
      '"error": null, "errors": [], "success": true, "message": "", "exception": {}',
      '"error": false, "errorCode": 0, "error_code": "00", "hasErrors": false, "errors": 0',
      '"error": {"code": 0, "message": ""}, "fault": "", "codigo_error": "0"',
      '"error": "none", "errores": "sin errores"',
      '"status": "ok", "code": 200, "resultado": "OK", "mensaje": "Consulta exitosa"',
      '"status": 200, "statusCode": "200", "code": "00", "message": "Success"',
      '"ok": 1, "isSuccess": "true", "Exito": true, "state": "COMPLETED"',
      '"meta": {"error": null, "status": {"code": 0, "message": "OK"}}',
    ]) {
      expect(envelopeOf(members), members).toMatchObject({ goesOn: [], totals: [], unknown: [] });
    }
  });
});

describe('a member that says that the list goes on', () => {
  it.each([
    ['"istruncated": true', ['istruncated']],
    ['"truncated": "true"', ['truncated']],
    ['"IS_TRUNCATED": 1', ['IS_TRUNCATED']],
    ['"HasMoreItems": true', ['HasMoreItems']],
    ['"hasNextPage": true', ['hasNextPage']],
    ['"next": "/v2/x?page=2"', ['next']],
    ['"next_page_token": "QX"', ['next_page_token']],
    ['"@odata.nextLink": "https://x"', ['?odata.nextLink']],
    ['"continuationToken": "QX"', ['continuationToken']],
    ['"cursor": "QX"', ['cursor']],
    ['"links": {"self": "/x", "prev": null, "next": "/y"}', ['links.next']],
    ['"links": [{"rel": "next", "href": "/y"}]', ['links.rel']],
    ['"meta": {"paging": {"next": {"href": "/y"}}}', ['meta.paging.next.href']],
    ['"isLastPage": false', ['isLastPage']],
    ['"complete": false', ['complete']],
    ['"partial": true', ['partial']],
    ['"status": "partial"', ['status']],
    ['"warning": "Resultado truncado"', ['warning']],
    ['"hay_mas": true', ['hay_mas']],
    ['"limitExceeded": true', ['limitExceeded']],
  ])('%s', (members, names) => {
    expect(envelopeOf(members)?.goesOn).toEqual(names);
  });

  it('is not one whose value says that it ends', () => {
    for (const members of [
      '"isTruncated": false, "hasMore": "false", "next": null, "nextPage": 0, "cursor": ""',
      '"last": true, "complete": true, "pagination": {"next": null, "has_more": false}',
      '"links": {"next": null}, "nextPageToken": "", "partial": false, "nextPage": -1',
    ]) {
      expect(envelopeOf(members), members).toMatchObject({ goesOn: [], totals: [], unknown: [] });
    }
  });
});

it.each([
  ['"total": 3', { name: 'total', count: 3, counted: 'rows' }],
  ['"total_count": "3"', { name: 'total_count', count: 3, counted: 'rows' }],
  ['"totalElements": 3', { name: 'totalElements', count: 3, counted: 'rows' }],
  ['"hits": {"total": {"value": 3}}', { name: 'hits.total.value', count: 3, counted: 'rows' }],
  ['"cantidad": 3', { name: 'cantidad', count: 3, counted: 'rowsOrPage' }],
  ['"count": 3', { name: 'count', count: 3, counted: 'rowsOrPage' }],
  ['"total_pages": 3', { name: 'total_pages', count: 3, counted: 'pages' }],
  ['"page_count": 3', { name: 'page_count', count: 3, counted: 'pages' }],
  ['"pages": 3', { name: 'pages', count: 3, counted: 'pages' }],
  ['"last_page": 3', { name: 'last_page', count: 3, counted: 'pages' }],
  ['"total_paginas": 3', { name: 'total_paginas', count: 3, counted: 'pages' }],
  ['"pagination": {"total": 3}', { name: 'pagination.total', count: 3, counted: 'rows' }],
])('a member that counts: %s', (members, total) => {
  expect(envelopeOf(members)).toMatchObject({ goesOn: [], totals: [total], unknown: [] });
});

it('calls all other members unknown, and has no evidence of them', () => {
  const members =
    '"request_id": "a1", "took": 5, "total_amount": 12.5, "meta": {"version": "2"}, "next_update": "2026-10-16", ' +
    '"rateLimit": {"remaining": 59}, "moreInfo": "https://x", "status": "AE", "default": "x", "tags": ["a"], ' +
    '"remaining": 3, "code": 17, "sinErrores": true, "request_count": 5, "last": 3, "no_more": true';
  const unknown = [
    'request_id',
    'took',
    'total_amount',
    'meta.version',
    'next_update',
    'rateLimit.remaining',
  ];
  expect(envelopeOf(members)).toMatchObject({
    goesOn: [],
    totals: [],
    unknown: [
      ...unknown,
      'moreInfo',
      'status',
      'default',
      'tags',
      'remaining',
      'code',
      'sinErrores',
      'request_count',
      'last',
      'no_more',
    ],
  });
});

it('judges a receipt by names that leave no doubt only', () => {
  const receipt = { id: 1, estado: { error: 'E06' }, mensaje: 'error', codigo: 500, status: 'failed' };
  assertReceiptSucceeded(receipt);
  for (const member of [{ success: false }, { error: 'x' }, { isSuccess: 0 }, { exception: { a: 1 } }])
    expect(() => assertReceiptSucceeded({ ...receipt, ...member })).toThrow(FailedAnswerError);
});

it('a name that can be parted into words in a billion ways is judged once', () => {
  expect(envelopeOf(`"${'limiteof'.repeat(24)}x": 1`)?.unknown).toHaveLength(1);
  expect(envelopeOf(`"${'limiteof'.repeat(24)}": false`)?.goesOn).toHaveLength(1);
});
