// Colors as in Grafana.

const named = {
  dark: {green: '#73bf69', yellow: '#fade2a', orange: '#ff9830', red: '#f2495c', blue: '#5794f2', purple: '#b877d9', text: '#ccccdc'},
  light: {green: '#56a64b', yellow: '#f2cc0c', orange: '#ff780a', red: '#e02f44', blue: '#3274d9', purple: '#a352cc', text: '#24292e'},
};

// The classic palette, for series without a fixed color.
const classic = `73BF69 F2CC0C 8AB8FF FF780A F2495C 5794F2 B877D9 705DA0 37872D FADE2A 447EBC C15C17 890F02 0A437C 6D1F62 584477 B7DBAB F4D598 70DBED F9BA8F
  F29191 82B5D8 E5A8E2 AEA2E0 629E51 E5AC0E 64B0C8 E0752D BF1B00 0A50A1 962D82 614D93 9AC48A F2C96D 65C5DB F9934E EA6460 5195CE D683CE 806EB7 3F6833 967302
  2F575E 99440A 58140C 052B51 511749 3F2B5B E0F9D7 FCEACA CFFAFF F9E2D2 FCE2DE BADFF4 F9D9F9 DEDAF7`.split(/\s+/);

// colorOf returns the color of a value, or of the series with an index.
export function colorOf({mode, fixedColor}, thresholds, theme, {index, value}) {
  switch (mode) {
    case 'fixed': return named[theme][fixedColor];
    case 'thresholds': return named[theme][thresholds.steps.findLast(step => step.value === null || value >= step.value).color];
    case 'palette-classic': return `#${classic[index % classic.length]}`;
    default: throw new Error(`unsupported color mode ${mode}`);
  }
}

// level returns the color of a threshold.
export const level = (step, theme) => named[theme][step.color];

// heat returns the color of a fraction of the maximum.
export function heat(share, theme) {
  const shades = theme === 'dark' ? [[8, 48, 107], [247, 251, 255]] : [[222, 235, 247], [8, 48, 107]];
  const mixed = shades[0].map((from, i) => Math.round(from + (shades[1][i] - from) * share));
  return `rgb(${mixed})`;
}
