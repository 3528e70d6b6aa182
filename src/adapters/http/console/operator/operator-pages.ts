/** What the pages of the operators' console are made from. */
import type { Application } from '../../../../app/application.ts';
import type { DeskFault, Ordered } from '../../../../app/console/merchant-desk.ts';
import type { OperatorDesk } from '../../../../app/console/operator-desk.ts';
import type { AssetCatalog } from '../../../../domain/catalog/asset.ts';
import type { AppError } from '../../../../domain/errors.ts';
import type { Result } from '../../../../domain/result.ts';
import type { Queries } from '../../../../ports/list-queries.ts';
import type { OperatorQueries } from '../../../../ports/operator-queries.ts';
import type { DoneCode } from '../kit/done.ts';
import type { OperatorCall } from '../kit/route.ts';

export interface OperatorPages {
  readonly desk: OperatorDesk;
  readonly queries: Queries;
  readonly operatorQueries: OperatorQueries;
  readonly console: Application['console'];
  readonly catalog: AssetCatalog;
}

type Refused = (problem: AppError) => Response | Promise<Response>;

/** Carries an action out, and leads to a page; a refusal is shown by `refused`. */
export async function acted(
  { shell, base }: OperatorCall,
  doing: Promise<Result<unknown, DeskFault>>,
  { at, code, refused }: { at: string; code: DoneCode; refused: Refused },
): Promise<Response> {
  const done = await doing;
  return done.ok ? shell.done(`${base}${at}`, code) : refused(done.error as AppError);
}

/** The same for what may wait for a second person. */
export async function orderedBy(
  { shell, base }: OperatorCall,
  doing: Promise<Result<Ordered<unknown>, DeskFault>>,
  { at, code, refused }: { at: string; code: DoneCode; refused: Refused },
): Promise<Response> {
  const done = await doing;
  if (!done.ok) return refused(done.error as AppError);
  return done.value.outcome === 'waiting'
    ? shell.done(`${base}/approvals`, 'approval_needed')
    : shell.done(`${base}${at}`, code);
}
