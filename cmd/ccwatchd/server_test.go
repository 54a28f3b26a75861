package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

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
