import type { Option } from '../command.ts';

/** Where the lake is when nobody says. */
export const DEFAULT_LAKE = './lake';

export const LAKE_OPTION = {
  lake: {
    kind: 'value',
    placeholder: 'DIR',
    help: `folder or s3://bucket/prefix (default ${DEFAULT_LAKE})`,
    path: 'folder',
  },
} as const satisfies Record<string, Option>;
