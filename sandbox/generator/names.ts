import { mix, pick } from './hash.ts';

/** Invented names of companies, people and places, with the accents, quotes and scripts that real ones have. */

function list(text: string): string[] {
  return text.split(';').map((name) => name.trim());
}

const TRADES = list(`
  Almacén; Panadería; Ferretería; Farmacia; Librería; Distribuidora; Importadora; Transportes;
  Estancia; Barraca; Carnicería; Óptica; Tambo; Viñedos; Imprenta; Textil; Lácteos; Curtiembre;
  Agropecuaria; Servicios
`);

const PROPER = list(`
  Ñandubay; El Ombú; La Coronilla; Arazatí; Cuchilla Alta; Tacuarembó Chico; Yaguarí; Los Ceibos;
  Piedra Sola; Güemes; del Cerro; San Fructuoso; “La Esquina”; O'Neill; Mar Dulce; Río Negro;
  Zapicán; Tres Árboles; Pão de Açúcar; Sauce Solo; Hnos. Etchegaray; Peñarol Viejo; Costa Azul;
  Yí & Cía.
`);

const FORMS = ['S.A.', 'S.R.L.', 'Ltda.', 'S.A.S.', 'y Cía.', ''] as const;

const FOREIGN = list(`
  Kraus & Söhne GmbH; Łódzkie Zakłady Sp. z o.o.; Comércio de Grãos São João Ltda; 東京食品株式会社;
  Naturprodukte Zürich AG; Smith "Northern" Imports\\Exports Inc.; Société Générale du Bœuf;
  Müşteri Gıda A.Ş. 🐄
`);

const FIRST_NAMES = list(`
  Ana; José; María Belén; Íñigo; Lucía; Ramón; Begoña; Martín; Zoë; Raúl
`);
const LAST_NAMES = list(`
  Núñez; Peña; Ibáñez; da Silva; Güida; Etcheverry; Olivera; Bálsamo; D'Andrea; Yáñez
`);

const STREETS = list(`
  18 de Julio; Av. Artigas; Bvar. España; Camino de los Álamos; Ruta 5 km; Zorrilla
`);
const TOWNS = [
  ['Montevideo', 'Montevideo'],
  ['Paysandú', 'Paysandú'],
  ['Salto', 'Salto'],
  ['San José de Mayo', 'San José'],
  ['Young', 'Río Negro'],
  ['Treinta y Tres', 'Treinta y Tres'],
  ['Melo', 'Cerro Largo'],
] as const;

export function companyName(hash: number): string {
  return `${pick(TRADES, hash)} ${pick(PROPER, mix(hash, 1))} ${pick(FORMS, mix(hash, 2))}`.trimEnd();
}

export function foreignName(hash: number): string {
  return pick(FOREIGN, hash);
}

export function personName(hash: number): string {
  return `${pick(FIRST_NAMES, hash)} ${pick(LAST_NAMES, mix(hash, 1))} ${pick(LAST_NAMES, mix(hash, 2))}`;
}

export function addressOf(hash: number): { address: string; city: string; department: string } {
  const [city, department] = pick(TOWNS, mix(hash, 4));
  return { address: `${pick(STREETS, mix(hash, 3))} ${100 + (hash % 4900)}`, city, department };
}
