import * as vscode from 'vscode';
import type { ServerRegistry } from '../host/connections/registry';
import { RecordedServers } from '../host/recording/recordedServers';
import { Recordings } from '../host/recording/recordings';
import { settings } from '../ids';
import type { SecretValues } from '../host/secrets/secretValues';
import {
  registerRecordCommands,
  registerReplayCommands,
  type ReplayCommandsOptions,
} from '../ui/recording/recordCommands';
import { RecordingDocuments, registerRecordingEditor } from '../ui/recording/recordingDocuments';
import type { ServerActions } from '../ui/servers/serverActions';
import type { ServerLogs } from '../ui/servers/serverLogs';
import type { SettingsReader } from '../ui/settings/settings';

export interface RecordingPartsOptions {
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly settings: Pick<SettingsReader, 'current'>;
}

/** Returns the path of the command line program in the extension. */
export function programOf({ extensionUri }: Pick<vscode.ExtensionContext, 'extensionUri'>): string {
  return vscode.Uri.joinPath(extensionUri, 'dist', `${settings.section}.js`).fsPath;
}

/** Recording servers, viewing recordings and replaying them. */
export class RecordingParts {
  readonly recordings: Recordings;
  readonly recorded: RecordedServers;

  constructor(
    context: Pick<vscode.ExtensionContext, 'extensionUri' | 'workspaceState'>,
    logs: Pick<ServerLogs, 'of'>,
    secrets: Pick<SecretValues, 'redact'>,
  ) {
    this.recordings = new Recordings({
      listen: (server, to) => logs.of(server).recordTo(to),
      redact: (text) => secrets.redact(text),
    });
    this.recorded = new RecordedServers({
      memento: context.workspaceState,
      program: programOf(context),
    });
  }

  register(options: RecordingPartsOptions): vscode.Disposable {
    const { recordings } = this;
    const { registry } = options;
    return vscode.Disposable.from(
      recordings.follow(registry),
      recordings.onDidChange(() => registry.reassessMarks()),
      registerRecordCommands({ ...options, recordings }),
      recordings,
    );
  }

  registerReplay(
    options: Omit<ReplayCommandsOptions, 'recorded' | 'documents'>,
  ): vscode.Disposable {
    const { recorded } = this;
    const documents = new RecordingDocuments();
    return vscode.Disposable.from(
      documents,
      registerRecordingEditor(documents),
      registerReplayCommands({ ...options, recorded, documents }),
      recorded,
    );
  }
}
