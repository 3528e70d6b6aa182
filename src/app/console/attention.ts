/** What needs a merchant's attention now. */
import { ATTENTION_DAYS, type AttentionCode } from '../../domain/console/attention.ts';
import { DAY_MS } from '../../domain/console/day-figure.ts';
import type { AttentionCase, AttentionCounts } from '../../ports/console/attention-queries.ts';
import type { Page, PageRequest, Scope } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';

type Needs = Pick<AppDependencies, 'consoleQueries' | 'clock'>;

export interface AttentionPage extends Page<AttentionCase> {
  /** Of all codes. */
  readonly counts: AttentionCounts;
}

/** Newest first, with the exact total; of one code, or of all (null). */
export function attentionOf({ consoleQueries, clock }: Needs) {
  return async (scope: Scope, code: AttentionCode | null, page: PageRequest): Promise<AttentionPage> => {
    const from = earliest(clock.now());
    const counts = await consoleQueries.attentionCounts(scope, from);
    return { ...(await consoleQueries.attention(scope, { from, code, counts }, page)), counts };
  };
}

export function attentionCounts({ consoleQueries, clock }: Needs) {
  return (scope: Scope): Promise<AttentionCounts> =>
    consoleQueries.attentionCounts(scope, earliest(clock.now()));
}

const earliest = (now: Date) => new Date(now.getTime() - ATTENTION_DAYS * DAY_MS);
