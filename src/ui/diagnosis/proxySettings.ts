import * as vscode from 'vscode';
import type { ProxySettings } from '../../host/diagnosis/proxyFor';

/** What VS Code itself is set to, for itself and all extensions. */
export function proxySettings(): ProxySettings {
  const http = vscode.workspace.getConfiguration('http');
  return {
    proxy: http.get('proxy'),
    authorization: http.get('proxyAuthorization'),
    noProxy: http.get('noProxy'),
    support: http.get('proxySupport'),
  };
}
