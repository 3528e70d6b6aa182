/**
 * Sends the messages of notices to one of the operators' channels: one that is away delays no
 * other. The network is outside the transactions: a process that dies after sending sends once more
 * after TRY_MS, with the same id.
 */
import { deliveryAfter, type NoticeDelivery, TRY_MS } from '../../domain/notices/operator-notice.ts';
import type { NoticeChannel } from '../../ports/notices/notice-channel.ts';
import type { AppDependencies } from '../dependencies.ts';
import { noticeMessage } from './write-notice.ts';

type SendNeeds = Pick<AppDependencies, 'unitOfWork' | 'clock' | 'logger'>;

/** Sends up to `limit` due ones, and returns how many were tried. */
export function sendNotices(
  deps: SendNeeds,
  { channel, site }: { readonly channel: NoticeChannel; readonly site: string },
): (limit: number) => Promise<number> {
  const to = channel.recipients.map((recipient) => ({ channel: channel.name, recipient }));
  return async (limit) => {
    const now = deps.clock.now();
    const until = new Date(now.getTime() + TRY_MS);
    const taken = await deps.unitOfWork.run(async ({ operatorNotices }) => {
      await operatorNotices.plan({ to, now });
      return operatorNotices.take({ channel: channel.name, now, until, limit });
    });
    for (const { delivery, notice } of taken) {
      const outcome = await channel.send(noticeMessage(delivery, notice, site));
      const next = deliveryAfter(delivery, { outcome, told: notice.status, at: deps.clock.now() });
      await deps.unitOfWork.run(({ operatorNotices }) => operatorNotices.saveDelivery(next));
      tell(deps, notice.event, next);
    }
    return taken.length;
  };
}

/** Never as an alarm: an alarm would be a notice again. */
function tell(
  { logger }: SendNeeds,
  alarm: string,
  { noticeId, channel, message, status, failure, tries }: NoticeDelivery,
): void {
  const fields = { noticeId, alarm, channel, message, failure, tries };
  if (status === 'given_up') logger.error('notice.given_up', fields);
  else if (failure !== null) logger.warn('notice.not_sent', fields);
}

const KEPT_DAYS = 90;
const DAY_MS = 86_400_000;

/** Forgets up to `limit` notices that were last raised 90 days ago, and returns how many. */
export function forgetNotices({
  unitOfWork,
  clock,
}: Pick<AppDependencies, 'unitOfWork' | 'clock'>): (limit: number) => Promise<number> {
  return (limit) => {
    const before = new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS);
    return unitOfWork.run(({ operatorNotices }) => operatorNotices.forget({ before, limit }));
  };
}
