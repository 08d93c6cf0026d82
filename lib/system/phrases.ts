import { inBoth } from '../text/language.ts';

/** Why the operating system refused a file, by its error's code: the end of a sentence. */
const reasonsEn = {
  ENOSPC: () => 'the disk is full',
  EDQUOT: () => 'your disk quota is used up',
  EFBIG: () => 'the file is larger than your limit',
  EACCES: () => 'permission is denied',
  EPERM: () => 'permission is denied',
  EROFS: () => 'the disk is read-only',
  ENOTDIR: () => 'a file stands where a folder should',
  EISDIR: () => 'it is a folder, not a file',
  EEXIST: () => 'a file stands where a folder should',
  ENOENT: () => 'there is no such file or folder',
  ELOOP: () => 'its links lead in a circle',
  EBUSY: () => 'it is in use',
  ERR_SYSTEM_ERROR: () => 'this user has no entry on this machine',
  EMFILE: () => 'too many files are open',
  ENFILE: () => 'too many files are open',
  EIO: () => 'the disk failed',
};
const reasonsEs: typeof reasonsEn = {
  ENOSPC: () => 'el disco está lleno',
  EDQUOT: () => 'se agotó su cuota de disco',
  EFBIG: () => 'el archivo supera su límite',
  EACCES: () => 'no hay permiso',
  EPERM: () => 'no hay permiso',
  EROFS: () => 'el disco es de solo lectura',
  ENOTDIR: () => 'hay un archivo donde debería haber una carpeta',
  EISDIR: () => 'es una carpeta, no un archivo',
  EEXIST: () => 'hay un archivo donde debería haber una carpeta',
  ENOENT: () => 'no existe ese archivo o carpeta',
  ELOOP: () => 'sus enlaces dan vueltas',
  EBUSY: () => 'está en uso',
  ERR_SYSTEM_ERROR: () => 'este usuario no tiene entrada en esta máquina',
  EMFILE: () => 'hay demasiados archivos abiertos',
  ENFILE: () => 'hay demasiados archivos abiertos',
  EIO: () => 'falló el disco',
};

/** What to do then: a sentence without its full stop. */
const adviceEn: typeof reasonsEn = {
  ENOSPC: () => 'Free some space there, or choose another place, and try again',
  EDQUOT: () => 'Free some space there and try again',
  EFBIG: () => 'Raise the limit (ulimit -f) and try again',
  EACCES: () => 'Change its permissions, or choose another place',
  EPERM: () => 'Change its permissions, or choose another place',
  EROFS: () => 'Choose another place',
  ENOTDIR: () => 'Choose another place',
  EISDIR: () => 'Choose another place',
  EEXIST: () => 'Choose another place',
  ENOENT: () => 'Check its name',
  ELOOP: () => 'Choose another place',
  EBUSY: () => 'Close what uses it, or mount its folder rather than the file',
  ERR_SYSTEM_ERROR: () => 'Name a folder of yours in HOME',
  EMFILE: () => 'Raise the limit (ulimit -n 4096) and try again',
  ENFILE: () => 'Close other programs and try again',
  EIO: () => 'Check the disk, then try again',
};
const adviceEs: typeof reasonsEn = {
  ENOSPC: () => 'Libere espacio ahí, o elija otro lugar, y pruebe otra vez',
  EDQUOT: () => 'Libere espacio ahí y pruebe otra vez',
  EFBIG: () => 'Suba el límite (ulimit -f) y pruebe otra vez',
  EACCES: () => 'Cambie sus permisos, o elija otro lugar',
  EPERM: () => 'Cambie sus permisos, o elija otro lugar',
  EROFS: () => 'Elija otro lugar',
  ENOTDIR: () => 'Elija otro lugar',
  EISDIR: () => 'Elija otro lugar',
  EEXIST: () => 'Elija otro lugar',
  ENOENT: () => 'Revise su nombre',
  ELOOP: () => 'Elija otro lugar',
  EBUSY: () => 'Cierre lo que lo usa, o monte su carpeta en vez del archivo',
  ERR_SYSTEM_ERROR: () => 'Nombre en HOME una carpeta suya',
  EMFILE: () => 'Suba el límite (ulimit -n 4096) y pruebe otra vez',
  ENFILE: () => 'Cierre otros programas y pruebe otra vez',
  EIO: () => 'Revise el disco y pruebe otra vez',
};

export const REASONS = inBoth(reasonsEn, reasonsEs);
export const ADVICE = inBoth(adviceEn, adviceEs);

const filesEn = {
  notUtf8Name: () => 'Its name seems not to be in UTF-8, and nothing here can open it: rename it first',
  ofAnother: (path: string) => `${path} belongs to another user, ${filesEn.notUsed()}`,
  openToOthers: (path: string, mode: string) =>
    `Other users may write ${path} (mode ${mode}), ${filesEn.notUsed()}`,
  notUsed: () => 'so it is not used: it says which secrets are sent where.',
  mend: (command: string) => `If what is in it is yours, run: ${command}`,
  folderOpen: (folder: string, mode: string) =>
    `${folder} may be written by others (mode ${mode}), so it is not used.`,
  beginElsewhere: () =>
    'If it is yours alone, take the permission away (chmod go-w); else begin in a new folder in your home.',
  beginInHome: () => 'Begin in a new folder in your home.',
  linkInLake: (path: string) =>
    `${path} is a link, which may lead into another lake, so nothing is read or written through it.`,
  removeLink: () => 'Remove it, and put the folder itself there if you want what it leads to.',
  linkOfAnother: (path: string) => `${path} is a link of another user, so nothing is written through it.`,
  nameFolderItself: () =>
    'Remove it, or name the folder that you mean: the one that it leads to, if you want that.',
  folderOfAnother: (path: string) =>
    `${path} belongs to another user, who could change what is written there, so nothing is.`,
  removeOrShare: () =>
    'Name another folder. In one that you share with others name a new one, which will be yours.',
  notReplaced: (path: string, why: string) => `${path} could not be replaced: ${why}.`,
  leftBeside: (part: string) => `What it should hold is in ${part}, which the next start takes up.`,
  keptNowhere: () => 'What it should hold could be kept nowhere, and is lost: write anew what was in it.',
};
const filesEs: typeof filesEn = {
  notUtf8Name: () =>
    'Parece que su nombre no está en UTF-8, y así no se puede abrir: cámbiele antes el nombre',
  ofAnother: (path) => `${path} es de otro usuario, ${filesEs.notUsed()}`,
  openToOthers: (path, mode) => `Otros usuarios pueden escribir ${path} (modo ${mode}), ${filesEs.notUsed()}`,
  notUsed: () => 'así que no se usa: dice qué secretos se envían adónde.',
  mend: (command) => `Si lo que tiene es suyo, ejecute: ${command}`,
  folderOpen: (folder, mode) => `Otros pueden escribir en ${folder} (modo ${mode}), así que no se usa.`,
  beginElsewhere: () =>
    'Si es solo suya, quite ese permiso (chmod go-w); si no, empiece en una carpeta nueva de su directorio personal.',
  beginInHome: () => 'Empiece en una carpeta nueva de su directorio personal.',
  linkInLake: (path) =>
    `${path} es un enlace, que puede llevar a otro lago, así que no se lee ni se escribe nada a través de él.`,
  removeLink: () => 'Quítelo, y ponga ahí la carpeta misma si quiere aquello a lo que lleva.',
  linkOfAnother: (path) => `${path} es un enlace de otro usuario, así que no se escribe nada a través de él.`,
  nameFolderItself: () => 'Quítelo, o nombre la carpeta que quiere: aquella a la que lleva, si es esa.',
  folderOfAnother: (path) =>
    `${path} es de otro usuario, que podría cambiar lo que se escriba ahí, así que no se escribe nada.`,
  removeOrShare: () => 'Nombre otra carpeta. En una que comparte con otros nombre una nueva, que será suya.',
  notReplaced: (path, why) => `No se pudo reemplazar ${path}: ${why}.`,
  leftBeside: (part) => `Lo que debe tener está en ${part}, y la próxima vez se retoma.`,
  keptNowhere: () =>
    'Lo que debe tener no se pudo guardar en ningún lado y se perdió: escriba de nuevo lo que tenía.',
};

export const FILES = inBoth(filesEn, filesEs);
