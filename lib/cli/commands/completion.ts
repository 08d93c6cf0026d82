import { PROGRAM, PROGRAM_FILE } from '../../program.ts';
import { shellQuoted } from '../../text/terminal.ts';
import { type Command, defineCommand, type ListedCommand } from '../command.ts';
import { COMMON_OPTIONS, type Option } from '../option.ts';

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** The program's command line if `cfe-lake` is not installed. */
const COMMAND_LINE = [process.execPath, '--max-semi-space-size=8', PROGRAM_FILE].map(shellQuoted).join(' ');

/** Takes the commands that it completes, of which it is one. */
export function completionCommand(allCommands: () => Promise<readonly ListedCommand[]>): Command {
  return defineCommand({
    name: 'completion',
    argument: Object.keys(SHELLS).join('|'),
    argumentChoices: Object.keys(SHELLS),
    options: {},
    examples: ['completion bash', 'completion zsh > ~/.cfe-lake.zsh'],
    notes: [
      `In bash and zsh:  source <(${PROGRAM} completion bash)`,
      `In fish:          ${PROGRAM} completion fish | source`,
      'From then on, cfe-lake runs this program in every folder. To have it in every',
      "terminal, write the script to a file and source that in your shell's start-up file.",
    ],
    run: async (_options, [shell = ''], terminal) => {
      terminal.stdout.write(SHELLS[shell]?.(completedCommands(await allCommands())) ?? '');
      return 0;
    },
  });
}

/** What a shell needs to know about a command. */
interface CompletedCommand {
  name: string;
  summary: string;
  /** The words that may follow its name. */
  words: readonly string[];
  options: readonly NamedOption[];
}

/** The name is without the dashes. */
type NamedOption = Option & { name: string };

function completedCommands(commands: readonly ListedCommand[]): CompletedCommand[] {
  const completed = commands.map(({ name, summary, argumentChoices, options }) => {
    const all: Record<string, Option> = { ...options, ...COMMON_OPTIONS };
    const named = Object.entries(all).map(([option, of]) => ({ ...of, name: option }));
    return { name, summary, words: argumentChoices, options: named };
  });
  const names = commands.map(({ name }) => name);
  return [...completed, { name: 'help', summary: 'Explains a command.', words: names, options: [] }];
}

/** What a shell does for an option's value: offers these words, files, folders, or nothing. */
interface ValueActions {
  words(words: string): string;
  file: string;
  folder: string;
  nothing: string;
}

function actionOf({ choices, path }: Option, actions: ValueActions): string {
  return choices === undefined ? actions[path ?? 'nothing'] : actions.words(choices().join(' '));
}

/** The script for bash, from 3.2 on (macOS), without the bash-completion package. */
function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = [...commands.map(({ name }) => name), '--help', '--version'];
  return `# Completion of cfe-lake for bash. Load it:  source <(${PROGRAM} completion bash)
command -v cfe-lake >/dev/null 2>&1 || cfe-lake() { ${COMMAND_LINE} "$@"; }

_cfe_lake_among() { local IFS=$' \\t\\n'; COMPREPLY=( $(compgen -W "$1" -- "$2") ); }

_cfe_lake_paths() {
  local IFS=$'\\n'
  COMPREPLY=( $(compgen "$1" -- "$2") )
  compopt -o filenames 2>/dev/null || true
}

_cfe_lake() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  # bash takes --option=value apart.
  if [[ $current == '=' ]]; then current=''
  elif [[ $before == '=' ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    _cfe_lake_among ${shellQuoted(names.join(' '))} "$current"
    return
  fi
  case "$command $before" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
${commands.map(wordCase).join('\n')}
  esac
}

complete -F _cfe_lake cfe-lake
`;
}

const BASH_ACTIONS: ValueActions = {
  words: (words) => `_cfe_lake_among ${shellQuoted(words)} "$current"; return`,
  file: '_cfe_lake_paths -f "$current"; return',
  folder: '_cfe_lake_paths -d "$current"; return',
  nothing: 'return',
};

function valueCases({ name, options }: CompletedCommand): string[] {
  return options
    .filter(({ kind }) => kind !== 'flag')
    .map((option) => {
      const place = shellQuoted(`${name} --${option.name}`);
      return `    ${place}) ${actionOf(option, BASH_ACTIONS)} ;;`;
    });
}

function wordCase({ name, words, options }: CompletedCommand): string {
  const all = [...words, ...options.map((option) => `--${option.name}`)];
  return `    ${name}) _cfe_lake_among ${shellQuoted(all.join(' '))} "$current" ;;`;
}

/** The script for zsh: to be sourced, or kept as `_cfe-lake` in a folder of $fpath. */
function zshCompletion(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${shellQuoted(`${name}:${summary}`)}`);
  return `#compdef cfe-lake
# Completion of cfe-lake for zsh. Load it:  source <(${PROGRAM} completion zsh)
(( $+commands[cfe-lake] )) || cfe-lake() { ${COMMAND_LINE} "$@" }

_cfe-lake() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _cfe-lake ]]; then
  _cfe-lake "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _cfe-lake cfe-lake
fi
`;
}

function commandCase({ name, words, options }: CompletedCommand): string {
  const argument = words.length === 0 ? [] : [`1:word:(${words.join(' ')})`];
  const specs = [...argument, ...options.map(specOf)].map((spec) => `      ${shellQuoted(spec)}`);
  return `    ${name}) _arguments -S : \\\n${specs.join(' \\\n')} ;;`;
}

const ZSH_ACTIONS: ValueActions = {
  words: (words) => `(${words})`,
  file: '_files',
  folder: '_files -/',
  nothing: ' ',
};

/** An option as _arguments takes it: `*--rut=[help]:RUT:action`. */
function specOf(option: NamedOption): string {
  const { name, kind, help, placeholder = '' } = option;
  const explained = `[${escaped(help)}]`;
  if (kind === 'flag') return `--${name}${explained}`;
  const value = `${escaped(placeholder)}:${actionOf(option, ZSH_ACTIONS)}`;
  return `${kind === 'values' ? '*' : ''}--${name}=${explained}:${value}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, '\\$&');
}

/** The script for fish: to be sourced, or kept as ~/.config/fish/completions/cfe-lake.fish. */
function fishCompletion(commands: readonly CompletedCommand[]): string {
  return [
    `# Completion of cfe-lake for fish. Load it:  ${PROGRAM} completion fish | source`,
    `if not type -q cfe-lake; function cfe-lake; ${COMMAND_LINE} $argv; end; end`,
    'complete -c cfe-lake -e',
    'complete -c cfe-lake -f',
    "complete -c cfe-lake -n __fish_use_subcommand -l help -d 'explains the program'",
    "complete -c cfe-lake -n __fish_use_subcommand -l version -d 'shows the version'",
    ...commands.flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf({ name, summary, words, options }: CompletedCommand): string[] {
  const within = `complete -c cfe-lake -n ${shellQuoted(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c cfe-lake -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
    ...(words.length === 0 ? [] : [`${within} -a ${shellQuoted(words.join(' '))}`]),
    ...options.map((option) => {
      const value = option.kind === 'flag' ? '' : actionOf(option, FISH_ACTIONS);
      return `${within} -l ${option.name}${value} -d ${fishQuoted(option.help)}`;
    }),
  ];
}

const FISH_ACTIONS: ValueActions = {
  words: (words) => ` -x -a ${shellQuoted(words)}`,
  file: ' -r -F',
  folder: " -x -a '(__fish_complete_directories)'",
  nothing: ' -x',
};

/** Within single quotes, fish has its own escapes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
