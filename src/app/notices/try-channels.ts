/** Sends a message to every recipient of notices, so that an operator sees that they arrive. */
import type { NoticeChannelName, NoticeFailure } from '../../domain/notices/operator-notice.ts';
import type { NoticeChannel } from '../../ports/notices/notice-channel.ts';
import type { AppDependencies } from '../dependencies.ts';
import { testMessage } from './write-notice.ts';

export interface TriedRecipient {
  readonly channel: NoticeChannelName;
  /** Empty for the webhook. */
  readonly recipient: string;
  readonly outcome: 'sent' | NoticeFailure;
}

/** Stores nothing. One after the other, in the order of the settings. */
export function tryChannels(
  { clock, ids }: Pick<AppDependencies, 'clock' | 'ids'>,
  { channels, site }: { readonly channels: readonly NoticeChannel[]; readonly site: string },
): () => Promise<readonly TriedRecipient[]> {
  return async () => {
    const at = clock.now();
    const tried: TriedRecipient[] = [];
    for (const channel of channels)
      for (const recipient of channel.recipients) {
        const outcome = await channel.send(testMessage({ id: `${ids.id()}.test`, recipient, at }, site));
        tried.push({ channel: channel.name, recipient, outcome });
      }
    return tried;
  };
}
