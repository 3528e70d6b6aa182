/**
 * A merchant's payment links: creating and changing them. An invoice keeps what it was opened with.
 */
import type { FiatCurrency } from '../../domain/catalog/fiat.ts';
import { type AppError, appError, validationError } from '../../domain/errors.ts';
import {
  LINKS_MAX,
  type LinkMode,
  type LinkSettings,
  linkFaults,
  NEW_LINK,
  type PaymentLink,
} from '../../domain/links/payment-link.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { WrittenLink } from '../../ports/links/payment-link-repository.ts';
import type { Scope } from '../../ports/list-queries.ts';
import type { Once } from '../../ports/stored-answers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { storeAnswer } from '../shared/store-answer.ts';
import { runResult } from '../shared/transaction-result.ts';

/** What is left out has its default (`NEW_LINK`). */
export interface NewPaymentLink extends Partial<Omit<LinkSettings, 'title'>>, Pick<LinkSettings, 'title'> {
  readonly mode: LinkMode;
  readonly fiatCurrency: FiatCurrency;
  /** Null: a random one. */
  readonly slug: string | null;
}

/** What is left out stays. */
export type LinkChange = Partial<LinkSettings>;

type Needs = Pick<AppDependencies, 'unitOfWork' | 'clock' | 'ids'>;

/**
 * Refused: settings that contradict each other, a slug that is taken, and more than LINKS_MAX
 * links. With `once` the response is stored with it.
 */
export function createPaymentLink(
  deps: Needs,
): (
  scope: Scope,
  input: NewPaymentLink,
  once?: Once<PaymentLink> | null,
) => Promise<Result<PaymentLink, AppError>> {
  return async (scope, { slug, ...given }, once = null) => {
    const now = deps.clock.now();
    const link: WrittenLink = {
      ...NEW_LINK,
      ...given,
      id: deps.ids.id(),
      slug: slug ?? randomSlug(deps, given.mode),
      ...{ merchantId: scope.merchantId, sandbox: scope.sandbox },
      createdAt: now,
      updatedAt: now,
    };
    const faults = linkFaults(link);
    if (faults.length > 0) return err(validationError(faults));
    return runResult(deps.unitOfWork, async (repositories) => {
      if ((await repositories.paymentLinks.count(scope)) >= LINKS_MAX)
        return err(
          validationError([{ field: 'mode', message: `is refused: there are ${LINKS_MAX} links already` }]),
        );
      if (!(await repositories.paymentLinks.insertIfAbsent(link)))
        return err(validationError([{ field: 'slug', message: 'is taken' }]));
      const stored = await repositories.paymentLinks.save(link);
      await storeAnswer(deps, repositories, scope, once, stored);
      return ok(stored);
    });
  };
}

/** Refused: an unknown link, and settings that contradict each other afterwards. */
export function changePaymentLink(
  deps: Needs,
): (scope: Scope, id: string, change: LinkChange) => Promise<Result<PaymentLink, AppError>> {
  return (scope, id, change) =>
    deps.unitOfWork.run(async (repositories) => {
      const link = await repositories.paymentLinks.lock(scope, id);
      if (link === null) return err(appError('NOT_FOUND', 'No such payment link.'));
      const changed = { ...link, ...change, updatedAt: deps.clock.now() };
      const faults = linkFaults(changed);
      if (faults.length > 0) return err(validationError(faults));
      return ok(await repositories.paymentLinks.save(changed));
    });
}

/** 48 random bits. For a till, whose URL is a secret, 122. */
function randomSlug({ ids }: Pick<Needs, 'ids'>, mode: LinkMode): string {
  const random = ids.uuid().replaceAll('-', '');
  // The thirteenth digit of a UUID is its version.
  return mode === 'point_of_sale' ? random : random.slice(0, 12);
}
