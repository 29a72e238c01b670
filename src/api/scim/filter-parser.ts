// Parses filters (RFC 7644, section 3.4.2.2) and the paths of PATCH operations (section 3.5.2) by recursive descent.
import { comparisons } from '../../accounts/provisioning/filter.js';
import type { Comparison, Filter } from '../../accounts/provisioning/filter.js';
import { ScimError } from './scim-error.js';
import type { ScimType } from './scim-error.js';
import { groupSchema, userSchema } from './urns.js';

/** The maximum length of a filter or path (characters). */
export const filterLengthMax = 8_192;

/** The maximum nesting of a filter, and its maximum number of comparisons. */
export const filterDepthMax = 20;
export const filterTermsMax = 200;

/** The path of a PATCH operation: `name.familyName`, `members[value eq "…"]`, `emails[type eq "work"].value`. */
export interface AttributePath {
  /** An attribute, with a sub-attribute only if there is no filter. */
  path: string;
  filter?: Filter;
  sub?: string;
}

/** @throws {ScimError} 400 `invalidFilter` */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text, 'invalidFilter');
  const filter = parser.filter(0);
  parser.end();
  return filter;
}

/** @throws {ScimError} 400 `invalidPath` */
export function parsePath(text: string): AttributePath {
  const parser = new Parser(text, 'invalidPath');
  const path = parser.target();
  parser.end();
  return path;
}

/**
 * A path without the URN of a core schema, which names the same attribute. The URN of an extension stays.
 *
 * @param path such as `urn:ietf:params:scim:schemas:core:2.0:User:userName`
 */
function withoutCoreSchema(path: string): string {
  const lower = path.toLowerCase();
  const urn = [userSchema, groupSchema].find((each) => lower.startsWith(`${each.toLowerCase()}:`));
  return urn === undefined ? path : path.slice(urn.length + 1);
}

const attributeForm = /^[A-Za-z$][\w$-]*(\.[A-Za-z$][\w$-]*)?$/;
const extensionForm = /^urn:[\w.:-]+(:[A-Za-z$][\w$-]*(\.[A-Za-z$][\w$-]*)?)?$/i;

class Parser {
  #at = 0;
  #terms = 0;

  constructor(
    private readonly text: string,
    private readonly scimType: ScimType,
  ) {
    if (text.length > filterLengthMax) throw this.#error(`must be at most ${filterLengthMax} characters`);
  }

  end(): void {
    this.#read(/ */y);
    if (this.#at < this.text.length) throw this.#error('has more text than expected');
  }

  filter(depth: number): Filter {
    return this.#sequence('or', () => this.#sequence('and', () => this.#term(depth)));
  }

  #sequence(type: 'and' | 'or', operand: () => Filter): Filter {
    const first = operand();
    const filters = [first];
    const word = type === 'and' ? /(?: +|(?<=\)|\]) *)and(?= |\()/iy : /(?: +|(?<=\)|\]) *)or(?= |\()/iy;
    while (this.#read(word) !== undefined) filters.push(operand());
    return filters.length === 1 ? first : { type, filters };
  }

  #term(depth: number): Filter {
    if (depth > filterDepthMax) throw this.#error(`must have at most ${filterDepthMax} levels`);
    if (++this.#terms > filterTermsMax) throw this.#error(`must have at most ${filterTermsMax} comparisons`);
    this.#read(/ */y);
    const isNegated = this.#read(/not *(?=\()/iy) !== undefined;
    if (isNegated || this.text[this.#at] === '(') {
      this.#expect(/\(/y, '(');
      const filter = this.filter(depth + 1);
      this.#expect(/ *\)/y, ')');
      return isNegated ? { type: 'not', filter } : filter;
    }
    const { path, filter, sub } = this.target(depth);
    if (filter === undefined) return this.#comparison(path);
    // Not in the grammar, but Entra ID sends it: emails[type eq "work"].value eq "…".
    const inner: Filter = sub === undefined ? filter : { type: 'and', filters: [filter, this.#comparison(sub)] };
    return { type: 'values', path, filter: inner };
  }

  /** `attribute`, `attribute.sub`, `attribute[filter]` or `attribute[filter].sub` */
  target(depth = 0): AttributePath {
    const path = this.#path();
    if (this.#read(/\[/y) === undefined) return { path };
    const filter = this.filter(depth + 1);
    this.#expect(/ *\]/y, ']');
    const sub = this.#sub();
    return { path, filter, ...(sub === undefined ? {} : { sub }) };
  }

  #sub(): string | undefined {
    return this.#read(/\.[A-Za-z$][\w$-]*/y)?.slice(1);
  }

  #path(): string {
    const path = withoutCoreSchema(this.#read(/[\w$.:-]+/y) ?? '');
    if (attributeForm.test(path) || extensionForm.test(path)) return path;
    throw this.#error('must have the name of an attribute');
  }

  #comparison(path: string): Filter {
    if (this.#read(/ +pr(?= |\)|\]|$)/iy) !== undefined) return { type: 'present', path };
    const word = this.#read(/ +[a-z]+(?= )/iy)
      ?.trim()
      .toLowerCase();
    const operator = comparisons.find((each): each is Comparison => each === word);
    if (operator === undefined) throw this.#error(`must have one of the operators ${comparisons.join(', ')}, pr`);
    this.#read(/ +/y);
    return { type: 'compare', path, operator, value: this.#value() };
  }

  #value(): string | number | boolean | null {
    const json = this.#read(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true\b|false\b|null\b/y);
    try {
      const value: unknown = JSON.parse(json ?? '');
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
      return null;
    } catch {
      throw this.#error('must have a value in JSON: a text in double quotes, a number, true, false or null');
    }
  }

  #read(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #expect(pattern: RegExp, shown: string): void {
    if (this.#read(pattern) === undefined) throw this.#error(`must have ${shown}`);
  }

  #error(rule: string): ScimError {
    const what = this.scimType === 'invalidPath' ? 'The path' : 'The filter';
    return new ScimError(400, this.scimType, `${what} ${rule} (at character ${this.#at + 1}).`);
  }
}
