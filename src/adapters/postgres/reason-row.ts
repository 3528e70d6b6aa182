/** Two columns of a row <-> why something is as it is: the code and its text are both there, or neither is (a CHECK of each table). */
import type { Reason } from '../../domain/reason.ts';

export function reasonFromRow<Code extends string>(
  text: string | null,
  code: Code | null,
): Reason<Code> | null {
  return text === null || code === null ? null : { code, text };
}
