/** The risk check of payments, from the configured screeners. */
import { combinedScreener } from '../adapters/risk/combined-screener.ts';
import { denyListScreener } from '../adapters/risk/deny-list-screener.ts';
import { httpScreener } from '../adapters/risk/http-screener.ts';
import type { RiskConfig } from '../config/risk.ts';
import type { RiskScreener } from '../ports/deposits/risk-screener.ts';

const TIMEOUT_MS = 5_000;

/** All configured screeners. Without any, the deny list is empty and everything passes. */
export function riskScreener({ deny, denyFile, providerUrl }: RiskConfig): RiskScreener {
  return combinedScreener([
    denyListScreener({ addresses: deny, ...(denyFile === null ? {} : { file: denyFile }) }),
    ...(providerUrl === null ? [] : [httpScreener({ url: providerUrl, timeoutMs: TIMEOUT_MS })]),
  ]);
}
