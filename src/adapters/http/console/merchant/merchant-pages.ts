/** What the pages of a merchant's console are made from, and what they say of refusals. */
import type { Application } from '../../../../app/application.ts';
import type { DeskFault, MerchantDesk, Ordered } from '../../../../app/console/merchant-desk.ts';
import type { AppError } from '../../../../domain/errors.ts';
import type { Result } from '../../../../domain/result.ts';
import type { ApiContext } from '../../kit/call.ts';
import type { DoneCode } from '../kit/done.ts';
import type { MerchantCall } from '../kit/route.ts';

export interface MerchantPages {
  readonly application: Application;
  readonly desk: MerchantDesk;
  /** For the rules of the API's bodies. */
  readonly api: ApiContext;
  /** Logs a bug that shows after the response has begun. */
  onBug(thrown: unknown): void;
}

/** A fault of a desk as the pages show it. */
export function problemOf(fault: DeskFault): AppError {
  return fault as AppError;
}

export function formIdOf({ form }: MerchantCall): string {
  return form.text('form_id');
}

/** Leads on after an order, which may wait for a second person. */
export function ordered(
  { shell, base }: MerchantCall,
  done: Ordered<unknown>,
  { at, code }: { at: string; code: DoneCode },
): Response {
  return done.outcome === 'waiting'
    ? shell.done(`${base}/approvals`, 'approval_needed')
    : shell.done(`${base}${at}`, code);
}

/** Carries out an action of one thing, and leads back to its page; a refusal is shown there. */
export async function acted(
  { shell, base }: MerchantCall,
  doing: Promise<Result<unknown, DeskFault>>,
  {
    at,
    code,
    refused,
  }: { at: string; code: DoneCode; refused: (problem: AppError) => Response | Promise<Response> },
): Promise<Response> {
  const done = await doing;
  return done.ok ? shell.done(`${base}${at}`, code) : refused(problemOf(done.error));
}
