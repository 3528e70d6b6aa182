/** What the pages of the operators' console are made from. */
import type { Application } from '../../../../app/application.ts';
import type { OperatorDesk } from '../../../../app/console/operator-desk.ts';
import type { AssetCatalog } from '../../../../domain/catalog/asset.ts';
import type { OperatorQueries } from '../../../../ports/operator-queries.ts';

export interface OperatorPages {
  readonly desk: OperatorDesk;
  readonly operatorQueries: OperatorQueries;
  readonly console: Application['console'];
  readonly catalog: AssetCatalog;
  readonly checkoutUrl: string;
}
