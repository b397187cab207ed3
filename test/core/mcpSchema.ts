import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Revision } from '../../src/core/types';
import type { ReceivedMessage } from '../servers/scripted';

const fixtures = path.resolve(__dirname, '../fixtures/mcp-schema');

const validators = new Map<Revision, (definition: string) => ValidateFunction>();

/** Checks a message of ours against the official schema of a revision. */
export function assertValidMessage(revision: Revision, message: ReceivedMessage): void {
  const validatorOf = validators.get(revision) ?? readSchema(revision);
  validators.set(revision, validatorOf);
  const check = (definition: string): void => {
    const validate = validatorOf(definition);
    const isValid = validate(message);
    assert.ok(
      isValid,
      `${definition}: ${JSON.stringify(message)} ${JSON.stringify(validate.errors)}`,
    );
  };
  check('JSONRPCMessage');
  if (message.method !== undefined) {
    check(message.id === undefined ? 'ClientNotification' : 'ClientRequest');
    check(nameOf(message.method));
  }
}

function readSchema(revision: Revision): (definition: string) => ValidateFunction {
  const schema = JSON.parse(readFileSync(path.join(fixtures, `${revision}.json`), 'utf8'));
  const isNew = '$defs' in schema;
  const ajv = isNew ? new Ajv2020(options) : new Ajv(options);
  ajv.addSchema(schema, 'mcp');
  return (definition) => {
    const validate = ajv.getSchema(`mcp#/${isNew ? '$defs' : 'definitions'}/${definition}`);
    assert.ok(validate, `${revision} has no ${definition}`);
    return validate;
  };
}

const options = { strict: false, validateFormats: false };

const names: Record<string, string> = {
  initialize: 'InitializeRequest',
  'server/discover': 'DiscoverRequest',
  'subscriptions/listen': 'SubscriptionsListenRequest',
  ping: 'PingRequest',
  'logging/setLevel': 'SetLevelRequest',
  'notifications/roots/list_changed': 'RootsListChangedNotification',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
  'resources/read': 'ReadResourceRequest',
  'resources/subscribe': 'SubscribeRequest',
  'resources/unsubscribe': 'UnsubscribeRequest',
  'prompts/list': 'ListPromptsRequest',
  'prompts/get': 'GetPromptRequest',
  'completion/complete': 'CompleteRequest',
  'tasks/get': 'GetTaskRequest',
  'tasks/result': 'GetTaskPayloadRequest',
  'tasks/cancel': 'CancelTaskRequest',
  'tasks/list': 'ListTasksRequest',
  'notifications/initialized': 'InitializedNotification',
  'notifications/cancelled': 'CancelledNotification',
};

function nameOf(method: string): string {
  const name = names[method];
  assert.ok(name, `${method} has no schema here`);
  return name;
}
