/** The subscription to new heads of an EVM node (`eth_subscribe`), and its messages. */
import { fields } from '../shared/nodes/answers.ts';
import type { HeadWords } from '../shared/nodes/head-streams.ts';
import { smallNumber } from './decode.ts';

export const evmHeadWords: HeadWords = {
  subscribe: { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] },
  headIn({ method, params }) {
    if (method !== 'eth_subscription') return null;
    const { number } = fields(fields(params, 'subscription').result, 'head');
    return { height: smallNumber(number, 'head number') };
  },
};
