/** Carries an order of a form out, and leads on. */
import type { DeskFault, Ordered } from '../../../../app/console/merchant-desk.ts';
import type { Result } from '../../../../domain/result.ts';
import type { DoneCode } from './done.ts';
import type { MerchantCall } from './route.ts';
import type { Problem } from './shell.ts';

export interface Leading {
  /** Path below the merchant's or the operators' pages. */
  readonly at: string;
  readonly code: DoneCode;
  /** The page that shows a refusal. */
  readonly refused: (problem: Problem) => Response | Promise<Response>;
}

type Call = Pick<MerchantCall, 'shell' | 'base'>;

export async function acted(
  { shell, base }: Call,
  doing: Promise<Result<unknown, DeskFault>>,
  { at, code, refused }: Leading,
): Promise<Response> {
  const done = await doing;
  return done.ok ? shell.done(`${base}${at}`, code) : refused(done.error);
}

/** The same for what may wait for a second person. */
export async function ordered(
  { shell, base }: Call,
  doing: Promise<Result<Ordered<unknown>, DeskFault>>,
  { at, code, refused }: Leading,
): Promise<Response> {
  const done = await doing;
  if (!done.ok) return refused(done.error);
  return done.value.outcome === 'waiting'
    ? shell.done(`${base}/approvals`, 'approval_needed')
    : shell.done(`${base}${at}`, code);
}
