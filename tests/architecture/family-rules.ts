/**
 * Who may name a family of chains. What families do differently is asked of the catalog and of the
 * family's module.
 */
import { FAMILIES } from '../../src/domain/catalog/family.ts';
import type { SourceFile } from './source-tree.ts';

/** The catalog, the folders of families, which cannot import each other, and the list of them. */
const HOME = /^src\/(?:domain\/catalog\/|adapters\/chains\/(?!shared\/|fake\/))/;

/** Each with the reason why the name is no decision. The list only shrinks. */
const NAMES_THEM: readonly { readonly files: RegExp; readonly why: string }[] = [
  {
    files: /^src\/adapters\/(?:rates|shared\/providers|http\/compat)\//,
    why: 'what others call chains and coins',
  },
  {
    files:
      /^src\/adapters\/http\/(?:catalog\/catalog\.routes|invoices\/(?:invoice-body|permanent\.routes))\.ts$/,
    why: "examples in the API's reference",
  },
  {
    files: /^src\/adapters\/http\/checkout\/client\/wallets\//,
    why: 'what wallets of a browser call their own objects',
  },
];

/** As a whole text, or as an identifier or a part of one that begins with a capital. */
const NAMED = new RegExp(
  FAMILIES.map((family) => {
    const capital = `${family[0]!.toUpperCase()}${family.slice(1)}`;
    return `(?<![A-Za-z])${family}(?![a-z])|(?<![A-Z])${capital}(?![a-z])`;
  }).join('|'),
);
const TEXT = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** One sentence per line of code that names a family. Comments and longer texts may. */
export function familyFaults(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith('src/') && !HOME.test(path))
    .filter(({ path }) => !NAMES_THEM.some(({ files: exempt }) => exempt.test(path)))
    .flatMap(({ path, text }) =>
      codeOf(text)
        .split('\n')
        .flatMap((line, index) => {
          const found = NAMED.exec(line)?.[0];
          return found === undefined
            ? []
            : [`${path}:${index + 1} names ${found}: ask a capability (src/domain/catalog/family-facts.ts)`];
        }),
    );
}

/** Exemptions that nothing needs any more. */
export function needlessExemptions(files: readonly SourceFile[]): readonly string[] {
  return NAMES_THEM.filter(
    ({ files: exempt }) => !files.some(({ path, text }) => exempt.test(path) && NAMED.test(codeOf(text))),
  ).map(({ why }) => why);
}

/** Without comments, and without texts that say more than a name. Lines stay where they are. */
function codeOf(text: string): string {
  const blank = (found: string): string => found.replace(/[^\n]/g, '');
  return text
    .replace(/^\s*(?:\/\/|\/\*|\*).*$|\s\/\/ .*$/gm, blank)
    .replace(TEXT, (found) =>
      (FAMILIES as readonly string[]).includes(found.slice(1, -1)) ? found : blank(found),
    );
}
