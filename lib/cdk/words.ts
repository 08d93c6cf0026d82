/** The words after `npm run deploy --`: CDK's own, of which a few matter before CDK is called. */
export interface CdkWords {
  /** What CDK is given, as it was typed. */
  words: readonly string[];
  /** Settings for this one time, `-c name=value`; later ones win, as in CDK. */
  context: Readonly<Record<string, string>>;
  profile: string | undefined;
  region: string | undefined;
  toolkitStackName: string;
  /** Changes that are meant, whatever they mean; ours, not CDK's. */
  accepted: readonly string[];
}

const DEFAULT_TOOLKIT_STACK = 'CDKToolkit';

/** Takes the words apart as CDK does: `-c a=b`, `-ca=b`, `--context a=b`, `--context=a=b`. */
export function readCdkWords(words: readonly string[]): CdkWords {
  const context: Record<string, string> = {};
  for (const pair of valuesOf(words, '--context', '-c')) {
    const equals = pair.indexOf('=');
    if (equals > 0) context[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  return {
    words: words.filter((word, index) => !/^--accept(=|$)/.test(word) && words[index - 1] !== '--accept'),
    context,
    profile: valuesOf(words, '--profile').at(-1),
    region: valuesOf(words, '--region').at(-1),
    toolkitStackName: valuesOf(words, '--toolkit-stack-name').at(-1) ?? DEFAULT_TOOLKIT_STACK,
    accepted: valuesOf(words, '--accept'),
  };
}

/** Every value that an option is given. */
function valuesOf(words: readonly string[], option: string, letter?: string): string[] {
  return words.flatMap((word, index) => {
    if (word === option || word === letter) return words[index + 1] ?? [];
    if (word.startsWith(`${option}=`)) return word.slice(option.length + 1);
    if (letter !== undefined && word.startsWith(letter) && !word.startsWith('--'))
      return word.slice(letter.length);
    return [];
  });
}

/** The environment in which the words are meant: for CDK and for what is asked before it alike. */
export function environmentOf(
  { profile, region }: Pick<CdkWords, 'profile' | 'region'>,
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  // CDK and the AWS CLI know AWS_DEFAULT_REGION, the SDK does not: all must mean the same region.
  const AWS_REGION = region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
  return {
    ...environment,
    ...(AWS_REGION !== undefined && { AWS_REGION }),
    ...(profile !== undefined && { AWS_PROFILE: profile }),
  };
}
