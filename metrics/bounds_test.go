package metrics

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
)

// The text format has the bounds of the other formats, as remote write sends them and
// Prometheus stores them.
func TestSameBoundsInAllFormats(t *testing.T) {
	s := newScraped()
	bounds := func(accept string) (all []string) {
		text := s.scrape("Accept", accept).Body.String()
		for _, m := range regexp.MustCompile(`_bucket\{.*\ble="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		return all
	}
	text, open := bounds("text/plain; version=0.0.4"), bounds("application/openmetrics-text; version=1.0.0")
	if !slices.Equal(text, open) || !slices.Contains(text, "10.0") {
		t.Errorf("text has the bounds %q, OpenMetrics %q", text, open)
	}
}

func TestWriteSameBounds(t *testing.T) {
	for in, want := range map[string]string{
		`a_bucket{le="10"} 1`:                         `a_bucket{le="10.0"} 1`,
		"a_bucket{b=\"c\",le=\"5\"} 1\nb{le=\"7\"} 2": "a_bucket{b=\"c\",le=\"5.0\"} 1\nb{le=\"7.0\"} 2",
		`a_bucket{le="0.5"} 1`:                        `a_bucket{le="0.5"} 1`,
		`a_bucket{le="1e+06"} 1`:                      `a_bucket{le="1e+06"} 1`,
		`a_bucket{le="+Inf"} 1`:                       `a_bucket{le="+Inf"} 1`,
		`a{role="3",b="\",le=\"4"} 1`:                 `a{role="3",b="\",le=\"4"} 1`,
		`a le="`:                                      `a le="`,
		`{le="5`:                                      `{le="5`,
		``:                                            ``,
	} {
		var got bytes.Buffer
		if err := writeSameBounds(&got, []byte(in)); err != nil || got.String() != want {
			t.Errorf("%s: got %s, want %s (%v)", in, &got, want, err)
		}
	}
}

func TestAcceptsGzip(t *testing.T) {
	s := newScraped()
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "deflate, gzip;q=0.5": true, "gzip; q=0": false, "gzip;q=0.0": false, "zstd": false, "br,gzip": true,
	} {
		for _, format := range []string{"text/plain", "application/openmetrics-text"} {
			if got := s.scrape("Accept", format, "Accept-Encoding", accept).Header().Get("Content-Encoding"); (got == "gzip") != want {
				t.Errorf("%q: got encoding %q", accept, got)
			}
		}
	}
}
