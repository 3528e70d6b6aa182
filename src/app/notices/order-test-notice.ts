/** A notice that is only a try: it goes the way of every alarm, from the database by a worker. */
import type { AppDependencies } from '../dependencies.ts';
import { TEST_NOTICE } from './write-notice.ts';

/** Each is a notice of its own, so that each is sent: alarms of an hour are one. */
export function orderTestNotice({
  clock,
  ids,
  unitOfWork,
}: Pick<AppDependencies, 'clock' | 'ids' | 'unitOfWork'>): () => Promise<void> {
  return () => {
    const now = clock.now();
    return unitOfWork.run(({ operatorNotices }) =>
      operatorNotices.save({
        ...{ id: ids.id(), event: TEST_NOTICE, subject: '', fields: {}, status: 'noted' },
        ...{ firstAt: now, lastAt: now, count: 1, overAt: null },
      }),
    );
  };
}
