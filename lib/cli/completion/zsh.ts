import { PROGRAM } from '../../program.ts';
import { type CompletedCommand, type CompletedOption, type CompletionModel, quoted } from './model.ts';

/** The script for zsh: to be sourced, or kept as `_cfe-lake` in a folder of $fpath. */
export function zshCompletion({ program, commands }: CompletionModel): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  return `#compdef cfe-lake
# Completion of cfe-lake for zsh. Load it:  source <(${PROGRAM} completion zsh)
(( $+commands[cfe-lake] )) || cfe-lake() { ${program.map(quoted).join(' ')} "$@" }

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
  const specs = [...argument, ...options.map(specOf)].map((spec) => `      ${quoted(spec)}`);
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
