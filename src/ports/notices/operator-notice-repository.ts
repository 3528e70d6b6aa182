/** The notices to operators and their messages. Inside UnitOfWork.run only. */
import type {
  NoticeChannelName,
  NoticeDelivery,
  OperatorNotice,
} from '../../domain/notices/operator-notice.ts';

export interface NoticeRecipient {
  readonly channel: NoticeChannelName;
  readonly recipient: string;
}

export interface TakenDelivery {
  readonly delivery: NoticeDelivery;
  /** As it is now, and not as it was when the message was planned. */
  readonly notice: OperatorNotice;
}

export interface OperatorNoticeRepository {
  /**
   * The newest notice of the event and subject; null if there is none. Until the transaction ends,
   * others wait who lock the same.
   */
  lockNewest(of: { event: string; subject: string }): Promise<OperatorNotice | null>;
  /**
   * The open ones of an event, one of each subject, by subject. Not locked. A process that
   * did not raise an alarm finds here that somebody did.
   */
  openOf(event: string): Promise<readonly OperatorNotice[]>;
  /** Inserts or replaces it. */
  save(notice: OperatorNotice): Promise<void>;
  /**
   * Queues the messages that are due of notices of the last day, for each recipient once. `again`
   * and `over` follow a `raised` that was sent and did not report the end itself. A notice that was
   * replaced has none any more.
   */
  plan(of: { to: readonly NoticeRecipient[]; now: Date }): Promise<void>;
  /**
   * Begins a try of up to `limit` due messages of a channel, those that wait longest first:
   * counted, and not due again before `until`. Skips locked rows.
   */
  take(of: {
    channel: NoticeChannelName;
    now: Date;
    until: Date;
    limit: number;
  }): Promise<readonly TakenDelivery[]>;
  saveDelivery(delivery: NoticeDelivery): Promise<void>;
  /** Deletes up to `limit` notices, with their messages, last raised before `before`. */
  forget(of: { before: Date; limit: number }): Promise<number>;
}
