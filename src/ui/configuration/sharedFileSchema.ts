import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pinnableEras } from '../../core/types';
import { sharedFileSchemaScheme } from '../../ids';

/**
 * Registers the schema of `.mcp.json` for completion and hover. It reports no problems, because our
 * own checks know variables. VS Code has its own schema for `.vscode/mcp.json`.
 */
export function registerSharedFileSchema(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(sharedFileSchemaScheme, {
    provideTextDocumentContent: () => JSON.stringify(sharedFileSchema()),
  });
}

function text(description: string): object {
  return { description };
}

function sharedFileSchema(): object {
  const variables = l10n.t(
    '`${NAME}` is an environment variable, `${NAME:-value}` one with a default.',
  );
  const stdio = { label: l10n.t('Program'), body: { command: '$1', args: ['$2'] } };
  const http = { label: l10n.t('URL'), body: { type: 'http', url: 'https://$1' } };
  return {
    defaultSnippets: [{ label: 'mcpServers', body: { mcpServers: { '${1:name}': stdio.body } } }],
    properties: {
      mcpServers: {
        ...text(l10n.t('MCP servers of this folder, by name.')),
        defaultSnippets: [{ ...stdio, body: { '${1:name}': stdio.body } }],
        additionalProperties: {
          defaultSnippets: [stdio, http],
          properties: {
            type: {
              ...text(l10n.t('Transport of the server. Default: derived from `command` or `url`.')),
              anyOf: [{ enum: ['stdio', 'http', 'sse'] }, {}],
            },
            command: text(l10n.t('Program to start. No shell is used. {0}', variables)),
            args: text(l10n.t('Arguments of the program. {0}', variables)),
            env: text(l10n.t('Environment variables; `null` unsets one. {0}', variables)),
            envFile: text(l10n.t('A file with more environment variables. `env` overrides it.')),
            cwd: text(l10n.t('Working directory of the program. Default: this folder.')),
            url: text(l10n.t('URL of a server that runs elsewhere. {0}', variables)),
            headers: text(l10n.t('HTTP headers that are sent with every request. {0}', variables)),
            oauth: {
              ...text(l10n.t('Sign-in options for the server.')),
              properties: {
                clientId: text(l10n.t('Client ID that the server assigned to you. {0}', variables)),
                clientSecret: text(
                  l10n.t(
                    'Client secret; use a variable, because other clients read the file. {0}',
                    variables,
                  ),
                ),
              },
            },
            toolgate: {
              ...text(l10n.t('Options that only Toolgate uses.')),
              properties: {
                era: {
                  ...text(l10n.t('Protocol of the server. Default: detected automatically.')),
                  anyOf: [{ enum: pinnableEras }, {}],
                },
                scopes: text(
                  l10n.t('Scopes to request. Default: the scopes that the server names.'),
                ),
                redirectPort: text(
                  l10n.t('Port on this machine for the redirect from the browser.'),
                ),
                omitResource: {
                  ...text(l10n.t('Omits `resource`. The token may be valid for other servers.')),
                  anyOf: [{ enum: [true, false] }, {}],
                },
                grant: {
                  ...text(l10n.t('Use `client_credentials` to sign in without a user.')),
                  anyOf: [{ enum: ['authorization_code', 'client_credentials'] }, {}],
                },
                identityProvider: text(
                  l10n.t('Token endpoint of your company’s identity provider. {0}', variables),
                ),
                identityClientId: text(
                  l10n.t('Client ID at the identity provider. {0}', variables),
                ),
                identityToken: text(
                  l10n.t('ID token from your identity provider; use a variable. {0}', variables),
                ),
              },
            },
          },
        },
      },
    },
  };
}
