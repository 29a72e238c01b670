import { parse, visit } from 'graphql';
import { expect, it } from 'vitest';
import { printPricedSchema } from '../../../../src/api/graphql/cost-directives.js';
import { schema } from '../../../../src/api/graphql/server/schema.js';

it('starts every description of the schema with a noun phrase or a verb', () => {
  const descriptions: string[] = [];
  visit(parse(printPricedSchema(schema)), {
    enter: (node) => {
      if ('description' in node && node.description !== undefined) descriptions.push(node.description.value);
    },
  });
  expect(descriptions.length).toBeGreaterThan(1000);
  const headless = /^(What|Which|Who|Whoever|Whether|It|They|That|Those)\b/;
  expect(descriptions.filter((description) => headless.test(description))).toEqual([]);
});
