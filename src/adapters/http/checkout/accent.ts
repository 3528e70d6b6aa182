/**
 * A merchant's accent colour made readable: whatever the colour, text on it and text of it meet the contrast that WCAG 2.2
 * asks for (1.4.3: 4.5 to 1; 1.4.11: 3 to 1), on the light card and on the dark one.
 */

/** The cards of the stylesheet. Ground that is darker in the dark scheme, or nearly white in the light one, is no worse by much. */
const LIGHT_GROUND = '#f3f5f9';
const DARK_CARD = '#171c25';
const FOR_TEXT = 4.5;
const FOR_CONTROLS = 3;

type Channels = readonly [red: number, green: number, blue: number];

/** Stylesheet for `#rrggbb`: --accent (surfaces), --accent-ink (text on them) and --accent-text (text and outlines on a card). */
export function accentStyle(colour: string): string {
  const onDark = shadeAgainst(colour, DARK_CARD, FOR_CONTROLS);
  const light = variables(colour, shadeAgainst(colour, LIGHT_GROUND, FOR_TEXT));
  const dark = variables(onDark, shadeAgainst(colour, DARK_CARD, FOR_TEXT));
  return `:root { ${light} }
@media (prefers-color-scheme: dark) {
  :root { ${dark} }
}
`;
}

function variables(surface: string, text: string): string {
  return `--accent: ${surface}; --accent-ink: ${inkOn(surface)}; --accent-text: ${text};`;
}

/** Black or white, whichever contrasts more: never less than 4.58 to 1, the square root of 21. */
export function inkOn(colour: string): '#000000' | '#ffffff' {
  return contrast(colour, '#000000') >= contrast(colour, '#ffffff') ? '#000000' : '#ffffff';
}

/** The colour, mixed with as little black or white as lets it contrast with `ground`. */
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
  }) as unknown as Channels;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(colour: string): Channels {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function colourOf(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
