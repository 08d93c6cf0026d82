import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/lake/lake-folder.ts';
import { englishNameIn, foreignWordsIn } from '../support/program/one-language.ts';
import { runLine } from '../support/program/run-main.ts';

const OFFICE = 'export missing coverage verify query report close reconcile rates companies init'.split(' ');

describe('a line with --lang es', () => {
  it('explains each command of an office in Spanish alone, and in English without it', async () => {
    for (const name of OFFICE) {
      for (const language of ['es', 'en'] as const) {
        const { stdout } = await runLine(`${name} --help --lang ${language}`);
        expect(foreignWordsIn(stdout, language), `${name} ${stdout}`).toBeUndefined();
        if (language === 'es')
          expect(englishNameIn(stdout.replace(/^ {2}rates /m, '')), `${name} ${stdout}`).toBeUndefined();
      }
    }
  });

  it('has the help in Spanish, with the Spanish names of commands', async () => {
    const { stdout } = await runLine('ayuda --lang es');
    expect(stdout).toMatch(/^Uso: .*\nComandos:\n.* report\|informe {2,}Informa sobre un mes/s);
    expect((await runLine('informe --ayuda --lang=es')).stdout).toContain('\nEjemplos:\n');
  });

  it('takes the Spanish names of commands and options, in either language', async () => {
    const spanish = await runLine('informe --mes 2026-13');
    expect(spanish).toEqual(await runLine('report --month=2026-13'));
    expect(spanish.code).toBe(2);
  });

  it('is refused for a language that nobody translated', async () => {
    expect(await runLine('export --lang fr')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('en or es'),
    });
  });

  it('is Spanish throughout, from an export to what is still missing', async () => {
    const lake = await newFolder();
    const exported = await runLine(
      `exportar --sandbox --lake ${lake} --fecha 2026-11-20 --rut 219999830019 --lang es`,
    );
    expect(exported.code).toBe(0);
    expect(exported.stderr).toMatch(
      /^PRÁCTICA: .*\n.* comprobantes hasta ahora · 2026-11-20 \w+ de 219999830019\n/,
    );
    expect(exported.stdout).toMatch(/^rut +empresa +lista +.*comprobantes/);
    expect(exported.stdout).toContain(`-- consultar --lake ${lake} "SELECT`);
    const line = `faltan --sandbox --lake ${lake} --desde 2026-11-20 --hasta 2026-11-21 --rut 219999830019 --lang es`;
    const { code, stdout } = await runLine(line);
    expect(code).toBe(1);
    expect(stdout).toContain('\nFaltan 2 de 4 días (por empresa y lista) del 2026-11-20 al 2026-11-21, en ');
    expect(stdout).toMatch(/^rut +empresa +lista +nunca traídos +.*días\n/);
    expect(stdout).toMatch(/\n {2}npm run .*-- faltan --desde 2026-11-20 --hasta 2026-11-21 .* --export\n/);
  });
});
