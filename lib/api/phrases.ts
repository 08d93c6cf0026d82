import { inBoth } from '../text/language.ts';

/** What went wrong with a request to the API, and what to do next. */
const en = {
  once: () => 'asked once',
  times: (attempts: number) => `asked ${attempts} times`,

  tokenRefused: () => 'the API refused the token (status 401)',
  renewAndExport: () => 'Renew the token of this company, then export the missing days again.',
  renew: () => 'Renew the token of this company.',
  status: (status: number, times: string, minutes: number) =>
    `the API answered status ${status} (${times})${minutes > 1 ? ` and asks to wait ${minutes} minutes` : ''}`,
  noSuchReceipt: () => 'The company has no receipt with this id, or not in this direction.',
  mayNotRead: () => 'Check that the token may read this company, and that the API may be asked from here.',
  requestRefused: () => 'The request itself was refused: check the API address and the RUT.',
  exportWhenRecovered: () => 'Export this day again when the API has recovered.',
  waitUntilRecovered: () => 'Wait until the API has recovered.',
  checkAddressAndExport: () => 'Check the API address and the network, then export this day again.',
  checkAddress: () => 'Check the API address and the network.',
  noAnswer: (fault: string, times: string) => `no answer from the API: ${fault} (${times})`,
  notAsked: (state: 'refusing' | 'down' | 'silent', fault: string) =>
    `not asked, because the API ${STATES[state]}: ${fault}`,
  unreadable: (fault: string, times: string) => `the API's answer could not be read: ${fault} (${times})`,
  changedAndExport: () =>
    'Check the API address, then export this day again; if it keeps failing, the API has changed.',
  changed: () => 'Check the API address; if it keeps failing, the API has changed.',
  answerIsNone: (fault: string, times: string) => `the API's answer is none: ${fault} (${times})`,
};

const STATES = {
  refusing: 'refuses all requests',
  down: 'is down',
  silent: 'has answered nothing so far',
};

const es: typeof en = {
  once: () => 'se preguntó una vez',
  times: (attempts) => `se preguntó ${attempts} veces`,

  tokenRefused: () => 'la API rechazó el token (estado 401)',
  renewAndExport: () => 'Renueve el token de esta empresa y traiga otra vez los días que faltan.',
  renew: () => 'Renueve el token de esta empresa.',
  status: (status, times, minutes) =>
    `la API respondió con el estado ${status} (${times})${minutes > 1 ? ` y pide esperar ${minutes} minutos` : ''}`,
  noSuchReceipt: () => 'La empresa no tiene un comprobante con ese id, o no en esa lista.',
  mayNotRead: () => 'Revise que el token pueda leer esta empresa, y que se pueda llamar a la API desde aquí.',
  requestRefused: () => 'Se rechazó el pedido mismo: revise la dirección de la API y el RUT.',
  exportWhenRecovered: () => 'Traiga este día otra vez cuando la API se haya recuperado.',
  waitUntilRecovered: () => 'Espere a que la API se recupere.',
  checkAddressAndExport: () => 'Revise la dirección de la API y la red, y traiga este día otra vez.',
  checkAddress: () => 'Revise la dirección de la API y la red.',
  noAnswer: (fault, times) => `la API no respondió (${times}): ${fault}`,
  notAsked: (state, fault) =>
    `no se preguntó, porque la API ${{ refusing: 'rechaza todos los pedidos', down: 'no responde', silent: 'todavía no respondió nada' }[state]}: ${fault}`,
  unreadable: (fault, times) => `no se pudo leer la respuesta de la API (${times}): ${fault}`,
  changedAndExport: () =>
    'Revise la dirección de la API y traiga este día otra vez; si sigue fallando, la API cambió.',
  changed: () => 'Revise la dirección de la API; si sigue fallando, la API cambió.',
  answerIsNone: (fault, times) => `la respuesta de la API no sirve (${times}): ${fault}`,
};

export const API = inBoth(en, es);
