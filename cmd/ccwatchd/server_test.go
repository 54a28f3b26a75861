package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// Profiles are served only with the flag, which also enables memory profiling.
func TestProfiles(t *testing.T) {
	d := filled(t).start(t, "--web.enable-pprof").ready()
	for path, want := range map[string]string{
		"/debug/pprof/": "goroutine", "/debug/pprof/heap?debug=1": "@ heap/1048576\n", "/debug/pprof/cmdline": "--web.enable-pprof", "/debug/pprof/symbol": "num_symbols",
	} {
		if a, err := d.request(http.MethodGet, path); err != nil || a.status != http.StatusOK || !strings.Contains(a.body, want) {
			t.Errorf("%s: status %d, %v, %q is missing in\n%s", path, a.status, err, want, a.body)
		}
	}
}

// Cross-site requests cannot reload the configuration.
func TestCrossSiteReload(t *testing.T) {
	d := newSandbox(t).start(t, "--web.enable-lifecycle").ready()
	for _, test := range []struct {
		header, value string
		status        int
	}{
		{"Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"Sec-Fetch-Site", "same-site", http.StatusForbidden},
		{"Origin", "http://example.com", http.StatusForbidden},
		{"Origin", "null", http.StatusForbidden},
		{"Origin", "http://" + d.address, http.StatusOK},
		{"Sec-Fetch-Site", "same-origin", http.StatusOK},
		{"User-Agent", "curl", http.StatusOK},
	} {
		for _, method := range []string{http.MethodPost, http.MethodPut} {
			a, err := d.request(method, "/-/reload", header(test.header, test.value))
			if err != nil || a.status != test.status {
				t.Errorf("%s with %s %q: status %d, want %d, %v", method, test.header, test.value, a.status, test.status, err)
			}
		}
	}
	polltest.Eventually(t, "6 reloads are logged", func() bool { return strings.Count(d.log.String(), "Reloaded the configuration") == 6 })
}
