// Numbers as formatted by Grafana.

const si = ['', 'k', 'M', 'G', 'T'];
const iec = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
const spans = [['week', 604800], ['day', 86400], ['hour', 3600], ['min', 60]];

// format formats a value in one of the units that the dashboards use, and returns none
// for a missing value.
export function format(value, unit, none, now) {
  if (value === null || Number.isNaN(value)) return none ?? '';
  const [kind, suffix] = unit.split(/:(.*)/);
  switch (kind) {
    case 'short': return scaled(value, 1000, ['', ' K', ' Mil', ' Bil', ' Tri']);
    case 'locale': return value.toLocaleString('en-US');
    case 'si': return scaled(value, 1000, si.map(prefix => ` ${prefix}${suffix}`));
    case 'bytes': return scaled(value, 1024, iec.map(prefix => ` ${prefix}B`));
    case 'Bps': return scaled(value, 1000, si.map(prefix => ` ${prefix}B/s`));
    case 'suffix': return `${digits(value)} ${suffix}`;
    case 'percentunit': return `${digits(100 * value)}%`;
    case 's': return span(value);
    case 'bool_yes_no': return value ? 'Yes' : 'No';
    case 'dateTimeFromNow': return ago(now - value);
    default: throw new Error(`unsupported unit ${unit}`);
  }
}

// digits rounds to three significant digits.
function digits(value) {
  if (Number.isInteger(value)) return String(value);
  const decimals = 2 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.max(0, Math.min(decimals, 20)));
}

function scaled(value, factor, suffixes) {
  let i = 0;
  for (; Math.abs(value) >= factor && i < suffixes.length - 1; i++) value /= factor;
  return digits(value) + suffixes[i];
}

function span(value) {
  const size = Math.abs(value);
  const found = spans.find(([, seconds]) => size >= seconds);
  if (found) return `${digits(value / found[1])} ${found[0]}${value === found[1] ? '' : 's'}`;
  if (size >= 1 || size === 0) return `${digits(value)} s`;
  return size >= 1e-3 ? `${digits(value * 1e3)} ms` : `${digits(value * 1e6)} µs`;
}

function ago(ms) {
  const found = spans.find(([, seconds]) => ms >= 1000 * seconds);
  if (!found) return 'a few seconds ago';
  const count = Math.round(ms / 1000 / found[1]);
  return count === 1 ? `${found[0] === 'hour' ? 'an' : 'a'} ${found[0]} ago` : `${count} ${found[0]}s ago`;
}
