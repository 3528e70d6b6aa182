/** Functions of at most 80 lines and complexity 15, by lint. */
import { expect, test } from 'bun:test';
import config from '../../.oxlintrc.json';

const RULES = ['eslint/max-lines-per-function', 'eslint/complexity'];

test('only tests are exempt from the length and the complexity of functions', () => {
  const exempting = config.overrides.filter(({ rules }) => RULES.some((rule) => rule in rules));
  expect(exempting.flatMap(({ files }) => files)).toEqual(['tests/**']);
});
