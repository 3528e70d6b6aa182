/** How a Solana node is asked for new slots (`slotSubscribe`), and how it tells one. Not every slot has a block: no height is told. */
import type { HeadWords } from '../shared/nodes/head-streams.ts';

export const solanaHeadWords: HeadWords = {
  subscribe: { jsonrpc: '2.0', id: 1, method: 'slotSubscribe' },
  headIn: ({ method }) => (method === 'slotNotification' ? { height: null } : null),
};
