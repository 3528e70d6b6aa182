/**
 * Matches a path to a route's pattern whatever the method, for the 405 that the router does not
 * have.
 */

export type PathParams = Readonly<Record<string, string | undefined>>;

/** The path of a URL without a trailing slash. */
export function pathOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? '/';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** The named parts of `path`, or null when it does not match the pattern. */
export function matchPath(pattern: string, path: string): PathParams | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const actual = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = actual;
    else if (part !== actual) return null;
  }
  return params;
}
