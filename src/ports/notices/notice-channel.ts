/** One way to reach the operators. */

import type { JsonObject } from '../../domain/money/json.ts';
import type { NoticeChannelName } from '../../domain/notices/operator-notice.ts';

export interface NoticeMessage {
  /** The same at each try. */
  readonly id: string;
  readonly recipient: string;
  /** One line. */
  readonly title: string;
  /** Plain text of several lines, the title first. */
  readonly text: string;
  readonly event: string;
  readonly subject: string;
  readonly status: 'alarm' | 'over';
  readonly fields: JsonObject;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface NoticeChannel {
  readonly name: NoticeChannelName;
  readonly recipients: readonly string[];
  /** Never rejects. */
  send(message: NoticeMessage): Promise<'sent' | 'refused' | 'unreachable'>;
}
