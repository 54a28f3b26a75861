package main

import (
	"net/http"
	"strings"
	"testing"
)

// Profiles are there for who asks for them at the start, and only then it is taken
// down where memory comes from.
func TestProfiles(t *testing.T) {
	d := filled(t).start(t, "--web.enable-pprof").ready()
	for path, has := range map[string]string{
		"/debug/pprof/": "goroutine", "/debug/pprof/heap?debug=1": "@ heap/1048576\n", "/debug/pprof/cmdline": "--web.enable-pprof",
	} {
		if a, err := d.ask(http.MethodGet, path, ""); err != nil || a.status != http.StatusOK || !strings.Contains(a.body, has) {
			t.Errorf("%s: status %d, %v, without %q:\n%s", path, a.status, err, has, a.body)
		}
	}
}

// A page from elsewhere cannot have its visitor's browser reload.
func TestReloadFromElsewhere(t *testing.T) {
	d := newPlace(t).start(t, "--web.enable-lifecycle").ready()
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
			a, err := d.send(http.DefaultClient, method, "http://"+d.address+"/-/reload", func(r *http.Request) { r.Header.Set(test.header, test.value) })
			if err != nil || a.status != test.status {
				t.Errorf("%s with %s %q: status %d, want %d, %v", method, test.header, test.value, a.status, test.status, err)
			}
		}
	}
	eventually(t, "6 reloads are logged", func() bool { return strings.Count(d.log.String(), "Reloaded the configuration") == 6 })
}
