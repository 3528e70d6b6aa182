/** What the pages of a merchant's console are made from. */
import type { Application } from '../../../../app/application.ts';
import type { MerchantDesk } from '../../../../app/console/merchant-desk.ts';
import type { ApiContext } from '../../kit/call.ts';
import type { MerchantCall } from '../kit/route.ts';

export interface MerchantPages {
  readonly application: Application;
  readonly desk: MerchantDesk;
  /** For the rules of the API's bodies. */
  readonly api: ApiContext;
  /** Logs a bug that shows after the response has begun. */
  onBug(thrown: unknown): void;
}

export function formIdOf({ form }: MerchantCall): string {
  return form.text('form_id');
}
