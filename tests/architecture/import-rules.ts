/** Who may import whom. The table is the rule; everything it does not allow is a fault. */
import { posix } from 'node:path';
import type { SourceFile } from './source-tree.ts';

interface Layer {
  readonly name: string;
  readonly contains: RegExp;
  /**
   * Other files that a file of this layer may import; `$1` is what the first group of `contains`
   * matched.
   */
  readonly imports: readonly string[];
  /** The same for `import type`. */
  readonly importsTypes?: readonly string[];
  /** Packages and node: modules: all, or the ones named. */
  readonly packages: 'all' | readonly string[];
}

const ANYTHING = ['.*'];
const CORE = ['src/domain/.*', 'src/ports/.*'];
/**
 * Adapters know the use cases' types; the pure presenters, which webhooks and answers share, may be
 * called, and so may what no adapter owns.
 */
const FOR_ADAPTERS = {
  imports: [...CORE, 'src/app/[a-z]+/present-[^/]*', 'src/adapters/shared/.*'],
  importsTypes: ['src/app/.*'],
};

/** The first layer that contains a file is its layer. */
const LAYERS: readonly Layer[] = [
  { name: 'domain', contains: /^src\/domain\//, imports: ['src/domain/.*'], packages: [] },
  { name: 'ports', contains: /^src\/ports\//, imports: CORE, packages: [] },
  { name: 'app', contains: /^src\/app\//, imports: [...CORE, 'src/app/.*'], packages: [] },
  {
    name: 'the fake chains, which keep coins as the real ones do',
    contains: /^src\/adapters\/(chains\/fake)\//,
    imports: [
      ...FOR_ADAPTERS.imports,
      ...['src/adapters/$1/.*', 'src/adapters/chains/(shared|utxo)/.*', 'src/adapters/chains/families.ts'],
    ],
    packages: 'all',
  },
  {
    name: 'the list of the families of chains',
    contains: /^src\/adapters\/chains\/families\.ts$/,
    imports: ['src/domain/.*', 'src/adapters/chains/[a-z]+/family.ts'],
    packages: [],
  },
  {
    name: 'a family of chains',
    contains: /^src\/adapters\/(chains\/[a-z0-9-]+)\//,
    imports: [...FOR_ADAPTERS.imports, 'src/adapters/$1/.*', 'src/adapters/chains/shared/.*'],
    importsTypes: FOR_ADAPTERS.importsTypes,
    packages: 'all',
  },
  {
    name: 'an adapter',
    contains: /^src\/adapters\/(?!chains\/)([a-z0-9-]+)\//,
    imports: [...FOR_ADAPTERS.imports, 'src/adapters/$1/.*'],
    importsTypes: FOR_ADAPTERS.importsTypes,
    packages: 'all',
  },
  {
    name: 'config',
    contains: /^src\/config\//,
    imports: ['src/domain/.*', 'src/config/.*'],
    packages: ['@sinclair/typebox', '@sinclair/typebox/value', 'ipaddr.js', 'node:net'],
  },
  {
    name: 'compose, which knows families of chains by their list alone',
    contains: /^src\/compose\//,
    imports: ['(?!src/adapters/chains/(?!shared/|fake/|families\\.ts)).*'],
    packages: 'all',
  },
  { name: 'main', contains: /^src\/(?:main|signer)\.ts$/, imports: ANYTHING, packages: 'all' },
  {
    name: 'a client, which is a package of its own',
    contains: /^clients\/([a-z]+)\/src\//,
    imports: ['clients/$1/src/.*'],
    packages: [],
  },
  {
    name: 'scripts, tests, bench',
    contains: /^(?:(?:scripts|tests|bench)\/|clients\/[a-z]+\/build\.ts$)/,
    imports: ANYTHING,
    packages: 'all',
  },
];

/** Libraries that stay behind one adapter (docs/architecture.md, rule 3). */
const PACKAGE_HOMES: readonly { package: RegExp; home: string }[] = [
  { package: /^(elysia|@elysia|swagger-ui-dist|qrcode)(\/|$)/, home: 'src/adapters/http/' },
  { package: /^(postgres|drizzle-orm)(\/|$)/, home: 'src/adapters/postgres/' },
  { package: /^croner$/, home: 'src/adapters/scheduler/' },
];

/**
 * The providers' APIs are an outer skin: what is listed here puts them on, and nothing else knows
 * of them.
 */
const COMPAT = 'src/adapters/http/compat/';
const KNOWS_COMPAT = 'src/adapters/http/server.ts';

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

/** One sentence per fault, with the file and what it imports. */
export function importFaults(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const layer = LAYERS.find(({ contains }) => contains.test(file.path));
    if (!layer)
      return [
        `${file.path} is in no layer: give it a place in the table of tests/architecture/import-rules.ts`,
      ];
    // A script of the pages is loaded by a name with its digest.
    const isServers = isProduct(file.path) && !file.path.startsWith('src/adapters/http/checkout/client/');
    const computed = isServers && /(?<![.\w])import\s*\(\s*[^'"\s)]/.test(file.text);
    return [
      ...(computed ? [`${file.path} imports a name it computes: import a literal path`] : []),
      ...importsOf(file.text).flatMap((found) => faultOf(file.path, layer, found)),
    ];
  });
}

/**
 * Static, side-effect, re-export, dynamic and `import('x').Type` forms, read from the text so that
 * types count.
 */
export function importsOf(text: string): readonly Import[] {
  const found: Import[] = [];
  const statics = /\b(?:import|export)\b([^'"`;()=]*?)\bfrom\s*(['"])(.+?)\2/g;
  for (const [, clause = '', , specifier = ''] of text.matchAll(statics)) {
    found.push({ specifier, typeOnly: isTypeOnly(clause) });
  }
  const others = /\bimport\s*(['"])(.+?)\1|(?<![.\w])(?:import|require)\s*\(\s*(['"`])(.+?)\3/g;
  for (const match of text.matchAll(others)) {
    found.push({ specifier: match[2] ?? match[4] ?? '', typeOnly: false });
  }
  return found;
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b(?!\s*,)/.test(clause)) return true;
  const names = /^\s*\{([^}]*)\}\s*$/
    .exec(clause)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return names !== undefined && names.length > 0 && names.every((name) => /^\s*type\s/.test(name));
}

function faultOf(path: string, layer: Layer, { specifier, typeOnly }: Import): readonly string[] {
  if (!specifier.startsWith('.')) return packageFault(path, layer, specifier);
  const target = posix.join(posix.dirname(path), specifier);
  if (!/\.(ts|json|sql|css|svg|html|txt)$/.test(target)) {
    return [`${path} imports ${specifier}: name the file with its extension`];
  }
  if (target.startsWith(COMPAT) && isProduct(path) && !path.startsWith(COMPAT) && path !== KNOWS_COMPAT)
    return [`${path} may not import ${target}: only ${KNOWS_COMPAT} knows of the providers' APIs`];
  const allowed = [...layer.imports, ...(typeOnly ? (layer.importsTypes ?? []) : [])];
  const own = layer.contains.exec(path)?.[1] ?? '';
  if (allowed.some((pattern) => new RegExp(`^${pattern.replace('$1', own)}$`).test(target))) return [];
  const hint = layer.importsTypes && target.startsWith('src/app/') ? ' (only its types)' : '';
  return [`${path} (${layer.name}) may not import ${target}${hint}: pass it in from src/compose/compose.ts`];
}

function packageFault(path: string, layer: Layer, specifier: string): readonly string[] {
  if (layer.packages !== 'all' && !layer.packages.includes(specifier)) {
    return [`${path} (${layer.name}) may not import ${specifier}: put it behind a port`];
  }
  const home = PACKAGE_HOMES.find((entry) => entry.package.test(specifier))?.home;
  if (home === undefined || !isProduct(path) || path.startsWith(home)) return [];
  return [`${path} may not import ${specifier}: it stays in ${home}`];
}

function isProduct(path: string): boolean {
  return path.startsWith('src/');
}
