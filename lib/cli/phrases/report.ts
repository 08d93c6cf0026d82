import { inBoth } from '../../text/language.ts';
import { counted } from '../../text/spanish.ts';
import { plural } from '../../text/terminal.ts';

const en = {
  rut: () => 'the company; without it, all that were exported of that month, and those of --companies',
  month: () => 'the month, by issue date',
  html: () => 'write it as one page; of all companies, a folder of pages',
  xlsx: () => 'write it as a workbook, one sheet per part',
  close: () => 'the folder of closes: compare with what the newest one of each company declared',
  companies: () => 'JSON file to take companies and their names from; tokens are not used',
  whichMonth: () => 'Which month? Give --month YYYY-MM.',
  inTheFuture: (month: string, today: string) =>
    `${month} is in the future: today is ${today} in Uruguay. Ask again when the month has begun.`,
  folderOfPages: (folder: string) =>
    `Without --rut, a page of each company is written: name a folder for them, --html ${folder}, or the company, --rut RUT.`,
  wrote: (file: string, content: string) => `Wrote ${file}: ${content}`,
  wrotePages: (file: string, count: number) => `Wrote ${file} and ${plural(count, 'page')}.`,
  sheets: (count: number) => `${plural(count, 'sheet')} and the notes`,
  companyCount: (count: number) => plural(count, 'company', 'companies'),
};

const es: typeof en = {
  rut: () => 'la empresa; sin ella, todas las que tienen algo de ese mes, y las de --empresas',
  month: () => 'el mes, por fecha de emisión',
  html: () => 'lo escribe como una página; de todas las empresas, una carpeta de páginas',
  xlsx: () => 'lo escribe como planilla, con una hoja por parte',
  close: () => 'la carpeta de los cierres: compara con lo que declaró el último de cada empresa',
  companies: () => 'archivo JSON de donde se toman empresas y nombres; los tokens no se usan',
  whichMonth: () => '¿Qué mes? Dé --mes AAAA-MM.',
  inTheFuture: (month, today) =>
    `${month} es futuro: hoy es ${today} en Uruguay. Pregunte cuando el mes haya empezado.`,
  folderOfPages: (folder) =>
    `Sin --rut se escribe una página por empresa: nombre una carpeta para ellas, --html ${folder}, o la empresa, --rut RUT.`,
  wrote: (file, content) => `Se escribió ${file}: ${content}`,
  wrotePages: (file, count) => `Se escribieron ${file} y ${counted(count, ['página', 'páginas'])}.`,
  sheets: (count) => `${counted(count, ['hoja', 'hojas'])} y las notas`,
  companyCount: (count) => counted(count, ['empresa', 'empresas']),
};

export const SAY = inBoth(en, es);
