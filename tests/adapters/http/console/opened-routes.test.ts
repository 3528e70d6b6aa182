/** Each page and action of the console is opened by a browser test. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { consoleStage } from '../../../support/console/console-stage.ts';
import { nameOf, OPENED } from '../../../support/console/opened-routes.ts';

const FILES = join(import.meta.dir, '../../../browser/console');

test('every route of the console is opened by a browser test', () => {
  const { table } = consoleStage();
  expect(Object.values<readonly string[]>(OPENED).flat().toSorted()).toEqual(table.map(nameOf).toSorted());
});

test.each(Object.keys(OPENED))('%s holds itself to what it is to open', async (file) => {
  expect(await Bun.file(join(FILES, `${file}.test.ts`)).text()).toMatch(
    new RegExp(`opensAll\\((on|\\{ stage \\}), '${file}'\\);`),
  );
});
