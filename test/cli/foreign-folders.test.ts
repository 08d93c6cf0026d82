import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../support/lake/lake-folder.ts';
import { runMain } from '../support/program/run-main.ts';
import { becomeAnother, giveAway } from '../support/system/another-user.ts';

let home: string;
let link: string;
let rates: string;
beforeEach(() => {
  home = newFolder();
  link = join(newFolder(), 'paginas');
  rates = join(newFolder(), 'rates.csv');
  writeFileSync(rates, 'fecha;moneda;valor\n2026-10-01;USD;40,5\n');
});

const MONTH = ['--month', '2026-10', '--lake', 'LAKE'];
const WRITERS = {
  rates: ['RATES', '--lake'],
  report: [...MONTH, '--html'],
  close: [...MONTH, '--out'],
  'close for a client': [...MONTH, '--out', 'LAKE', '--for-client'],
  sandbox: ['--lists'],
};

describe.skipIf(process.platform === 'win32')('another user who chooses where is written', () => {
  it.each(Object.entries(WRITERS))('by a link in a shared folder is refused: %s', async (name, words) => {
    symlinkSync(home, link);
    giveAway(link);
    becomeAnother();
    const [command = ''] = name.split(' ');
    const lake = newFolder();
    const all = [command, ...words, link].map((word) => ({ LAKE: lake, RATES: rates })[word] ?? word);
    expect(await runMain(...all)).toEqual({
      code: 2,
      stdout: '',
      stderr: `cfe-lake: ${link} is a link of another user, so nothing is written through it. Remove it, or name the folder that you mean: the one that it leads to, if you want that.\n`,
    });
    expect(await runMain(...all, '--lang', 'es')).toEqual({
      code: 2,
      stdout: '',
      stderr: `cfe-lake: ${link} es un enlace de otro usuario, así que no se escribe nada a través de él. Quítelo, o nombre la carpeta que quiere: aquella a la que lleva, si es esa.\n`,
    });
    expect(readdirSync(home)).toEqual([]);
  });

  it('as the owner of the lake’s folder is refused', async () => {
    giveAway(home);
    becomeAnother();
    expect(await runMain('rates', rates, '--lake', home)).toMatchObject({
      code: 2,
      stderr: `cfe-lake: ${home} belongs to another user, who could change what is written there, so nothing is. Name another folder. In one that you share with others name a new one, which will be yours.\n`,
    });
    expect(await runMain('rates', rates, '--lake', home, '--lang', 'es')).toMatchObject({
      code: 2,
      stderr: `cfe-lake: ${home} es de otro usuario, que podría cambiar lo que se escriba ahí, así que no se escribe nada. Nombre otra carpeta. En una que comparte con otros nombre una nueva, que será suya.\n`,
    });
    expect(readdirSync(home)).toEqual([]);
  });
});
