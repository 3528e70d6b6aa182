/** What pages and comments name: files, sections of pages, safety cases. One sentence per name that leads nowhere. */
import { posix } from 'node:path';
import type { SourceFile } from './source-tree.ts';

export interface Repository {
  readonly paths: readonly string[];
  /** What `bun run` can run, here and in the clients. */
  readonly scripts: readonly string[];
  readonly pages: readonly SourceFile[];
  readonly sources: readonly SourceFile[];
}

/** `fee.ts`, `domain/money/fee.ts`, `tests/support/{ton,xrp}`: a file, or what lies in a folder of the first level. */
const PATH =
  /(?<![\w/.@:-])(?:\.{1,2}\/)*(?:(?:[\w.{},*-]+\/)*[\w{},*-][\w.{},*-]*\.(?:md|ts|sh|sql)\b|(?:src|tests|docs|scripts|bench|drizzle|clients)\/[\w{},*-][\w./{},*-]*)/g;
const SECTION = /\b([\w-]+\.md|[Ss]pecification), "([^"]+)"(?: (\d+))?/g;
const SAFETY = /\bsafety\.md ((?:[A-Z]\d{1,2}(?:, | and |\/)?)+)/g;
const RUN = /\bbun run (?:--\w+ )*([a-z]+(?::[a-z]+)*)/g;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)|<img src="([^"]+)"/g;

export function brokenReferences({ paths, scripts, pages, sources }: Repository): readonly string[] {
  const safety = pages.find(({ path }) => path === 'docs/safety.md')?.text ?? '';
  const book: Book = {
    known: knownNames(paths),
    sections: new Map(pages.map(({ path, text }) => [path, headingsOf(text)])),
    cases: new Set([...safety.matchAll(/^\| ([A-Z]\d{1,2}) \|/gm)].map(([, id = '']) => id)),
  };
  return [
    ...pages.flatMap(({ path, text }) => [
      ...prose(text).flatMap((line) =>
        brokenNames(path, { ...line, said: line.said.replaceAll(LINK, '') }, book),
      ),
      ...brokenLinks(path, prose(text), book),
      ...[...text.matchAll(RUN)].flatMap(([call, script = '']) =>
        scripts.includes(script) ? [] : [`${path} names ${call}: there is no such script`],
      ),
    ]),
    ...sources.flatMap(({ path, text }) => comments(text).flatMap((line) => brokenNames(path, line, book))),
  ];
}

/** What there is to be named. */
interface Book {
  readonly known: ReadonlySet<string>;
  readonly sections: ReadonlyMap<string, readonly Section[]>;
  /** Ids of docs/safety.md. */
  readonly cases: ReadonlySet<string>;
}

function brokenNames(path: string, { line, said }: Line, book: Book): readonly string[] {
  const faults: string[] = [];
  const fault = (name: string, what: string) => faults.push(`${path}:${line} names ${name}: ${what}`);
  for (const [found] of said.matchAll(PATH)) {
    const name = found.replace(/[.,]+$/, '');
    if (!exists(book.known, path, name)) fault(name, 'there is no such file');
  }
  for (const [name, page = '', title = '', item] of said.matchAll(SECTION)) {
    const file = page.endsWith('.md') ? page : 'specification.md';
    const sections = [...book.sections].flatMap(([at, all]) => (`/${at}`.endsWith(`/${file}`) ? all : []));
    const section = sections.find((one) => one.title === title);
    if (!section) fault(name, `${file} has no such section`);
    else if (item !== undefined && !section.items.has(item)) fault(name, 'the section has no such point');
  }
  for (const [, ids = ''] of said.matchAll(SAFETY))
    for (const [id] of ids.matchAll(/[A-Z]\d{1,2}/g))
      if (!book.cases.has(id)) fault(`safety.md ${id}`, 'docs/safety.md has no such case');
  return faults;
}

/** The text of a link may go over two lines. */
function brokenLinks(page: string, lines: readonly Line[], book: Book): readonly string[] {
  const text = lines.map(({ said }) => said).join('\n');
  return [...text.matchAll(LINK)].flatMap(({ index, 1: target, 2: image }) => {
    const link = target ?? image ?? '';
    const wrong = faultOfLink(page, link, book);
    const at = lines[text.slice(0, index).split('\n').length - 1]?.line;
    return wrong === null ? [] : [`${page}:${at} links to ${link}: ${wrong}`];
  });
}

function faultOfLink(page: string, link: string, { known, sections }: Book): string | null {
  if (/^[a-z]+:/.test(link)) return null;
  const [file = '', fragment] = link.split('#');
  const target = file === '' ? page : posix.join(posix.dirname(page), file).replace(/\/$/, '');
  if (!known.has(`/${target}`)) return 'there is no such file';
  if (fragment === undefined || !target.endsWith('.md')) return null;
  return sections.get(target)?.some(({ anchor }) => anchor === fragment) ? null : 'there is no such section';
}

interface Section {
  readonly title: string;
  readonly anchor: string;
  /** Numbers of its numbered points. */
  readonly items: ReadonlySet<string>;
}

function headingsOf(page: string): readonly Section[] {
  const sections: Section[] = [];
  let items = new Set<string>();
  for (const { said } of prose(page)) {
    const title = /^#+ (.+)$/.exec(said)?.[1];
    if (title !== undefined) {
      items = new Set();
      sections.push({ title, anchor: anchorOf(title), items });
    }
    const item = /^(\d+)\. /.exec(said)?.[1];
    if (item !== undefined) items.add(item);
  }
  return sections;
}

/** The fragment that GitHub gives a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Every end of every path, and of the folders above it, so that a name may leave out folders before it. */
function knownNames(paths: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let end = 1; end <= parts.length; end += 1) names.add(`/${parts.slice(0, end).join('/')}`);
    for (let from = 1; from < parts.length; from += 1) names.add(parts.slice(from).join('/'));
  }
  return names;
}

function exists(known: ReadonlySet<string>, from: string, name: string): boolean {
  const beside = posix.join(posix.dirname(from), name);
  const target = name.startsWith('../') ? beside : name.replace(/^\.\/|\/$/g, '');
  if (!/[{*]/.test(target))
    return known.has(target) || [target, beside].some((path) => known.has(`/${path}`));
  const pattern = target
    .replaceAll('.', '\\.')
    .replaceAll(/\*+/g, '.*')
    .replaceAll(/\{([^}]*)\}/g, (_, choices: string) => `(?:${choices.replaceAll(',', '|')})`);
  const shape = new RegExp(`^/?${pattern}$`);
  return [...known].some((one) => shape.test(one));
}

interface Line {
  /** From 1. */
  readonly line: number;
  readonly said: string;
}

/** The lines of a page outside of blocks of code. */
function prose(page: string): readonly Line[] {
  let isCode = false;
  return page.split('\n').flatMap((said, index) => {
    if (/^\s*```/.test(said)) isCode = !isCode;
    return isCode ? [] : [{ line: index + 1, said }];
  });
}

function comments(source: string): readonly Line[] {
  return source.split('\n').flatMap((text, index) => {
    const said = /^\s*(?:\/\/|\/\*|\*)/.test(text) ? text : (/\s\/\/ .*$/.exec(text)?.[0] ?? '');
    return said === '' ? [] : [{ line: index + 1, said }];
  });
}
