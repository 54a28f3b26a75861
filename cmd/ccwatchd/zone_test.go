package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// tzFile is a file of the time zone database: a zone two hours east of UTC.
const tzFile = "TZif" + "\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + // no UTC indicators, standard indicators, leap seconds, transitions
	"\x00\x00\x00\x01" + "\x00\x00\x00\x04" + // a type and the length of its name
	"\x00\x00\x1c\x20" + "\x00" + "\x00" + "EET\x00"

// A time zone can be a file. A file of the time zone database has a name, any other
// file only an offset.
func TestZoneFile(t *testing.T) {
	skipOnWindows(t) // Windows ignores TZ
	p := reported(t)
	d := p.with("TZ=UTC").start(t).ready()
	dir := t.TempDir()
	for file, want := range map[string]string{
		"zoneinfo/Africa/Cairo": `"time_zone": "Africa/Cairo"`,
		"zoneinfo/Mars":         `"time_zone": "+02:00"`,
		"zone":                  `"time_zone": "+02:00"`,
	} {
		file = filepath.Join(dir, file)
		writeFile(t, file, tzFile)
		for _, colon := range []string{"", ":"} {
			in := p.with("TZ=" + colon + file)
			stdout, stderr, code := in.run(t, "report", "--json", "--since=all", "--url=http://"+d.address)
			if code != 0 || !strings.Contains(stdout, want) {
				t.Errorf("%s%s: code %d, got %s%s, want %s", colon, file, code, stdout, stderr, want)
			}
			stdout, stderr, code = in.run(t, "top", "--once", "--since=all", "--url=http://"+d.address)
			if code != 0 || !strings.Contains(stdout, "today") {
				t.Errorf("%s%s: code %d, got %s%s", colon, file, code, stdout, stderr)
			}
		}
	}
}

// Each request for a day states the zone of the user.
func TestRequestsStateTheirZone(t *testing.T) {
	skipOnWindows(t) // Windows ignores TZ
	p := newSandbox(t).with("TZ=Asia/Tokyo")
	var mu sync.Mutex
	zones := make(map[string]string) // by path
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		zones[r.URL.Path] = r.URL.Query().Get("tz")
		_, _ = w.Write([]byte(`{"time":"2026-03-02T00:00:00Z","step":"total"}`))
	}))
	defer server.Close()
	polltest.Eventually(t, "the status line asks in time", func() bool {
		p.statusline(t, strings.NewReader("{}"), "--url="+server.URL)
		mu.Lock()
		defer mu.Unlock()
		return zones[api.TodayPath] != ""
	})
	p.run(t, "top", "--once", "--url="+server.URL)
	p.run(t, "report", "--url="+server.URL)
	mu.Lock()
	defer mu.Unlock()
	for _, path := range []string{api.TodayPath, api.UsagePath} {
		if zones[path] != "Asia/Tokyo" {
			t.Errorf("%s: got zone %q", path, zones[path])
		}
	}
}

// springFile is a file of the time zone database: a zone one hour east of UTC, and two
// hours from 1:00 UTC on 29 March 2026.
const springFile = "TZif" + "\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x01" + // a transition
	"\x00\x00\x00\x02" + "\x00\x00\x00\x08" + // two types and the length of their names
	"\x69\xc8\x79\x90" + "\x01" + // when, and to which type
	"\x00\x00\x0e\x10" + "\x00" + "\x00" + "\x00\x00\x1c\x20" + "\x01" + "\x04" + "CET\x00EET\x00"

// A zone without a name is sent as its offset if the offset is the same for the whole
// request.
func TestUnnamedZone(t *testing.T) {
	zone, err := time.LoadLocationFromTZData("Local", []byte(springFile))
	if err != nil {
		t.Fatal(err)
	}
	now := parseTime(t, "2026-04-10T12:00:00Z")
	for since, want := range map[time.Time]string{
		now: "+02:00", parseTime(t, "2026-03-29T01:00:00Z"): "+02:00", parseTime(t, "2026-03-29T00:59:59Z"): "", {}: "",
	} {
		parameters := make(url.Values)
		if setZone(parameters, zone, since, now); parameters.Get("tz") != want {
			t.Errorf("since %s: got %q, want %q", since, parameters, want)
		}
	}
}

// The configuration sets the zone of the page, and the default zone of requests.
func TestZoneOfPage(t *testing.T) {
	p := reported(t).with("TZ=UTC")
	p.configure(t, "time_zone: Asia/Tokyo\n")
	d := p.start(t, "--web.enable-lifecycle").ready()
	for _, zone := range []string{"Asia/Tokyo", "Asia/Kolkata"} {
		p.configure(t, "time_zone: "+zone+"\n")
		reloadOverHTTP(t, d.address)
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := time.Now().In(location).Zone()
		if page := d.page("/"); !strings.Contains(page, name+" (UTC") {
			t.Errorf("%s: the page has another zone", zone)
		}
		if u := d.page(api.UsagePath); !strings.Contains(u, `"time_zone":"`+zone+`"`) {
			t.Errorf("%s: got %.200s", zone, u)
		}
	}
}

// The days of sessions follow the time zone of the user, not of the daemon.
func TestSessionDays(t *testing.T) {
	p := newSandbox(t).with("TZ=Asia/Tokyo")
	var got atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("limit") {
			got.Store(r.URL.Query().Get("since"))
		}
		_, _ = w.Write([]byte(`{"time":"2026-03-02T00:00:00Z"}`))
	}))
	defer server.Close()
	for since, want := range map[string]string{"2026-03-01": "2026-02-28T15:00:00Z", "2026-03-01T00:45:00.5Z": "2026-03-01T00:30:00Z", "all": "0001-01-01T00:00:00Z"} {
		for _, command := range []string{"top --json", "report --by=session"} {
			args := append(strings.Fields(command), "--since="+since, "--url="+server.URL)
			if _, stderr, code := p.run(t, args...); code != 0 || got.Load() != want {
				t.Errorf("%s --since=%s: code %d, got %v, want %s; %s", command, since, code, got.Load(), want, stderr)
			}
		}
	}
}
