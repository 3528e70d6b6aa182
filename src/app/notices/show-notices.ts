/** The alarms as the console shows them: each with what it means and what to do. */
import type { StoredNotice } from '../../ports/notices/stored-notice.ts';
import type { AppDependencies } from '../dependencies.ts';
import { type AlarmAdvice, adviceOn } from './write-notice.ts';

export interface ShownNotice extends StoredNotice, AlarmAdvice {}

/** Up to `limit` notices: open ones first, then the newest first. */
export function showNotices({
  operatorQueries,
}: Pick<AppDependencies, 'operatorQueries'>): (of: { limit: number }) => Promise<readonly ShownNotice[]> {
  return async (of) => {
    const notices = await operatorQueries.operatorNotices(of);
    return notices.map((notice) => ({ ...notice, ...adviceOn(notice.event) }));
  };
}
