import { ThemeColor, ThemeIcon } from 'vscode';
import type { Risk } from '../../core/risk';
import { riskIconFacts } from './formatRisk';

export function riskIcon(risk: Risk): ThemeIcon {
  const { icon, color } = riskIconFacts(risk);
  return new ThemeIcon(icon, new ThemeColor(color));
}
