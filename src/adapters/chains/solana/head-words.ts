/**
 * The subscription to new slots of a Solana node (`slotSubscribe`), and its messages. They carry no
 * height, since not every slot has a block.
 */
import type { HeadWords } from '../shared/nodes/head-streams.ts';

export const solanaHeadWords: HeadWords = {
  subscribe: { jsonrpc: '2.0', id: 1, method: 'slotSubscribe' },
  headIn: ({ method }) => (method === 'slotNotification' ? { height: null } : null),
};
