import { inBoth } from '../text/language.ts';

/** What went wrong with a request to the API, and what to do next. */
const en = {
  once: () => 'asked once',
  times: (tries: number) => `asked ${tries} times`,

  tokenRefused: () => 'the API refused the token (status 401)',
  renewAndExport: () => 'Renew the token of this company, then export the missing days again.',
  renew: () => 'Renew the token of this company.',
  status: (status: number, times: string) => `the API answered status ${status} (${times})`,
  asksToWait: (minutes: number) => ` and asks to wait ${minutes} minutes`,
  noSuchReceipt: () => 'The company has no receipt with this id, or not in this direction.',
  mayNotRead: () => 'Check that the token may read this company, and that the API may be asked from here.',
  requestRefused: () => 'The request itself was refused: check the API address and the RUT.',
  exportWhenRecovered: () => 'Export this day again when the API has recovered.',
  waitUntilRecovered: () => 'Wait until the API has recovered.',
  checkAddressAndExport: () => 'Check the API address and the network, then export this day again.',
  checkAddress: () => 'Check the API address and the network.',
  noAnswer: (fault: string, times: string) => `no answer from the API: ${fault} (${times})`,
  refusing: (fault: string) => `not asked, because the API refuses all requests: ${fault}`,
  down: (fault: string) => `not asked, because the API is down: ${fault}`,
  silent: (fault: string) => `not asked, because the API has answered nothing so far: ${fault}`,
  unreadable: (fault: string, times: string) => `the API's answer could not be read: ${fault} (${times})`,
  changedAndExport: () =>
    'Check the API address, then export this day again; if it keeps failing, the API has changed.',
  changed: () => 'Check the API address; if it keeps failing, the API has changed.',
  answerIsNone: (fault: string, times: string) => `the API's answer is none: ${fault} (${times})`,
};

const es: typeof en = {
  once: () => 'se preguntó una vez',
  times: (tries) => `se preguntó ${tries} veces`,

  tokenRefused: () => 'la API rechazó el token (estado 401)',
  renewAndExport: () => 'Renueve el token de esta empresa y traiga otra vez los días que faltan.',
  renew: () => 'Renueve el token de esta empresa.',
  status: (status, times) => `la API respondió con el estado ${status} (${times})`,
  asksToWait: (minutes) => ` y pide esperar ${minutes} minutos`,
  noSuchReceipt: () => 'La empresa no tiene un comprobante con ese id, o no en esa lista.',
  mayNotRead: () => 'Revise que el token pueda leer esta empresa, y que se pueda llamar a la API desde aquí.',
  requestRefused: () => 'Se rechazó el pedido mismo: revise la dirección de la API y el RUT.',
  exportWhenRecovered: () => 'Traiga este día otra vez cuando la API se haya recuperado.',
  waitUntilRecovered: () => 'Espere a que la API se recupere.',
  checkAddressAndExport: () => 'Revise la dirección de la API y la red, y traiga este día otra vez.',
  checkAddress: () => 'Revise la dirección de la API y la red.',
  noAnswer: (fault, times) => `la API no respondió: ${fault} (${times})`,
  refusing: (fault) => `no se preguntó, porque la API rechaza todos los pedidos: ${fault}`,
  down: (fault) => `no se preguntó, porque la API no responde: ${fault}`,
  silent: (fault) => `no se preguntó, porque la API todavía no respondió nada: ${fault}`,
  unreadable: (fault, times) => `no se pudo leer la respuesta de la API: ${fault} (${times})`,
  changedAndExport: () =>
    'Revise la dirección de la API y traiga este día otra vez; si sigue fallando, la API cambió.',
  changed: () => 'Revise la dirección de la API; si sigue fallando, la API cambió.',
  answerIsNone: (fault, times) => `la respuesta de la API no sirve: ${fault} (${times})`,
};

export const API = inBoth(en, es);

/** Why a connection failed. */
const networkEn = {
  nothingListens: () => 'nothing listens at that address and port',
  noHost: () => 'there is no host of that name',
  noLookup: () => 'host names cannot be looked up now',
  closed: () => 'the connection was closed',
  failed: () => 'the connection failed',
  unreachable: () => 'the host cannot be reached',
  noNetwork: () => 'the network cannot be reached',
  timeLimit: () => 'the time limit passed',
  untrusted: () =>
    'its certificate is not signed by an authority that this machine trusts (NODE_EXTRA_CA_CERTS adds one)',
  expired: () => 'its certificate has expired',
};
const networkEs: typeof networkEn = {
  nothingListens: () => 'nadie atiende en esa dirección y puerto',
  noHost: () => 'no hay un servidor con ese nombre',
  noLookup: () => 'ahora no se puede buscar ningún nombre de servidor',
  closed: () => 'se cortó la conexión',
  failed: () => 'falló la conexión',
  unreachable: () => 'no se llega a ese servidor',
  noNetwork: () => 'no se llega a esa red',
  timeLimit: () => 'pasó el tiempo de espera',
  untrusted: () =>
    'su certificado no está firmado por una autoridad en la que confíe esta máquina (NODE_EXTRA_CA_CERTS agrega una)',
  expired: () => 'su certificado venció',
};
export const NETWORK = inBoth(networkEn, networkEs);
