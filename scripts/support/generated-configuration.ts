/**
 * Generates docs/configuration.md, .env.example and the help of ./scripts/start from the tables
 * that the configuration is read with.
 */
import type { TSchema } from '@sinclair/typebox';
import { fileSchema } from '../../src/config/file-schema.ts';
import { policySchema } from '../../src/config/signer-policy.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { AssetCatalog, BUILT_IN_ASSETS } from '../../src/domain/catalog/asset.ts';
import { CHAINS } from '../../src/domain/catalog/chain.ts';
import { FIAT_CURRENCIES } from '../../src/domain/catalog/fiat.ts';
import { firstSentence, head, row, wrapped } from './markdown.ts';

/** A key of a JSON file, as its schema documents it. */
interface FileKey {
  /**
   * The path from the file's root, with placeholders: `chains.<chain>.rpc`. Keys of a node begin
   * with `<node>`.
   */
  readonly path: string;
  readonly value: string;
  readonly without: string;
  readonly doc: string;
  /** The chains that have it; empty for keys outside of chains. */
  readonly chains: Set<string>;
}

const NODE = '<node>';
const ANY_OWN_TOKEN = 'own_ethereum';

/** A value is code; a description of its absence is not. */
const shown = (without: string): string =>
  /^(?:\d+|".*"|true|false)$/.test(without) ? `\`${without}\`` : without;

export function variableTable(): readonly string[] {
  return [
    ...head(['variable', 'default', 'meaning']),
    ...Object.entries(VARIABLES).map(([name, { fallback, without, doc }]) =>
      row([`\`${name}\``, fallback === null ? without : `\`${without}\``, doc]),
    ),
  ];
}

export function variableHelp(): readonly string[] {
  const width = Math.max(...Object.keys(VARIABLES).map(({ length }) => length));
  return Object.entries(VARIABLES).map(([name, { without, doc }]) => {
    const absent = without === 'none' ? '' : ` (${without})`;
    return `  ${name.padEnd(width)}  ${plain(firstSentence(doc))}${absent}`;
  });
}

export function envExample(): string {
  const settings = Object.entries(VARIABLES).map(([name, { fallback, without, doc }]) => {
    const value = fallback === null ? '' : without;
    const absent = fallback === null && without !== 'none' ? ` Default: ${without}.` : '';
    return [...wrapped(`${plain(doc)}.${absent}`, 96).map((line) => `# ${line}`), `#${name}=${value}`].join(
      '\n',
    );
  });
  return `# Made by \`bun run docs\` from src/config/variables.ts.
# Copy it to .env beside this file, which Bun reads at the start, and take away the # where you set
# something. An empty value counts as absent. docs/configuration.md has the keys of CONFIG_FILE, too.

${settings.join('\n\n')}
`;
}

/** Without Markdown's own marks. */
const plain = (text: string): string => text.replaceAll('`', '');

export function chainTable(): readonly string[] {
  return fileTable('chains.<chain>.', 'chains');
}

export function nodeTable(): readonly string[] {
  return fileTable(`${NODE}.`, 'chains');
}

export function otherKeysTable(): readonly string[] {
  const others = fileKeys().filter(({ path }) => !path.startsWith('chains.') && !path.startsWith(NODE));
  return keyTable(others);
}

export function policyTable(): readonly string[] {
  return keyTable(keysOf(policySchema(new AssetCatalog())));
}

function fileTable(prefix: string, whose: string): readonly string[] {
  return [
    ...head(['key', whose, 'value', 'without it', 'meaning']),
    ...fileKeys()
      .filter(({ path }) => path.startsWith(prefix))
      .map(({ path, chains, value, without, doc }) =>
        row([`\`${path.slice(prefix.length)}\``, familiesOf(chains), value, shown(without), doc]),
      ),
  ];
}

function keyTable(keys: readonly FileKey[]): readonly string[] {
  return [
    ...head(['key', 'value', 'without it', 'meaning']),
    ...keys.map(({ path, value, without, doc }) => row([`\`${path}\``, value, shown(without), doc])),
  ];
}

function fileKeys(): readonly FileKey[] {
  const catalog = {
    chains: CHAINS.map(({ name }) => name),
    assetKeys: BUILT_IN_ASSETS.map(({ key }) => key),
    fiats: FIAT_CURRENCIES,
  };
  return keysOf(fileSchema(catalog, [ANY_OWN_TOKEN]));
}

/** Keys in the order of the schema. Chains with the same text share a row. */
function keysOf(root: TSchema): readonly FileKey[] {
  const found = new Map<string, FileKey>();
  const note = (schema: TSchema, path: string, chain: string | null): void => {
    const { without, doc } = schema;
    const value = String(schema.description).replace(` to ${Number.MAX_SAFE_INTEGER}`, ' or more');
    const same = JSON.stringify([path, value, without, doc]);
    const key = found.get(same) ?? { path, value, without, doc, chains: new Set() };
    if (chain !== null) key.chains.add(chain);
    found.set(same, key);
  };
  const walk = (schema: TSchema, path: readonly string[], chain: string | null): void => {
    if (schema.doc !== undefined) note(schema, path.join('.'), chain);
    else if (schema.properties === undefined && schema.type !== 'string')
      throw new Error(`the schema does not say what ${path.join('.')} is for`);
    for (const [name, inner] of Object.entries<TSchema>(schema.properties ?? {})) {
      const ofChain = schema.placeholder === '<chain>' && path[0] === 'chains';
      walk(inner, [...path, schema.placeholder ?? name], ofChain ? name : chain);
    }
    for (const choice of (schema.items?.anyOf ?? []) as readonly TSchema[]) walk(choice, [NODE], chain);
  };
  walk(root, [], null);
  const paths = [...new Set([...found.values()].map(({ path }) => path))];
  return paths.flatMap((path) => [...found.values()].filter((key) => key.path === path));
}

/** A family's name stands for all of its chains. */
function familiesOf(names: ReadonlySet<string>): string {
  const families = (has: boolean): string => {
    const found = CHAINS.filter(({ name }) => names.has(name) === has).map(({ family }) => family);
    return [...new Set(found)].join(', ');
  };
  const without = families(false);
  if (without === '') return 'all';
  return without.includes(',') ? families(true) : `all but ${without}`;
}
