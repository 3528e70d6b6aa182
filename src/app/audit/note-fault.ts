/** Bounds what people write: it is kept for good, in the audit log and beside what it is about. */
import { NOTE_LENGTH_MAX } from '../../domain/audit/audit-entry.ts';
import { type AppError, validationError } from '../../domain/errors.ts';

/** Null: it may be kept. */
export function noteFault(field: string, note: string | null): AppError | null {
  if (note === null || note.length <= NOTE_LENGTH_MAX) return null;
  return validationError([{ field, message: `must have at most ${NOTE_LENGTH_MAX} characters` }]);
}
