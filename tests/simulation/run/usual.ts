/** What histories are about unless the command line says otherwise. */
export const CHAINS = ['ethereum', 'tron', 'solana', 'xrp', 'ton', 'bitcoin', 'litecoin', 'monero'] as const;
/** Most turns of a history. */
export const TURNS = 30;
