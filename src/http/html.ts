/** HTML that may be sent as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | Html[] | string | undefined;

/** Writes HTML: whatever is put in that is no HTML already is escaped. `undefined` is nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, index) => `${text}${textOf(parts[index])}`).join(''));
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(({ text }) => text).join('') : escapeHtml(part);
}

/** A text as HTML that shows it, in an element or in an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
