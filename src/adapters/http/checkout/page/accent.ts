/**
 * Makes a merchant's accent colour readable. Text on the accent, and in the dark scheme text in the
 * accent, has the contrast that WCAG 2.2 requires of text (1.4.3), and so of controls (1.4.11).
 */

/** The lightest background of the stylesheet's dark scheme. */
const DARK_GROUND = '#1c222d';
const FOR_TEXT = 4.5;

type ColorChannels = readonly [red: number, green: number, blue: number];

/**
 * Stylesheet for `#rrggbb`: --accent, and --accent-ink for text on it. In the light scheme --accent
 * is that colour.
 */
export function accentStyle(colour: string): string {
  return `:root { ${variables(colour)} }
@media (prefers-color-scheme: dark) {
  :root { ${variables(shadeAgainst(colour, DARK_GROUND, FOR_TEXT))} }
}
`;
}

function variables(accent: string): string {
  return `--accent: ${accent}; --accent-ink: ${inkOn(accent)};`;
}

/** Black or white, whichever contrasts more: never less than 4.58 to 1, the square root of 21. */
export function inkOn(colour: string): '#000000' | '#ffffff' {
  return contrast(colour, '#000000') >= contrast(colour, '#ffffff') ? '#000000' : '#ffffff';
}

/** The colour, mixed with just enough black or white to contrast with `ground` by `ratio`. */
export function shadeAgainst(colour: string, ground: string, ratio: number): string {
  const [from, towards] = [channelsOf(colour), channelsOf(inkOn(ground))];
  for (let share = 0; share < 255; share += 1) {
    const mixed = colourOf(
      from.map((channel, at) => Math.round(channel + (((towards[at] ?? 0) - channel) * share) / 255)),
    );
    if (contrast(mixed, ground) >= ratio) return mixed;
  }
  return inkOn(ground);
}

/** WCAG 2.2, "contrast ratio": 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2, "relative luminance", of sRGB. */
function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as ColorChannels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(colour: string): ColorChannels {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function colourOf(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
