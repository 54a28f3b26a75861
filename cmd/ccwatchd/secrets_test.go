package main

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// checkSecret fails the test if a text contains the canary.
func checkSecret(t *testing.T, what, text string) {
	t.Helper()
	if i := strings.Index(text, canary); i >= 0 {
		t.Errorf("%s shows a secret: %q", what, text[max(0, i-300):min(len(text), i+100)])
	}
}

// misconfigurations returns a configuration for each slot and each wrong form of the
// secret, by name.
func misconfigurations(t testing.TB) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, s := range slots() {
		text := configuration(t, endpointWith(s, placeholder, "http://127.0.0.1:1/"+canary))
		if !strings.Contains(text, placeholder) {
			t.Fatalf("%s is missing in\n%s", s, difftest.Head(text))
		}
		for name, misfit := range misfits(t) {
			all[s.String()+": "+name] = strings.Replace(text, placeholder, misfit, 1)
		}
		if !s.leaf {
			unknown := slot{path: append(append([]string(nil), s.path...), "no_such_key")}
			all[s.String()+": an unknown key"] = configuration(t, endpointWith(unknown, canary, "http://127.0.0.1:1"))
		}
	}
	return all
}

// With a secret in any key of remote_write, in any wrong form, --config.check prints
// errors with the file and the line, but without the secret.
func TestMisconfigurationsShowNoSecret(t *testing.T) {
	p := newSandbox(t)
	located := regexp.MustCompile(`^ccwatchd: (.*ccwatchd\.yml:\d+: .|remote_write .+: .)`)
	rejected := 0
	for name, text := range misconfigurations(t) {
		p.configure(t, text)
		var out, errs bytes.Buffer
		code := run([]string{"--config.file=" + p.config, "--config.check"}, p.getenv, &out, &errs)
		if code == 0 && strings.HasPrefix(name, "name: ") {
			continue // not a secret, and not mistaken for a URL
		}
		checkSecret(t, name+": --config.check", out.String()+errs.String())
		if code == 0 {
			continue
		}
		rejected++
		for line := range strings.Lines(errs.String()) {
			if !located.MatchString(line) && !strings.Contains(text, "\xff") && !strings.Contains(text, "\x01") { // errors without a line
				t.Errorf("%s: the error has no location: %s\n%s", name, line, text)
			}
		}
	}
	if rejected < 1000 {
		t.Errorf("got %d invalid configurations, want more", rejected)
	}
}

// A daemon that reloads some of these configurations does not show the secret in its
// response, pages, metrics or log.
func TestReloadShowsNoSecret(t *testing.T) {
	p := newSandbox(t)
	d := p.start(t, "--log.level=debug", "--web.enable-lifecycle").ready()
	all := misconfigurations(t)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%20 > 0 {
			continue
		}
		p.configure(t, all[name])
		if cfg, err := config.Load(p.config, os.Getenv); err == nil && push.Check(endpoints(cfg)) == nil {
			continue // valid: the daemon would send to it
		}
		a, err := d.request(http.MethodPost, "/-/reload")
		if err != nil || a.status != http.StatusInternalServerError {
			t.Fatalf("%s: status %d, %v", name, a.status, err)
		}
		checkSecret(t, name+": the response", a.body)
		d.checkSecret(t, name)
	}
	checkSecret(t, "the log", d.log.String())
	if got := strings.Count(d.log.String(), "Failed to reload"); got < 80 {
		t.Errorf("got %d failed reloads, want more", got)
	}
}

// checkSecret fails the test if a page of the daemon contains the canary.
func (d *process) checkSecret(t *testing.T, name string) {
	t.Helper()
	for _, path := range []string{"/", "/-/status", "/metrics"} {
		checkSecret(t, name+": "+path, d.page(path))
	}
}
