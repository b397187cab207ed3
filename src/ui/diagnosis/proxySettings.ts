import * as vscode from 'vscode';
import type { ProxySettings } from '../../host/diagnosis/proxyFor';

/** Returns VS Code's own proxy settings, which apply to all extensions. */
export function proxySettings(): ProxySettings {
  const http = vscode.workspace.getConfiguration('http');
  return {
    proxy: http.get('proxy'),
    authorization: http.get('proxyAuthorization'),
    noProxy: http.get('noProxy'),
    support: http.get('proxySupport'),
  };
}
