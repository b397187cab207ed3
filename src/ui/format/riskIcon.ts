import { ThemeColor, ThemeIcon } from 'vscode';
import type { Risk } from '../../core/risk';
import { riskSign } from './formatRisk';

export function riskIcon(risk: Risk): ThemeIcon {
  const { icon, color } = riskSign(risk);
  return new ThemeIcon(icon, new ThemeColor(color));
}
