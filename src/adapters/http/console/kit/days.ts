/** Days of filters, in UTC. */

/** The first or the last instant of the day that a field names; null for none. */
export function dayOf(query: URLSearchParams, name: string, edge: 'begins' | 'ends'): Date | null {
  const text = query.get(name) ?? '';
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const at = new Date(`${text}T${edge === 'begins' ? '00:00:00' : '23:59:59.999'}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}
