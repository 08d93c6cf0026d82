import { inBoth } from '../../text/language.ts';

const en = {
  refusedInAws: (problem: string) =>
    `On this machine the login has no such limit; a stack in AWS would refuse it: it ${problem}.`,
};

const es: typeof en = {
  refusedInAws: (problem) =>
    `En esta máquina el inicio de sesión no tiene ese límite; una instalación en AWS lo rechazaría: ${problem}.`,
};

export const COMPANIES = inBoth(en, es);
