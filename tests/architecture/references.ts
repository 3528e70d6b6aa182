/**
 * What pages and comments name: files, sections of pages, safety cases, decisions. One sentence per
 * name that leads nowhere.
 */
import { posix } from 'node:path';
import type { SourceFile } from './source-tree.ts';

export interface Repository {
  readonly paths: readonly string[];
  /** What `bun run` can run, here and in the clients. */
  readonly scripts: readonly string[];
  readonly pages: readonly SourceFile[];
  readonly sources: readonly SourceFile[];
}

/**
 * `fee.ts`, `domain/money/fee.ts`, `tests/support/{ton,xrp}`: a file, or what lies in a folder of
 * the first level.
 */
const PATH =
  /(?<![\w/.@:-])(?:\.{1,2}\/)*(?:(?:[\w.{},*-]+\/)*[\w{},*-][\w.{},*-]*\.(?:md|ts|sh|sql)\b|(?:src|tests|docs|scripts|bench|drizzle|clients)\/[\w{},*-][\w./{},*-]*)/g;
const SECTION = /\b([\w-]+\.md|[Ss]pecification),\s"([^"]+)"(?:\s(\d+))?/g;
const SAFETY = /\bsafety\.md\s((?:[A-Z]\d{1,2}(?:,\s|\sand\s|\/)?)+)/g;
const DECISION = /\b[Dd]ecisions?\s(\d{4}(?:(?:,\s|\sand\s|\sto\s)\d{4})*)/g;
const RUN = /\bbun run (?:--\w+ )*([a-z]+(?::[a-z]+)*)/g;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)|<img src="([^"]+)"/g;

export function brokenReferences({ paths, scripts, pages, sources }: Repository): readonly string[] {
  const safety = pages.find(({ path }) => path === 'docs/safety.md')?.text ?? '';
  const book: Book = {
    known: knownNames(paths),
    sections: new Map(pages.map(({ path, text }) => [path, sectionsOf(text)])),
    cases: new Set([...safety.matchAll(/^\| ([A-Z]\d{1,2}) \|/gm)].map(([, id = '']) => id)),
    decisions: new Set(pages.flatMap(({ path }) => /^docs\/decisions\/(\d+)-/.exec(path)?.[1] ?? [])),
  };
  return [
    ...pages.flatMap(({ path, text }) => [
      ...brokenNames(path, withoutLinks(proseOf(text)), book),
      ...brokenLinks(path, proseOf(text), book),
      ...[...text.matchAll(RUN)].flatMap((match) =>
        scripts.includes(match[1] ?? '')
          ? []
          : [`${placeOf(path, match)} names ${match[0]}: there is no such script`],
      ),
    ]),
    ...sources.flatMap(({ path, text }) => brokenNames(path, commentsOf(text), book)),
  ];
}

/** What there is to be named. */
interface Book {
  readonly known: ReadonlySet<string>;
  readonly sections: ReadonlyMap<string, readonly Section[]>;
  /** Ids of docs/safety.md. */
  readonly cases: ReadonlySet<string>;
  /** Numbers of docs/decisions. */
  readonly decisions: ReadonlySet<string>;
}

interface Section {
  readonly title: string;
  readonly anchor: string;
  /** Numbers of its numbered points. */
  readonly items: ReadonlySet<string>;
}

function brokenNames(path: string, said: string, book: Book): readonly string[] {
  const faults: string[] = [];
  const fault = (match: RegExpExecArray, name: string, what: string) =>
    faults.push(`${placeOf(path, match)} names ${name}: ${what}`);
  for (const match of said.matchAll(PATH)) {
    const name = match[0].replace(/[.,]+$/, '');
    if (!exists(book.known, path, name)) fault(match, name, 'there is no such file');
  }
  for (const match of said.matchAll(SECTION)) {
    const [name, page = '', title = '', item] = match.map((part) => part?.replaceAll(/\s+/g, ' '));
    const file = page.endsWith('.md') ? page : 'specification.md';
    const sections = [...book.sections].flatMap(([at, all]) => (`/${at}`.endsWith(`/${file}`) ? all : []));
    const section = sections.find((one) => one.title === title);
    if (!section) fault(match, name ?? '', `${file} has no such section`);
    else if (item !== undefined && !section.items.has(item)) fault(match, name ?? '', 'it has no such point');
  }
  for (const match of said.matchAll(SAFETY))
    for (const [id] of (match[1] ?? '').matchAll(/[A-Z]\d{1,2}/g))
      if (!book.cases.has(id)) fault(match, `safety.md ${id}`, 'docs/safety.md has no such case');
  for (const match of said.matchAll(DECISION))
    for (const [number] of (match[1] ?? '').matchAll(/\d+/g))
      if (!book.decisions.has(number)) fault(match, `decision ${number}`, 'there is no such record');
  return faults;
}

/** The text of a link may go over two lines. */
function brokenLinks(page: string, said: string, book: Book): readonly string[] {
  return [...said.matchAll(LINK)].flatMap((match) => {
    const link = match[1] ?? match[2] ?? '';
    const wrong = faultOfLink(page, link, book);
    return wrong === null ? [] : [`${placeOf(page, match)} links to ${link}: ${wrong}`];
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

/** The file, and the line from 1. */
function placeOf(path: string, { input, index }: RegExpExecArray): string {
  return `${path}:${input.slice(0, index).split('\n').length}`;
}

function sectionsOf(page: string): readonly Section[] {
  const sections: Section[] = [];
  let items = new Set<string>();
  for (const line of proseOf(page).split('\n')) {
    const title = /^#+ (.+)$/.exec(line)?.[1];
    if (title !== undefined) {
      items = new Set();
      sections.push({ title, anchor: anchorOf(title), items });
    }
    const item = /^(\d+)\. /.exec(line)?.[1];
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

/**
 * Every end of every path, and of the folders above it, so that a name may leave out folders before
 * it.
 */
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

/** A page with its blocks of code emptied: a line stays where it was. */
function proseOf(page: string): string {
  let isCode = false;
  return page
    .split('\n')
    .map((line) => {
      if (/^\s*```/.test(line)) isCode = !isCode;
      return isCode ? '' : line;
    })
    .join('\n');
}

function withoutLinks(prose: string): string {
  return prose.replaceAll(LINK, (link) => link.replaceAll(/[^\n]/g, ''));
}

/** The comments of a file without their marks: a line stays where it was. */
function commentsOf(source: string): string {
  return source
    .split('\n')
    .map(
      (line) =>
        /^\s*(?:\/\/|\/\*\*?|\*\/?)(.*)$/.exec(line)?.[1]?.trim() ?? /\s\/\/ .*$/.exec(line)?.[0] ?? '',
    )
    .join('\n');
}
