/** A statement's name in a story: what it does first, and to which table. */

const DOES = /\b(insert into|update|delete from|from|pg_advisory_xact_lock)\s*"?([a-z_]*)/i;
const LOCKS = /\bfor (no key update|update|share|key share)\b/i;

const labels = new Map<string, string>();

export function statementLabel(text: string): string {
  const known = labels.get(text);
  if (known !== undefined) return known;
  const [, verb = 'select', table = ''] = DOES.exec(text) ?? [];
  const lock = LOCKS.exec(text)?.[0];
  const does = verb.toLowerCase() === 'from' ? 'select from' : verb.toLowerCase();
  const label = [does, table, lock].filter(Boolean).join(' ');
  labels.set(text, label);
  return label;
}
