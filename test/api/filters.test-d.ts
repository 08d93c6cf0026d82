// Compile-time only, checked by tsc: each direction takes its own filters. filters.test.ts compares them with openapi.yaml.
import { toLegacyQuery, toQuery } from '../../lib/api/filters.ts';

toQuery('recibidos', { Emisor: ['a'], Estado: ['AE'] });
// @ts-expect-error Receptor is a filter of the issued list only
toQuery('recibidos', { Receptor: ['a'] });
// @ts-expect-error the issued list has no Estado
toQuery('emitidos', { Estado: ['AE'] });
// @ts-expect-error names are case-sensitive
toQuery('emitidos', { fechaDesde: '2026-11-19' });
// @ts-expect-error v2 replaced EstadoEmisor by Estado
toQuery('recibidos', { EstadoEmisor: ['AE'] });
// @ts-expect-error types are integers
toQuery('recibidos', { TipoComprobante: ['111'] });
toLegacyQuery('recibidos', { EstadoEmisor: ['AE'] });
