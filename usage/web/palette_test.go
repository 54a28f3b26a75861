package web

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rgb is a color in linear light, from 0 to 1.
type rgb [3]float64

// themes returns the colors of the light and the dark theme by their names.
func themes(t *testing.T) map[string]map[string]rgb {
	t.Helper()
	light, dark, _ := strings.Cut(style, "@media (prefers-color-scheme: dark)")
	all := make(map[string]map[string]rgb)
	for name, css := range map[string]string{"light": light, "dark": dark} {
		all[name] = make(map[string]rgb)
		for _, match := range regexp.MustCompile(`--(\w+): #(\w{6})`).FindAllStringSubmatch(css, -1) {
			n, err := strconv.ParseUint(match[2], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			all[name][match[1]] = rgb{linear(n >> 16), linear(n >> 8 & 0xff), linear(n & 0xff)}
		}
	}
	return all
}

func linear(channel uint64) float64 {
	c := float64(channel) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// contrast returns the contrast of two colors by the formula of WCAG 2.
func contrast(a, b rgb) float64 {
	luminance := func(c rgb) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05 }
	return max(luminance(a)/luminance(b), luminance(b)/luminance(a))
}

// multiply returns the product of a matrix and a color.
func (c rgb) multiply(m [3]rgb) (product rgb) {
	for i, row := range m {
		product[i] = max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2])
	}
	return product
}

// visions simulate color blindness, by Machado, Oliveira and Fernandes (2009).
var visions = map[string][3]rgb{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// distance returns how different two colors look: their distance in Oklab.
func distance(a, b rgb) float64 {
	oklab := func(c rgb) rgb {
		lms := c.multiply([3]rgb{{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005}})
		l, m, s := math.Cbrt(lms[0]), math.Cbrt(lms[1]), math.Cbrt(lms[2])
		return rgb{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, 1.9779984951*l - 2.4285922050*m + 0.4505937099*s, 0.0259040371*l + 0.7827717662*m - 0.8086757660*s}
	}
	p, q := oklab(a), oklab(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// The colors of charts have enough contrast, and color-blind people can distinguish
// them: their distance is at least the distance in the palette by Okabe and Ito.
func TestPalette(t *testing.T) {
	const minContrast, minDistance = 3, 0.08
	for theme, colors := range themes(t) {
		for i := range maxSeries + 1 {
			a := colors[fmt.Sprint("s", i)]
			if got := contrast(a, colors["card"]); got < minContrast {
				t.Errorf("%s: color %d has a contrast of %.2f", theme, i, got)
			}
			for j := range i {
				b := colors[fmt.Sprint("s", j)]
				for vision, matrix := range visions {
					if got := distance(a.multiply(matrix), b.multiply(matrix)); got < minDistance {
						t.Errorf("%s: with %s, colors %d and %d have a distance of %.3f", theme, vision, i, j, got)
					}
				}
			}
		}
	}
}
