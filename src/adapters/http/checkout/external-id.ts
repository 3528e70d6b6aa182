const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The public id in a path of the checkout, in lower case as it is stored. Null unless it is a UUID.
 */
export function externalIdOf(params: Readonly<Record<string, string | undefined>>): string | null {
  const id = params.external_id ?? '';
  return UUID.test(id) ? id.toLowerCase() : null;
}
