import { PROGRAM } from '../../program.ts';
import { type CompletedCommand, type CompletionModel, quoted } from './model.ts';

/** The script for bash, from 3.2 on (macOS), without the bash-completion package. */
export function bashCompletion({ program, commands }: CompletionModel): string {
  const names = [...commands.map(({ name }) => name), '--help', '--version'];
  return `# Completion of cfe-lake for bash. Load it:  source <(${PROGRAM} completion bash)
command -v cfe-lake >/dev/null 2>&1 || cfe-lake() { ${program.map(quoted).join(' ')} "$@"; }

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
    _cfe_lake_among ${quoted(names.join(' '))} "$current"
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
          ? `_cfe_lake_among ${quoted(values.join(' '))} "$current"; return`
          : path === undefined
            ? 'return'
            : `_cfe_lake_paths ${path === 'file' ? '-f' : '-d'} "$current"; return`;
      return `    ${quoted(`${name} --${option}`)}) ${action} ;;`;
    });
}

function wordCase({ name, words, options }: CompletedCommand): string {
  const all = [...words, ...options.map((option) => `--${option.name}`)];
  return `    ${name}) _cfe_lake_among ${quoted(all.join(' '))} "$current" ;;`;
}
