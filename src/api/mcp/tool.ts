import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { ApiError } from '../../errors.js';
import { failureOf } from '../../http/failure.js';
import type { Exchange } from '../../http/exchange.js';
import type { McpServices, ToolCall, Values } from './tool-call.js';
import { MissingScopes, ToolError } from './tool-call.js';
import { listedSchema, readToolInput } from './tool-input.js';

/** A tool with its name. */
export interface Tool {
  name: string;
  /** Adds the tool to the server of one request. */
  register: (server: McpServer, request: ToolRequest) => void;
}

/** The request that a server answers. */
export interface ToolRequest {
  services: McpServices;
  exchange: Exchange;
  call: ToolCall;
  /** Set by a tool that the whole request is refused for: the credential lacks a scope. */
  denied?: ApiError;
}

interface Definition<Input extends z.ZodObject> {
  name: string;
  title: string;
  /** Tells an assistant when to use the tool. */
  description: string;
  input: Input;
  annotations: ToolAnnotations;
  /** @throws {ToolError} */
  run: (call: ToolCall, input: z.output<Input>) => Promise<Values>;
}

/** The annotations of tools that change nothing. */
export const readOnly: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Defines a tool. Its result is sent as structured content, and as text for clients that read only text. */
export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { name, title, description, input, annotations, run } = definition;
  const inputSchema = listedSchema(input);
  return {
    name,
    register: (server, request) => {
      server.registerTool(name, { title, description, inputSchema, annotations }, async (given) => {
        request.exchange.notes.operation = name;
        try {
          return resultOf(await run(request.call, readToolInput(input, given)));
        } catch (error) {
          if (error instanceof MissingScopes) request.denied = error.refusal;
          return errorResult(request, error);
        }
      });
    },
  };
}

function resultOf(structuredContent: Values): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** The error of a tool is a result, so that the assistant reads it. An internal one is logged. */
function errorResult({ services, exchange }: ToolRequest, error: unknown): CallToolResult {
  const known = error instanceof MissingScopes ? new ToolError(error.refusal.error, error.message) : error;
  const { code, message, details } = known instanceof ToolError ? known : toolErrorFrom(services, exchange, known);
  exchange.notes.error = code;
  return { ...resultOf({ error: { code, message, ...details } }), isError: true };
}

function toolErrorFrom(services: McpServices, exchange: Exchange, error: unknown): ToolError {
  const { error: code, message, status } = failureOf(exchange, services.log, error);
  return new ToolError(code, message, status >= 500 ? { requestId: exchange.requestId } : {});
}
