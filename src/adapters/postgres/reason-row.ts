/**
 * Two columns of a row <-> a reason: the code and its text, both present or both null (a CHECK of
 * each table).
 */
import type { Reason } from '../../domain/reason.ts';

export function reasonFromRow<Code extends string>(
  text: string | null,
  code: Code | null,
): Reason<Code> | null {
  return text === null || code === null ? null : { code, text };
}
