/** Headers of pages beside the checkout: they load what `sources` name, directives of a content security policy, and nothing else. */
export function pageHeaders(...sources: readonly string[]): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      ...sources,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}
