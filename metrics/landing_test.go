package metrics

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestLandingPage(t *testing.T) {
	for _, test := range []struct {
		name       string
		change     func(*site)
		want, none []string
	}{
		{
			name:   "looking",
			change: func(s *site) { s.ready.Store(false) },
			want:   []string{"Looking for sessions.", `http-equiv="refresh"`, "<title>ccwatchd · 0 %</title>", "version 1.2.3"},
			none:   []string{"<progress"},
		},
		{
			name: "catching up",
			change: func(s *site) {
				s.ready.Store(false)
				s.progress = Progress{Files: 1200, FilesTotal: 5000, Bytes: 420_000_000, BytesTotal: 1_400_000_000, Left: 8 * time.Second}
			},
			want: []string{`<progress max="100" value="30">`, "30 %: 1\u202f200 of 5\u202f000 files, 420 MB of 1.4 GB, about 8 seconds left", `http-equiv="refresh"`},
		},
		{
			name:   "no telling how long",
			change: func(s *site) { s.ready.Store(false); s.progress = Progress{FilesTotal: 1, BytesTotal: 10} },
			want:   []string{"0 %: 0 of 1 file, 0 bytes of 10 bytes<"},
		},
		{
			name: "ready",
			change: func(s *site) {
				s.summary = Summary{Files: 31, Sessions: 12, LastActivity: time.UnixMilli(born).Add(-3 * time.Minute)}
			},
			want: []string{"Ready</p>", "<dd>12</dd>", "<dd>31</dd>", "<dd>3 minutes ago</dd>"},
			none: []string{"refresh", "<progress", "no sessions yet"},
		},
		{
			name: "ready without anything",
			want: []string{"There are no sessions yet.", "names no directory"},
			none: []string{"<dl>"},
		},
		{
			name: "sources",
			change: func(s *site) {
				s.trees = []WatchedDir{{Path: "/home/a/<b>&c"}, {Path: "/srv", Labels: 1}, {Path: "/opt", Labels: 2}}
			},
			want: []string{
				"<code>/home/a/&lt;b&gt;&amp;c</code></li>",
				`<code>/srv</code> <span class="soft">1 label</span>`, `<code>/opt</code> <span class="soft">2 labels</span>`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite()
			if test.change != nil {
				test.change(s)
			}
			got := body(t, s.ask("GET", "/"))
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in\n%s", want, got)
				}
			}
			for _, none := range test.none {
				if strings.Contains(got, none) {
					t.Errorf("%q is in\n%s", none, got)
				}
			}
			if asked := s.source.calls.Load(); asked != 0 {
				t.Errorf("the page took %d snapshots, want none", asked)
			}
		})
	}
}

// A browser that obeys the policy shows the page as it is meant.
func TestLandingPagePolicy(t *testing.T) {
	r := newSite().ask("GET", "/")
	page := body(t, r)
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	if style == nil {
		t.Fatal("the page has no style")
	}
	sum := sha256.Sum256([]byte(style[1]))
	if want, got := "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", r.Header.Get("Content-Security-Policy"); !strings.Contains(got, want) {
		t.Errorf("got policy %q, want %s in it", got, want)
	}
	if other := regexp.MustCompile(`<script|<img|<link| style=| src=|url\(|@import`).FindString(page); other != "" {
		t.Errorf("the page has %q, which the policy forbids", other)
	}
}

func TestForPeople(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB", 9949: "9.9 kB", 9951: "10 kB", 999_499: "999 kB",
		999_500: "1.0 MB", 409_000_000: "409 MB", 3_400_000_000: "3.4 GB", 7_000_000_000_000_000: "7000 TB",
	} {
		if got := size(n); got != want {
			t.Errorf("size(%d): got %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "1 second", 59 * time.Second: "59 seconds", time.Minute: "1 minute", 59*time.Minute + 59*time.Second: "59 minutes",
		time.Hour: "1 hour", 47 * time.Hour: "47 hours", 48 * time.Hour: "2 days",
	} {
		if got := about(d); got != want {
			t.Errorf("about(%v): got %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567"} {
		if got := number(n); got != want {
			t.Errorf("number(%d): got %q, want %q", n, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for p, want := range map[Progress]int{
		{}: 0, {Bytes: 1, BytesTotal: 3}: 33, {Bytes: 999, BytesTotal: 1000}: 99, {Bytes: 3, BytesTotal: 3}: 100,
		{Bytes: 9, BytesTotal: 3}: 100, {Bytes: -1, BytesTotal: 3}: 0, {Bytes: 1 << 62, BytesTotal: 1<<63 - 1}: 50,
	} {
		if got := p.Percent(); got != want {
			t.Errorf("%+v: got %d, want %d", p, got, want)
		}
	}
}
