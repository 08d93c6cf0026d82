import { PROGRAM } from '../../program.ts';
import { type CompletedCommand, type CompletedOption, type CompletionModel, quoted } from './model.ts';

/** The script for fish: to be sourced, or kept as ~/.config/fish/completions/cfe-lake.fish. */
export function fishCompletion({ program, commands }: CompletionModel): string {
  return [
    `# Completion of cfe-lake for fish. Load it:  ${PROGRAM} completion fish | source`,
    `if not type -q cfe-lake; function cfe-lake; ${program.map(quoted).join(' ')} $argv; end; end`,
    'complete -c cfe-lake -e',
    'complete -c cfe-lake -f',
    "complete -c cfe-lake -n __fish_use_subcommand -l help -d 'explains the program'",
    "complete -c cfe-lake -n __fish_use_subcommand -l version -d 'shows the version'",
    ...commands.flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf({ name, summary, words, options }: CompletedCommand): string[] {
  const within = `complete -c cfe-lake -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c cfe-lake -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
    ...(words.length === 0 ? [] : [`${within} -a ${quoted(words.join(' '))}`]),
    ...options.map(
      (option) => `${within} -l ${option.name}${valueWords(option)} -d ${fishQuoted(option.help)}`,
    ),
  ];
}

function valueWords({ placeholder, values, path }: CompletedOption): string {
  if (placeholder === undefined) return '';
  if (values.length > 0) return ` -x -a ${quoted(values.join(' '))}`;
  if (path === 'file') return ' -r -F';
  return path === 'folder' ? " -x -a '(__fish_complete_directories)'" : ' -x';
}

/** Within single quotes fish has escapes of its own. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
