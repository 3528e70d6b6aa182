/** Which route a path belongs to, whatever its method: for 405, which the router does not know. */

export type PathParams = Readonly<Record<string, string | undefined>>;

/** The path of a request's URL without a slash at its end. */
export function pathOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? '/';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** The named parts of `path` under a route's pattern, or null when it is another path. */
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
