// The JSON blocks of a page of docs/ are real responses. After a change, run the test with -u to write the page.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { expect } from 'vitest';

/**
 * Compares a page with the responses to its requests.
 *
 * @param page the name of a file in docs/.
 * @param request the text between two responses: its first group is what `respond` gets. A JSON block follows it.
 */
export async function expectResponses(
  page: string,
  request: RegExp,
  respond: (request: string) => object | Promise<object>,
): Promise<void> {
  const file = fileURLToPath(new URL(`../docs/${page}`, import.meta.url));
  const pattern = new RegExp(`${request.source}\`\`\`json\\n(?<response>.*?)^\`\`\`\\n`, 'ms');
  let text = '';
  let rest = readFileSync(file, 'utf8');
  for (let found = pattern.exec(rest); found !== null; found = pattern.exec(rest)) {
    const [whole, given = ''] = found;
    const before = whole.slice(0, whole.lastIndexOf('```json\n'));
    const response = await format(JSON.stringify(await respond(given)), { parser: 'json', printWidth: 120 });
    text += `${rest.slice(0, found.index)}${before}\`\`\`json\n${response}\`\`\`\n`;
    rest = rest.slice(found.index + whole.length);
  }
  expect(text).not.toBe('');
  const written = await format(text + rest, { ...(await resolveConfig(file)), filepath: file });
  await expect(written).toMatchFileSnapshot(file);
}
