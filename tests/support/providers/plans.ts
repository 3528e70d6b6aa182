/**
 * Plans of real providers: what they allow, and the very words with which they refuse more. Limits
 * and texts are those of public pages and of public code that met them (November 2026); they
 * change.
 */

export interface Plan {
  readonly name: string;
  /** Calls in any second; null: not limited. */
  readonly perSecond: number | null;
  /** Calls since midnight UTC. */
  readonly perDay?: number;
  /** Calls in one request. */
  readonly batchMost?: number;
  /** Blocks of one eth_getLogs. */
  readonly logBlocksMost?: number;
  /** Seconds for which it answers nothing after a call too many. */
  readonly suspendsFor?: number;
  /** Whether a batch is refused call by call, those that had room being answered. */
  readonly refusesByCall?: boolean;
  /** `suspendedFor`: seconds that are left. */
  refuse(refused: { readonly suspendedFor: number; readonly ofDay: boolean }): RefusedAnswer;
}

export interface RefusedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a JSON-RPC answer; it gets the id of the call. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** Of any other. */
  readonly body?: unknown;
}

export const UNLIMITED: Plan = {
  name: 'a node of one’s own',
  perSecond: null,
  refuse: () => ({ status: 500 }),
};

export const ALCHEMY_FREE: Plan = {
  name: 'Alchemy, free',
  perSecond: 25,
  logBlocksMost: 10,
  refusesByCall: true,
  refuse: () => ({
    status: 200,
    error: {
      code: 429,
      message:
        'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
    },
  }),
};

export const INFURA_FREE: Plan = {
  name: 'Infura, free',
  perSecond: 25,
  refuse: ({ ofDay }) => ({
    status: ofDay ? 402 : 429,
    error: {
      code: -32_005,
      message: 'daily request count exceeded, request rate limited',
      data: { rate: { allowed_rps: 1, backoff_seconds: 2, current_rps: 26 } },
    },
  }),
};

const quicknode = (name: string, perSecond: number): Plan => ({
  name,
  perSecond,
  refuse: () => ({
    status: 429,
    error: {
      code: -32_007,
      message: `${perSecond}/second request limit reached - reduce calls per second or upgrade your account at quicknode.com`,
    },
  }),
});
export const QUICKNODE_FREE = quicknode('QuickNode, free', 15);
export const QUICKNODE_BUILD = quicknode('QuickNode, Build', 50);

export const HELIUS_FREE: Plan = {
  name: 'Helius, free',
  perSecond: 10,
  refuse: () => ({ status: 429, error: { code: -32_429, message: 'rate limited' } }),
};

export const TRONGRID: Plan = {
  name: 'TronGrid, with a key',
  perSecond: 15,
  perDay: 100_000,
  suspendsFor: 30,
  refuse: ({ suspendedFor }) => ({
    status: 403,
    body: {
      Error: `The key exceeds the frequency limit(15), and the query server is suspended for ${suspendedFor} s`,
    },
  }),
};

const toncenter = (name: string, perSecond: number): Plan => ({
  name,
  perSecond,
  refuse: () => ({ status: 429, body: { ok: false, result: 'Ratelimit exceed', code: 429 } }),
});
export const TONCENTER_FREE = toncenter('toncenter, Free', 10);
export const TONCENTER_PLUS = toncenter('toncenter, Plus', 25);

export const PUBLIC_RIPPLED: Plan = {
  name: 'a public XRP server',
  perSecond: 5,
  refuse: () => ({
    status: 200,
    body: {
      result: {
        ...{ status: 'error', error: 'slowDown', error_code: 10 },
        error_message: 'You are placing too much load on the server.',
      },
    },
  }),
};

export const PUBLIC_ESPLORA: Plan = {
  name: 'a public Esplora server',
  perSecond: 4,
  refuse: () => ({ status: 429, headers: { 'retry-after': '2' }, body: 'Too Many Requests' }),
};

export const PUBLIC_MONEROD: Plan = {
  name: 'a public Monero node',
  perSecond: 5,
  refuse: () => ({ status: 429, body: '<html><head><title>429 Too Many Requests</title></head></html>' }),
};
