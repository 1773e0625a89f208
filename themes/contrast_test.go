package themes

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// Backgrounds of terminals: black, white, and those of widespread palettes
// (GitHub, Visual Studio Code, Solarized).
var (
	darkBackgrounds  = []string{"#000000", "#0d1117", "#1e1e1e"}
	lightBackgrounds = []string{"#ffffff", "#f6f8fa", "#fdf6e3"}
)

func hex(t *testing.T, s string) colorful.Color {
	t.Helper()
	c, err := colorful.Hex(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shown are the ways in which terminals show a colour: as it is, or as the nearest
// of 256.
var shown = map[string]func(*testing.T, string) colorful.Color{
	"all colours": hex,
	"256 colours": func(t *testing.T, s string) colorful.Color {
		c, _ := colorful.MakeColor(ansi.Convert256(hex(t, s)))
		return c
	},
}

// contrast is WCAG 2.2's contrast ratio, 1 to 21.
func contrast(a, b colorful.Color) float64 {
	luminance := func(c colorful.Color) float64 {
		r, g, b := c.LinearRgb()
		return 0.2126*r + 0.7152*g + 0.0722*b
	}
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func TestContrastIsWhatWCAGCounts(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#ffffff", 4.48}, {"#ff0000", "#ffffff", 4.0}} {
		if got := contrast(hex(t, c.a), hex(t, c.b)); math.Abs(got-c.want) > 0.01 {
			t.Errorf("contrast of %s on %s: %.3f, want %.3f", c.a, c.b, got, c.want)
		}
	}
}

// coloured are the forms whose colours are known, with the backgrounds they are for.
func coloured() map[*Theme][]string {
	return map[*Theme][]string{
		&Auto: darkBackgrounds, &Dark: darkBackgrounds, &Light: lightBackgrounds,
		&HighContrast: darkBackgrounds, &highContrastOnLight: lightBackgrounds,
		&ColourBlind: darkBackgrounds, &colourBlindOnLight: lightBackgrounds,
	}
}

// Text can be read: 4.5 to 1 (WCAG 2.2, 1.4.3), 7 to 1 in high contrast (1.4.6);
// frames, bars and what is not possible now 3 to 1 (1.4.11).
func TestTextCanBeRead(t *testing.T) {
	for how, as := range shown {
		for theme, backgrounds := range coloured() {
			textCanBeRead(t, how, as, theme, backgrounds)
		}
	}
}

func textCanBeRead(t *testing.T, how string, as func(*testing.T, string) colorful.Color, theme *Theme, backgrounds []string) {
	faint := []string{"Off", "Border", "Rest"}
	for role, s := range styles(*theme) {
		least := 4.5
		switch {
		case slices.Contains(faint, role) && how == "256 colours":
			least = 2.7 // there is no shade between that and the text's
		case slices.Contains(faint, role):
			least = 3
		case theme.Name == "high-contrast":
			least = 7
		}
		switch {
		case s.FG == "" && s.BG == "":
			continue // the terminal's own
		case s.FG == "":
			t.Errorf("%s: %s has a background and the terminal's own text on it", theme.Name, role)
			continue
		}
		on := backgrounds
		if s.BG != "" {
			on = []string{s.BG}
		}
		for _, bg := range on {
			under := hex(t, bg) // the terminal's own
			if s.BG != "" {
				under = as(t, bg)
			}
			if got := contrast(as(t, s.FG), under); got < least {
				t.Errorf("%s, %s: %s (%s) has a contrast of %.2f on %s, want %.1f", theme.Name, how, role, s.FG, got, bg, least)
			}
		}
	}
	// What is a block is seen as one.
	for role, s := range map[string]Style{"Mark": theme.Mark, "Selected": theme.Selected, "InputCursor": theme.InputCursor} {
		for _, bg := range backgrounds {
			if got := contrast(as(t, s.BG), hex(t, bg)); got < 3 {
				t.Errorf("%s, %s: the block of %s (%s) has a contrast of %.2f to the background %s, want 3", theme.Name, how, role, s.BG, got, bg)
			}
		}
	}
}

// sight turns a linear colour into what a user sees of it.
type sight [3][3]float64

// The complete forms (severity 1.0) of G. M. Machado, M. M. Oliveira and L. A. F.
// Fernandes, "A Physiologically-based Model for Simulation of Color Vision
// Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (2009),
// table of matrices for linear RGB.
var sights = map[string]sight{
	"no deficiency": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia":  {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func (s sight) of(c colorful.Color) colorful.Color {
	r, g, b := c.LinearRgb()
	row := func(i int) float64 { return min(max(s[i][0]*r+s[i][1]*g+s[i][2]*b, 0), 1) }
	return colorful.LinearRgb(row(0), row(1), row(2))
}

// apart is CIEDE2000 in its usual scale: 1 is just to be seen side by side.
func apart(s sight, a, b colorful.Color) float64 { return 100 * s.of(a).DistanceCIEDE2000(s.of(b)) }

// States that must not be taken for each other are far apart, for every user, on every terminal.
func TestStatesAreToldApartWhoeverLooks(t *testing.T) {
	for _, theme := range []Theme{ColourBlind, colourBlindOnLight} {
		for name, s := range sights {
			for how, as := range shown {
				for _, c := range []struct {
					pair  string
					a, b  string
					least float64
				}{
					{"good and bad", theme.Good.FG, theme.Bad.FG, 35},
					{"good and warn", theme.Good.FG, theme.Warn.FG, 35},
					{"active and warn", theme.Active.FG, theme.Warn.FG, 30},
					{"active and bad", theme.Active.FG, theme.Bad.FG, 35},
					{"warn and bad", theme.Warn.FG, theme.Bad.FG, 12},
					{"good and active", theme.Good.FG, theme.Active.FG, 12},
					{"ask and alarm", theme.Ask.BG, theme.Alarm.BG, 12},
					{"mark and ask", theme.Mark.BG, theme.Ask.BG, 12},
					{"mark and alarm", theme.Mark.BG, theme.Alarm.BG, 12},
				} {
					if got := apart(s, as(t, c.a), as(t, c.b)); got < c.least {
						t.Errorf("%s, %s, %s: %s (%s, %s) are %.1f apart, want %.0f", theme.Name, how, name, c.pair, c.a, c.b, got, c.least)
					}
				}
			}
		}
	}
}

// The measure sees the trouble it is for: green and red of the dark theme, which
// with deuteranopia are nearly one.
func TestTheMeasureSeesTheTrouble(t *testing.T) {
	good, bad := hex(t, Dark.Good.FG), hex(t, Dark.Bad.FG)
	if got := apart(sights["deuteranopia"], good, bad); got > 10 {
		t.Errorf("good and bad of the dark theme are %.1f apart with deuteranopia", got)
	}
	if got := apart(sights["no deficiency"], good, bad); got < 40 {
		t.Errorf("good and bad of the dark theme are %.1f apart", got)
	}
	if strings.EqualFold(Dark.Good.FG, ColourBlind.Good.FG) {
		t.Error("the colour-blind theme is the dark one")
	}
}

// What is grey stays grey where there are 256 colours: what is read second, and
// what lies under lines, must not look like a state.
func TestGreyStaysGrey(t *testing.T) {
	for theme := range coloured() {
		for role, c := range map[string]string{"Dim": theme.Dim.FG, "Off": theme.Off.FG, "Brand": theme.Brand.FG, "Calm": theme.Calm.BG, "Input": theme.Input.BG} {
			if r, g, b := shown["256 colours"](t, c).RGB255(); r != g || g != b {
				t.Errorf("%s: %s (%s) is shown as #%02x%02x%02x with 256 colours", theme.Name, role, c, r, g, b)
			}
		}
	}
}
