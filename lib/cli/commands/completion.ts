import { PROGRAM, PROGRAM_FILE } from '../../program.ts';
import { shellQuoted } from '../../text/terminal.ts';
import { type Command, defineCommand, type ListedCommand } from '../command.ts';
import { flag, type Option } from '../option.ts';

const SHELLS: Readonly<Record<string, (model: CompletionModel) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

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
      const model = completionModel(await allCommands(), [
        process.execPath,
        '--max-semi-space-size=8',
        PROGRAM_FILE,
      ]);
      terminal.stdout.write(SHELLS[shell]?.(model) ?? '');
      return 0;
    },
  });
}

/** What a shell needs to know about the program, taken from the commands' definitions. */
interface CompletionModel {
  /** The program's command line if `cfe-lake` is not installed: node, its flags, the file. */
  program: readonly string[];
  commands: readonly CompletedCommand[];
}

interface CompletedCommand {
  name: string;
  summary: string;
  /** The words that may follow its name. */
  words: readonly string[];
  options: readonly CompletedOption[];
}

interface CompletedOption {
  /** Without the dashes. */
  name: string;
  help: string;
  /** The placeholder of its value; undefined for a flag. */
  placeholder: string | undefined;
  /** All its values; empty if they are not known. */
  values: readonly string[];
  path: Option['path'];
  isRepeatable: boolean;
}

/** Options of every command. */
const COMMON = Object.entries({
  help: flag('explain the command'),
  debug: flag('show where an error came from'),
}).map(([name, option]) => completedOption(name, option));

function completionModel(commands: readonly ListedCommand[], program: readonly string[]): CompletionModel {
  const help: CompletedCommand = {
    name: 'help',
    summary: 'Explains a command.',
    words: commands.map(({ name }) => name),
    options: [],
  };
  const completed = commands.map(({ name, summary, argumentChoices, options }) => ({
    name,
    summary,
    words: argumentChoices,
    options: [...Object.entries(options).map(([option, of]) => completedOption(option, of)), ...COMMON],
  }));
  return { program, commands: [...completed, help] };
}

function completedOption(
  name: string,
  { kind, help, placeholder = 'VALUE', choices, path }: Option,
): CompletedOption {
  return {
    name,
    help,
    placeholder: kind === 'flag' ? undefined : placeholder,
    values: choices?.() ?? [],
    path,
    isRepeatable: kind === 'values',
  };
}

/** The script for bash, from 3.2 on (macOS), without the bash-completion package. */
function bashCompletion({ program, commands }: CompletionModel): string {
  const names = [...commands.map(({ name }) => name), '--help', '--version'];
  return `# Completion of cfe-lake for bash. Load it:  source <(${PROGRAM} completion bash)
command -v cfe-lake >/dev/null 2>&1 || cfe-lake() { ${program.map(shellQuoted).join(' ')} "$@"; }

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

function valueCases({ name, options }: CompletedCommand): string[] {
  return options
    .filter(({ placeholder }) => placeholder !== undefined)
    .map(({ name: option, values, path }) => {
      const action =
        values.length > 0
          ? `_cfe_lake_among ${shellQuoted(values.join(' '))} "$current"; return`
          : path === undefined
            ? 'return'
            : `_cfe_lake_paths ${path === 'file' ? '-f' : '-d'} "$current"; return`;
      return `    ${shellQuoted(`${name} --${option}`)}) ${action} ;;`;
    });
}

function wordCase({ name, words, options }: CompletedCommand): string {
  const all = [...words, ...options.map((option) => `--${option.name}`)];
  return `    ${name}) _cfe_lake_among ${shellQuoted(all.join(' '))} "$current" ;;`;
}

/** The script for zsh: to be sourced, or kept as `_cfe-lake` in a folder of $fpath. */
function zshCompletion({ program, commands }: CompletionModel): string {
  const described = commands.map(({ name, summary }) => `    ${shellQuoted(`${name}:${summary}`)}`);
  return `#compdef cfe-lake
# Completion of cfe-lake for zsh. Load it:  source <(${PROGRAM} completion zsh)
(( $+commands[cfe-lake] )) || cfe-lake() { ${program.map(shellQuoted).join(' ')} "$@" }

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

/** An option as _arguments takes it: `*--rut=[help]:RUT:action`. */
function specOf({ name, help, placeholder, values, path, isRepeatable }: CompletedOption): string {
  const explained = `[${escaped(help)}]`;
  if (placeholder === undefined) return `--${name}${explained}`;
  const action =
    values.length > 0
      ? `(${values.join(' ')})`
      : path === undefined
        ? ' '
        : path === 'file'
          ? '_files'
          : '_files -/';
  return `${isRepeatable ? '*' : ''}--${name}=${explained}:${escaped(placeholder)}:${action}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, '\\$&');
}

/** The script for fish: to be sourced, or kept as ~/.config/fish/completions/cfe-lake.fish. */
function fishCompletion({ program, commands }: CompletionModel): string {
  return [
    `# Completion of cfe-lake for fish. Load it:  ${PROGRAM} completion fish | source`,
    `if not type -q cfe-lake; function cfe-lake; ${program.map(shellQuoted).join(' ')} $argv; end; end`,
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
    ...options.map(
      (option) => `${within} -l ${option.name}${valueWords(option)} -d ${fishQuoted(option.help)}`,
    ),
  ];
}

function valueWords({ placeholder, values, path }: CompletedOption): string {
  if (placeholder === undefined) return '';
  if (values.length > 0) return ` -x -a ${shellQuoted(values.join(' '))}`;
  if (path === 'file') return ' -r -F';
  return path === 'folder' ? " -x -a '(__fish_complete_directories)'" : ' -x';
}

/** Within single quotes, fish has its own escapes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
