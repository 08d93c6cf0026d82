import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Entry {
  integrity?: string;
  resolved?: string;
  inBundle?: boolean;
  hasInstallScript?: boolean;
  optional?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  libc?: string[];
  bin?: Record<string, string>;
  link?: boolean;
}

const { packages }: { packages: Record<string, Entry> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const manifest: Record<string, Record<string, string | boolean>> = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
/** Node for a checkout. It is not part of the package. */
const NODE_FOLDER = 'tools/node';
const nodeManifest: typeof manifest = JSON.parse(readFileSync(`${NODE_FOLDER}/package.json`, 'utf8'));
const { '': root, [NODE_FOLDER]: _ours, ...listed } = packages;
const entries = Object.fromEntries(Object.entries(listed).filter(([, { link }]) => link !== true));
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

describe('the lock file', () => {
  it('has the content’s hash of every package that npm fetches', () => {
    const unproved = Object.entries(entries).filter(
      ([, { integrity, inBundle }]) => inBundle !== true && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
    );
    expect(unproved.map(([path]) => path)).toEqual([]);
    expect(root?.inBundle).toBeUndefined();
  });

  it('names no registry', () => {
    expect(Object.keys(entries).filter((path) => entries[path]?.resolved !== undefined)).toEqual([]);
  });

  it('has no package whose install script runs', () => {
    const withScript = Object.keys(entries).filter((path) => entries[path]?.hasInstallScript === true);
    expect(manifest.allowScripts).toEqual(
      Object.fromEntries(withScript.map((path) => [nameOf(path), false])),
    );
  });

  it('has the versions of package.json, which are exact', () => {
    const asked = [manifest.dependencies, manifest.devDependencies, nodeManifest.optionalDependencies];
    expect(manifest.optionalDependencies).toBeUndefined();
    for (const version of asked.flatMap((versions) => Object.values(versions ?? {}))) {
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
  });

  it('has Node for every platform that DuckDB is for, each for its platform alone', () => {
    const platforms = (prefix: RegExp) =>
      Object.entries(entries)
        .filter(([path, { libc }]) => prefix.test(nameOf(path)) && libc?.includes('musl') !== true)
        .map(([, { os, cpu, libc }]) => [os, cpu, libc].flat().filter(Boolean).join(' '))
        .sort();
    // On musl it would be installed and not start. Its package doesn't say so: CONTRIBUTING, "Dependencies".
    expect(platforms(/^node-(bin-)?(darwin|linux|win)-/)).toEqual(platforms(/^@duckdb\/node-bindings-/));
    for (const name of Object.keys(nodeManifest.optionalDependencies ?? {})) {
      expect(entries[`node_modules/${name}`]).toMatchObject({ optional: true, bin: { node: /bin\/node/ } });
    }
  });
});
