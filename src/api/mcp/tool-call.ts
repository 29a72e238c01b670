// The call of a tool: executes GraphQL documents for the caller of the HTTP request, by the pipeline of /graphql.
import { readFileSync } from 'node:fs';
import type { ExecutionResult } from 'graphql';
import { OperationTypeNode } from 'graphql';
import { scopeRequired } from '../../errors.js';
import type { ApiError } from '../../errors.js';
import { isMap } from '../../manifests/shape-document.js';
import { contextOfOperation } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import type { Exchange } from '../../http/exchange.js';
import { readDocument } from '../graphql/server/document.js';
import { executeOperation } from '../graphql/server/execute.js';
import { formatErrors } from '../graphql/server/format-error.js';
import type { GraphqlServices } from '../graphql/server/graphql-services.js';
import { findOperation } from '../graphql/server/operation.js';
import { PersistedDocuments } from '../graphql/server/persisted-documents.js';
import { onPrice } from '../graphql/server/server.js';
import { missingScopes } from './missing-scopes.js';

export type Values = Record<string, unknown>;

/** Services and settings of the MCP server. */
export interface McpServices extends GraphqlServices {
  /** The version of this program. */
  version: string;
}

/** A failure of a tool that the assistant is told. */
export class ToolError extends Error {
  constructor(
    /** A code of the GraphQL API. */
    readonly code: string,
    message: string,
    /** Further facts, such as the fields of the input that are not valid. */
    readonly details: Values = {},
  ) {
    super(message);
  }
}

interface Asked {
  operationName?: string | undefined;
  variables?: Values;
  /** Makes a mutation run once, however often the assistant repeats the call. */
  idempotencyKey?: string | undefined;
}

/** The result of a document of this service. */
interface ToolData {
  data: Values;
  errors: ToolError[];
  /** The error for a tool that can do nothing without the parts that the credential lacks scopes for. */
  denied?: MissingScopes;
}

/** One call of a tool, by one caller. */
export class ToolCall {
  constructor(
    private readonly services: McpServices,
    private readonly exchange: Exchange,
    readonly ctx: RequestContext,
  ) {}

  /** The current time. */
  now(): Date {
    return this.services.now();
  }

  /**
   * Executes a document of this folder.
   *
   * @returns `data`, of which fields can be null that the caller may not read, with an error for each.
   * @throws {ToolError} with the first error, if no field has a value.
   */
  async execute(name: DocumentName, asked: Asked = {}): Promise<ToolData> {
    return this.executeText(documentText(name), asked);
  }

  /** The same for the text of a document that this service has written. */
  async executeText(text: string, asked: Asked = {}): Promise<ToolData> {
    const { data, errors = [] } = await this.#run(text, asked);
    const failures = errors.map(({ message, extensions }) => {
      const { code, status: _status, requestId: _requestId, ...details } = extensions;
      return new ToolError(String(code), message, details);
    });
    const [first] = failures;
    if (first !== undefined && isEmpty(data)) throw first;
    const isDenied = failures.some(({ code }) => code === 'forbidden');
    const missing = isDenied
      ? missingScopes(findOperation(readDocument(text), asked.operationName), this.ctx.caller)
      : [];
    return {
      data: data ?? {},
      errors: failures,
      ...(missing.length === 0 ? {} : { denied: new MissingScopes(missing) }),
    };
  }

  /**
   * Executes a query that the assistant wrote, and returns the whole result.
   *
   * @throws {ToolError} for a mutation, a subscription, and a document that is not trusted where only trusted ones run.
   */
  async executeQuery(query: string, { operationName, variables = {} }: Asked): Promise<ExecutionResult> {
    return this.#run(query, { operationName, variables }, true);
  }

  /** @throws 403 `forbidden` with the scopes that the credential lacks, if they are why nothing was done. */
  async #run(
    text: string,
    { operationName, variables = {}, idempotencyKey }: Asked,
    isOfAssistant = false,
  ): Promise<ExecutionResult> {
    const { services, exchange } = this;
    const ctx = contextOfOperation(this.ctx, idempotencyKey);
    try {
      if (isOfAssistant) new PersistedDocuments(services).find({ query: text });
      const operation = findOperation(readDocument(text), operationName);
      if (isOfAssistant && operation.definition.operation !== OperationTypeNode.QUERY) {
        throw new ToolError('invalid_request', 'Only queries can be executed. Use the other tools for changes.');
      }
      const asked = { variables, isDryRun: false };
      const result = await executeOperation(operation, ctx, asked, services, onPrice(services, exchange, ctx));
      const missing = isDenied(result) ? missingScopes(operation, ctx.caller) : [];
      if (missing.length > 0) throw new MissingScopes(missing);
      return result;
    } catch (error) {
      if (error instanceof ToolError || error instanceof MissingScopes) throw error;
      return { errors: formatErrors(error, ctx.requestId, services.log) };
    }
  }
}

/** The tool did nothing, because the credential lacks scopes. The HTTP response names them, so a client can ask for them. */
export class MissingScopes extends Error {
  readonly refusal: ApiError;

  constructor(scopes: readonly string[]) {
    const refusal = scopeRequired(...scopes);
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Whether an operation did nothing, because the caller is not allowed to. */
function isDenied({ data, errors = [] }: ExecutionResult): boolean {
  if (errors.length > 0) return isEmpty(data) && errors.some(({ extensions }) => extensions['code'] === 'forbidden');
  return Object.values(data ?? {}).some((result) => isMap(result) && result['code'] === 'forbidden');
}

function isEmpty(data: ExecutionResult['data']): boolean {
  return data == null || Object.values(data).every((value) => value === null);
}

/** The files of the folder documents/. */
export const documentNames = [
  'list-changes',
  'query-costs',
  'run-job',
  'search',
  'whoami',
  'workspace-overview',
] as const;

export type DocumentName = (typeof documentNames)[number];

const texts = new Map<DocumentName, string>();

/** The text of a document. */
export function documentText(name: DocumentName): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`documents/${name}.graphql`, import.meta.url), 'utf8');
  texts.set(name, text);
  return text;
}
