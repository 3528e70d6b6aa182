/** A notice as it is read for operators. */
import type { OperatorNotice } from '../../domain/notices/operator-notice.ts';

export interface StoredNotice extends OperatorNotice {
  /** Messages that were sent, that wait for an attempt, and that nobody took for a day. */
  readonly sent: number;
  readonly unsent: number;
  readonly givenUp: number;
}
