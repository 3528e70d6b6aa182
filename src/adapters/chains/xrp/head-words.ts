/** The subscription to validated ledgers of an XRP server (`subscribe`), and its messages. */
import type { HeadWords } from '../shared/nodes/head-streams.ts';
import { whole } from './codec/decode.ts';

export const xrpHeadWords: HeadWords = {
  subscribe: { id: 1, command: 'subscribe', streams: ['ledger'] },
  headIn: ({ type, ledger_index: height }) =>
    type === 'ledgerClosed' ? { height: whole(height, 'ledger index') } : null,
};
